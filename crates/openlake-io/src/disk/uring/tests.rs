use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Waker};

use super::*;
use crate::buffer::{BufferConfig, Buffers, LARGE_BYTES};
use crate::runtime::{run_shard, spawn};

const DIRECT: OpenOptions = OpenOptions { create: true, direct: true, truncate: false };
const PAGE: usize = 4096;

/// Runs `test` on a ring with a directory of its own, which it must leave empty.
fn run<F: Future<Output = ()>>(large_count: usize, test: impl FnOnce(PathBuf, Buffers) -> F) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("openlake-disk-{}-{number}", std::process::id()));
    fs::create_dir(&dir).expect("a fresh directory");
    let buffers = Buffers::new(BufferConfig { large_count, small_count: 4 }).expect("small");
    run_shard(None, || test(dir.clone(), buffers)).expect("a ring");
    fs::remove_dir_all(dir).expect("still there");
}

fn filled(buffers: &Buffers, byte: u8, len: usize) -> Buffer {
    let mut buffer = buffers.try_large().expect("free");
    buffer.as_mut_slice()[..len].fill(byte);
    buffer.set_filled(len);
    buffer.freeze()
}

#[test]
fn writes_in_flight_together_land_where_they_belong() {
    run(4, |dir, buffers| async move {
        let path = dir.join("f");
        let file = UringDisk.open(&path, DIRECT).await.expect("opened");
        file.allocate(0, 4 << 20).await.expect("allocated");
        assert_eq!(file.size_bytes().await.expect("size"), 4 << 20);
        let flights: Vec<_> = (0..4u8)
            .map(|number| {
                let (file, block) = (file.clone(), filled(&buffers, number + 1, LARGE_BYTES));
                let offset = u64::from(number) << 20;
                spawn(async move { file.write_at(block, offset, number % 2 == 0).await })
            })
            .collect();
        for flight in flights {
            flight.await.expect("not cancelled").expect("written");
        }
        file.sync_data().await.expect("synced");
        let stored = fs::read(&path).expect("the file");
        for (number, block) in (1..).zip(stored.chunks(LARGE_BYTES)) {
            assert!(block.iter().all(|byte| *byte == number), "block {number}");
        }
        let buffer = buffers.large().await;
        let read = file.read_at(buffer, 2 * PAGE, (1 << 20) - PAGE as u64).await.expect("read");
        assert_eq!(read.filled(), [[1; PAGE], [2; PAGE]].concat());
        assert_eq!(buffers.stats().large_free, 3);
    });
}

#[test]
fn a_file_that_ends_early_is_an_unexpected_end() {
    run(1, |dir, buffers| async move {
        let path = dir.join("f");
        fs::write(&path, [7; PAGE + 100]).expect("written");
        for direct in [true, false] {
            let options = OpenOptions { direct, ..OpenOptions::default() };
            let file = UringDisk.open(&path, options).await.expect("opened");
            let whole = file.read_at(buffers.large().await, PAGE, 0).await.expect("a whole page");
            assert_eq!(whole.filled(), [7; PAGE]);
            drop(whole);
            for offset in [0, PAGE as u64, 2 * PAGE as u64] {
                let read = file.read_at(buffers.large().await, 2 * PAGE, offset).await;
                let error = read.map(drop).expect_err("it ends before");
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{direct} {offset}");
            }
        }
    });
}

#[test]
fn names_are_made_changed_listed_and_removed() {
    run(1, |dir, buffers| async move {
        let disk = UringDisk;
        let inner = dir.join("inner");
        disk.create_dir(&inner).await.expect("made");
        let file = disk.open(&dir.join("a"), DIRECT).await.expect("opened");
        file.write_at(filled(&buffers, 1, PAGE), 0, true).await.expect("written");
        disk.rename(&dir.join("a"), &dir.join("b")).await.expect("renamed");
        disk.sync_dir(&dir).await.expect("synced");
        let mut entries = disk.list_dir(&dir).await.expect("listed");
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let [renamed, directory] = &entries[..] else { panic!("{entries:?}") };
        assert_eq!((&*renamed.name, renamed.size_bytes, renamed.is_dir), ("b", 4096, false));
        assert_eq!((&*directory.name, directory.is_dir), ("inner", true));
        file.truncate(0).await.expect("cut");
        assert_eq!(file.size_bytes().await.expect("size"), 0);
        disk.remove_file(&dir.join("b")).await.expect("removed");
        assert_eq!(disk.list_dir(&dir).await.expect("listed").len(), 1);
        assert!(disk.free_bytes(&dir).await.expect("known") > 0);
    });
}

#[test]
fn errors_keep_their_kind_and_name_the_paths() {
    run(1, |dir, buffers| async move {
        let missing = dir.join("missing");
        let error = UringDisk.open(&missing, OpenOptions::default()).await.expect_err("missing");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains("missing"), "{error}");
        let error = UringDisk.rename(&missing, &dir.join("target")).await.expect_err("missing");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let text = error.to_string();
        assert!(text.contains("missing") && text.contains("target"), "{text}");
        let file = UringDisk.open(&dir.join("odd"), DIRECT).await.expect("opened");
        let error = file.write_at(filled(&buffers, 1, 100), 0, false).await.expect_err("unaligned");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains("odd"), "{error}");
    });
}

/// The kernel may still read the memory of a write that nobody waits for any more.
#[test]
fn a_buffer_outlives_its_cancelled_write() {
    run(1, |dir, buffers| async move {
        let path = dir.join("f");
        let file = UringDisk.open(&path, DIRECT).await.expect("opened");
        file.allocate(0, LARGE_BYTES as u64).await.expect("allocated");
        for _ in 0..20 {
            let block = filled(&buffers, 1, LARGE_BYTES);
            {
                let mut write = pin!(file.write_at(block, 0, true));
                assert!(write.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            }
            assert_eq!(buffers.stats().large_free, 0, "the operation holds it");
            let mut again = buffers.large().await;
            again.as_mut_slice().fill(0xff);
        }
        let stored = fs::read(&path).expect("the file");
        assert!(stored.iter().all(|byte| *byte <= 1), "a later use of the slot was written");
    });
}
