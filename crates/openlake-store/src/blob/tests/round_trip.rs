//! What was written is read, whole and in parts, for every size near an edge.

use std::ops::Range;

use super::*;

const SIZES: [u64; 11] = [
    1,
    4095,
    4096,
    4097,
    64 << 10,
    MIB - 1,
    MIB,
    MIB + 1,
    1008 * 4096,
    1008 * 4096 + 1,
    32 * MIB + 5,
];

/// Offsets around which reads may go wrong: pages, blocks, table blocks, the end.
fn edges(length: u64) -> Vec<u64> {
    let mut edges = vec![0, length];
    for unit in [4096, MIB, 1023 * 4096] {
        edges.extend([unit, 2 * unit, length / unit * unit, length.saturating_sub(unit)]);
    }
    let mut near: Vec<u64> =
        edges.iter().flat_map(|at| [at.saturating_sub(1), *at, at + 1]).collect();
    near.retain(|at| *at <= length);
    near.sort_unstable();
    near.dedup();
    near
}

/// Reads that stay inside one block, between any two edges.
fn ranges(length: u64) -> Vec<Range<u64>> {
    let edges = edges(length);
    let pairs = edges.iter().flat_map(|start| edges.iter().map(move |end| *start..*end));
    pairs.filter(|range| !range.is_empty() && range.start / MIB == (range.end - 1) / MIB).collect()
}

async fn every_size_is_read_as_written<D: Disk>(disk: D, root: &Path) {
    let pool = open(&disk, config(root)).await;
    for (seed, length) in (1..).zip(SIZES) {
        let blob = write(&pool, seed, length).await.expect("written");
        assert_eq!(blob.length(), length);
        let want = data(seed, length);
        assert!(read_all(&pool, &blob).await.expect("read") == want, "{length} bytes");
        let reader = pool.reader(blob);
        for range in ranges(length) {
            let got = reader.read(range.clone()).await.expect("read");
            let want = &want[range.start as usize..range.end as usize];
            assert!(got[..] == *want, "{range:?} of {length}");
        }
    }
}

#[test]
fn every_size_is_read_as_written_from_memory() {
    run(|| async { every_size_is_read_as_written(fault_disk().await, root()).await });
}

#[test]
fn every_size_is_read_as_written_from_a_drive() {
    let scratch = Scratch::new("sizes");
    run(|| async { every_size_is_read_as_written(UringDisk, &scratch.0.join("blobs")).await });
}

#[test]
fn an_unknown_length_is_allocated_in_steps_and_cut_to_size() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        for length in [0, 5, 33 * MIB, 70 * MIB + 9] {
            let mut writer = pool.writer(None, GROUP).await.expect("space");
            for chunk in data(3, length).chunks(LARGE_BYTES) {
                writer.write(buffer_of(chunk).await).await.expect("written");
            }
            assert_eq!(writer.length(), length);
            let blob = writer.finish().await.expect("sealed");
            assert!(read_all(&pool, &blob).await.expect("read") == data(3, length), "{length}");
            // Data, one page of CRCs a 4,092 KiB and the footer: 1 % and a page at most.
            assert!(blob.file_bytes() <= length.next_multiple_of(4096) + length / 100 + 4096);
        }
    });
}

/// A hint is only a hint: a body that turns out shorter or longer is stored just as well.
#[test]
fn a_wrong_size_hint_costs_nothing_but_time() {
    run(|| async {
        let pool = open(&fault_disk().await, config(root())).await;
        for (hint, length) in [(3 * MIB, 5), (5, 3 * MIB), (4096, 4097)] {
            let mut writer = pool.writer(Some(hint), GROUP).await.expect("space");
            for chunk in data(4, length).chunks(LARGE_BYTES) {
                writer.write(buffer_of(chunk).await).await.expect("written");
            }
            let blob = writer.finish().await.expect("sealed");
            assert_eq!(read_all(&pool, &blob).await.expect("read"), data(4, length));
        }
    });
}

/// 64 blobs at once, each reading while others are written.
#[test]
fn many_blobs_at_once_do_not_mix() {
    run(|| async {
        let pool = open(&fault_disk().await, config(root())).await;
        let tasks: Vec<_> = (0..64_u64)
            .map(|seed| {
                let pool = pool.clone();
                openlake_io::runtime::spawn(async move {
                    let length = 100_000 + seed * 50_021;
                    let blob = write(&pool, seed, length).await.expect("written");
                    assert_eq!(read_all(&pool, &blob).await.expect("read"), data(seed, length));
                    blob.id()
                })
            })
            .collect();
        let mut ids = std::collections::HashSet::new();
        for task in tasks {
            assert!(ids.insert(task.await.expect("the task ends").file));
        }
    });
}

/// Bytes that do not lie on a page boundary in memory are no concern of the caller.
#[test]
fn bytes_from_anywhere_in_memory_are_written() {
    let scratch = Scratch::new("unaligned");
    run(|| async {
        let pool = open(&UringDisk, config(&scratch.0.join("blobs"))).await;
        let want = data(6, 3 * 8192 + 100);
        let mut writer = pool.writer(Some(want.len() as u64), GROUP).await.expect("space");
        for chunk in want.chunks(8192) {
            let shifted = [&[0; 33], chunk].concat();
            let shifted = bytes::Bytes::from(shifted).slice(33..);
            writer.write(Buffer::from(shifted)).await.expect("written");
        }
        let blob = writer.finish().await.expect("sealed");
        assert_eq!(read_all(&pool, &blob).await.expect("read"), want);
    });
}
