//! Files are used again, their old bytes never.

use super::*;

#[test]
fn a_dropped_blob_leaves_its_file_to_the_next_of_its_size() {
    run(|| async {
        let pool = open(&fault_disk().await, config(root())).await;
        let first = write(&pool, 1, 3 * MIB).await.expect("written");
        let id = first.id();
        assert_eq!(id.generation, 0);
        drop(first);
        let second = write(&pool, 2, 3 * MIB).await.expect("written");
        assert_eq!((second.id().file, second.id().generation), (id.file, 1));
        assert_eq!(read_all(&pool, &second).await.expect("read"), data(2, 3 * MIB));
        let stats = pool.stats();
        assert_eq!((stats.files_created, stats.files_recycled, stats.free_files), (1, 1, 0));
    });
}

#[test]
fn a_live_blob_keeps_its_file_until_it_is_released_and_unread() {
    run(|| async {
        let pool = open(&fault_disk().await, config(root())).await;
        let blob = write(&pool, 1, 2 * MIB).await.expect("written");
        blob.set_live();
        let location = blob.location();
        drop(blob);
        assert_eq!(pool.stats().free_files, 0, "a live blob is not free");

        let blob = pool.existing(location);
        let reader = pool.reader(blob.clone());
        blob.release();
        let other = write(&pool, 2, 2 * MIB).await.expect("written");
        assert_ne!(other.id().file, location.id.file, "it is being read");
        let bytes = reader.read(0..MIB).await.expect("read");
        assert_eq!(bytes[..], data(1, MIB));
        drop(reader);
        assert_eq!(pool.stats().free_files, 1);
    });
}

/// A reader on another thread is the last user; the file comes home all the same.
#[test]
fn the_last_user_may_be_on_another_thread() {
    run(|| async {
        let pool = open(&fault_disk().await, config(root())).await;
        let blob = write(&pool, 1, MIB).await.expect("written");
        let held = blob.clone();
        blob.set_live();
        blob.release();
        assert_eq!(pool.stats().free_files, 0);
        std::thread::spawn(move || drop(held)).join().expect("dropped");
        assert_eq!(pool.stats().free_files, 1);
    });
}

/// Three uses of one file, each shorter than the one before: what the earlier ones left behind
/// their end, and what an unfinished one overwrote, is never served.
#[test]
fn old_bytes_of_a_file_are_never_served() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        let first = write(&pool, 1, 4 * MIB + 10).await.expect("written");
        let stale = first.location();
        drop(first);
        let second = write(&pool, 2, 3 * MIB + 1).await.expect("written");
        assert_eq!(second.id().file, stale.id.file);
        assert_eq!(read_all(&pool, &second).await.expect("read"), data(2, 3 * MIB + 1));

        let fresh = open(&disk, config(root())).await;
        let error = read_all(&fresh, &fresh.existing(stale)).await.expect_err("overwritten");
        assert!(matches!(error, BlobError::Corrupt { .. }), "{error}");
    });
}

#[test]
fn a_write_cut_midway_leaves_its_file_to_the_next() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        let mut cut = pool.writer(Some(8 * MIB), GROUP).await.expect("space");
        for chunk in data(1, 3 * MIB).chunks(LARGE_BYTES) {
            cut.write(buffer_of(chunk).await).await.expect("written");
        }
        drop(cut);
        settled(&pool, |stats| stats.free_files == 1).await;
        let whole = write(&pool, 2, 8 * MIB).await.expect("written");
        assert_eq!(whole.id().generation, 1);
        assert_eq!(read_all(&pool, &whole).await.expect("read"), data(2, 8 * MIB));
        assert_eq!(pool.stats().files_created, 1);
    });
}

#[test]
fn free_files_beyond_the_bound_are_removed_from_the_drive() {
    run(|| async {
        let disk = fault_disk().await;
        let config = BlobConfig { recycle_bytes_max: 3 * MIB, ..config(root()) };
        let pool = open(&disk, config).await;
        let mut blobs = Vec::new();
        for seed in 0..5 {
            blobs.push(write(&pool, seed, MIB).await.expect("written"));
        }
        blobs.clear();
        // Each has 1 MiB and a page of checksums, so two fit below 3 MiB.
        settled(&pool, |stats| stats.files_discarded == 3).await;
        let stats = pool.stats();
        assert_eq!((stats.free_files, stats.free_bytes), (2, 2 * (MIB + 4096)));
        assert_eq!(stats.discards_failed, 0);
        assert_eq!(blob_files(&disk, root()).await.iter().filter(|f| f.1 > 0).count(), 2);
    });
}
