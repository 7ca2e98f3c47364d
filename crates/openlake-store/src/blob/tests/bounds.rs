//! Cost follows the request, and nothing grows with the number of blobs.

use super::*;

/// 5,121 pages: five whole table blocks.
const LENGTH: u64 = 20 * MIB + 1;

/// A cold read of 4 KiB opens the file and reads one page of data and one of checksums; the next
/// one nearby reads its data only.
#[test]
fn a_small_read_costs_one_page_and_once_its_checksums() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        let blob = write(&pool, 1, LENGTH).await.expect("written");
        let cold = open(&disk, config(root())).await;
        let reader = cold.reader(cold.existing(blob.location()));
        let mut costs = Vec::new();
        for page in [1000, 1001, 1000, 2000, 5120] {
            let before = disk.operations();
            let end = (page * 4096 + 4096).min(LENGTH);
            reader.read(page * 4096..end).await.expect("read");
            costs.push(disk.operations() - before);
        }
        assert_eq!(costs, [3, 1, 1, 2, 2]);
    });
}

/// 20 MiB in one stream: 21 reads of data, and one of each of the 6 blocks of checksums.
#[test]
fn a_long_read_reads_each_block_of_checksums_once() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        let blob = write(&pool, 1, LENGTH).await.expect("written");
        let before = disk.operations();
        assert_eq!(read_all(&pool, &blob).await.expect("read"), data(1, LENGTH));
        assert_eq!(disk.operations() - before, 21 + 6);
    });
}

/// A write to a recycled file of the right size: 2 writes of data, 1 of the tail, 1 sync.
#[test]
fn a_recycled_file_is_written_without_any_other_operation() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        drop(write(&pool, 1, 2 * MIB).await.expect("written"));
        settled(&pool, |stats| stats.free_files == 1).await;
        let before = disk.operations();
        write(&pool, 2, 2 * MIB).await.expect("written");
        assert_eq!(disk.operations() - before, 4);
    });
}

#[test]
fn many_blobs_hold_a_bounded_number_of_descriptors() {
    let scratch = Scratch::new("descriptors");
    run(|| async {
        let pool = open(&UringDisk, config(&scratch.0.join("blobs"))).await;
        let mut blobs = Vec::new();
        for seed in 0..560 {
            blobs.push(write(&pool, seed, 5000).await.expect("written"));
        }
        let links = std::fs::read_dir("/proc/self/fd").expect("Linux");
        let targets = links.filter_map(|link| std::fs::read_link(link.ok()?.path()).ok());
        let open_files = targets.filter(|target| target.starts_with(&scratch.0)).count();
        assert!((1..=512).contains(&open_files), "{open_files} descriptors for 560 blobs");
        for (seed, blob) in (0..).zip(&blobs).step_by(50) {
            assert_eq!(read_all(&pool, blob).await.expect("read"), data(seed, 5000));
        }
    });
}
