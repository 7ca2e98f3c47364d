//! A full drive: refused before harm, free files give way first, everything else goes on.

use super::*;

/// A blob of this length takes 1 MiB and a page.
const LENGTH: u64 = MIB;
const FILE: u64 = MIB + 4096;

#[test]
fn a_full_drive_refuses_blobs_until_one_is_deleted() {
    run(|| async {
        let disk = fault_disk().await;
        disk.set_capacity(4 * FILE + 100);
        let pool = open(&disk, config(root())).await;
        let mut blobs = Vec::new();
        for seed in 0..4 {
            blobs.push(write(&pool, seed, LENGTH).await.expect("written"));
        }
        for _ in 0..3 {
            let error = write(&pool, 9, LENGTH).await.expect_err("full");
            assert!(matches!(error, BlobError::OutOfSpace), "{error}");
        }
        for (seed, blob) in (0..).zip(&blobs) {
            assert_eq!(read_all(&pool, blob).await.expect("read"), data(seed, LENGTH));
        }
        blobs.pop().expect("four").release();
        let blob = write(&pool, 5, LENGTH).await.expect("space returned");
        assert_eq!(read_all(&pool, &blob).await.expect("read"), data(5, LENGTH));
    });
}

#[test]
fn free_files_of_the_wrong_size_give_way() {
    run(|| async {
        let disk = fault_disk().await;
        disk.set_capacity(4 * FILE);
        let pool = open(&disk, config(root())).await;
        let mut small = Vec::new();
        for seed in 0..3 {
            small.push(write(&pool, seed, LENGTH).await.expect("written"));
        }
        drop(small);
        assert_eq!(pool.stats().free_files, 3);
        let large = write(&pool, 7, 3 * LENGTH).await.expect("the free files went");
        assert_eq!(read_all(&pool, &large).await.expect("read"), data(7, 3 * LENGTH));
        assert_eq!(pool.stats().free_files, 0);
    });
}

#[test]
fn free_files_of_other_shards_give_way_too() {
    run(|| async {
        let disk = fault_disk().await;
        disk.set_capacity(4 * FILE);
        let homes = Homes::new(2);
        let of = |shard| BlobConfig { shard: ShardIndex(shard), shards: 2, ..config(root()) };
        let (own, other) =
            (open_with(&disk, &homes, of(0)).await, open_with(&disk, &homes, of(1)).await);
        let held = write(&other, 1, 3 * LENGTH).await.expect("written");
        drop(held);
        let blob = write(&own, 2, 2 * LENGTH).await.expect("the other shard gave way");
        assert_eq!(read_all(&own, &blob).await.expect("read"), data(2, 2 * LENGTH));
        assert_eq!(other.stats().free_bytes, 0);
    });
}

#[test]
fn a_write_that_finds_the_drive_full_is_tried_once_more() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        disk.inject(failing(Operation::Write, "blob", 1, ENOSPC));
        let blob = write(&pool, 1, LENGTH).await.expect("the second try fits");
        assert_eq!(read_all(&pool, &blob).await.expect("read"), data(1, LENGTH));
        disk.inject(failing(Operation::Write, "blob", u64::MAX, ENOSPC));
        let error = write(&pool, 2, LENGTH).await.expect_err("full for good");
        assert!(matches!(error, BlobError::OutOfSpace), "{error}");
        disk.heal();
        settled(&pool, |stats| stats.files_discarded == 1).await;
        write(&pool, 3, LENGTH).await.expect("written");
    });
}

#[test]
fn a_failed_write_is_told_and_its_file_removed() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        disk.inject(failing(Operation::Write, "blob", 1, EIO));
        let error = write(&pool, 1, LENGTH).await.expect_err("the drive failed");
        assert!(matches!(error, BlobError::Io(_)), "{error}");
        settled(&pool, |stats| stats.files_discarded == 1).await;
        assert_eq!(blob_files(&disk, root()).await.iter().filter(|f| f.1 > 0).count(), 0);
    });
}

/// A read that fails, ends early or returns a wrong bit is an error; the next one is whole.
#[test]
fn a_failed_read_is_told_and_harms_no_other() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        let blob = write(&pool, 1, LENGTH).await.expect("written");
        for action in [Action::Fail(EIO), Action::ShortRead, Action::FlipBit(4001)] {
            disk.inject(Rule { action, ..failing(Operation::Read, "blob", 1, EIO) });
            read_all(&pool, &blob).await.expect_err("the read failed");
            assert_eq!(read_all(&pool, &blob).await.expect("read"), data(1, LENGTH));
        }
    });
}
