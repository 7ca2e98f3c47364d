//! A blob whose `finish` returned survives any power loss; one whose `finish` did not harms none.

use super::*;

const LENGTH: u64 = MIB + 9000;

/// A drive with a live blob, a free file of the same size, and an open pool.
async fn prepared() -> (FaultDisk, BlobPool<FaultDisk>, Blob) {
    let disk = fault_disk().await;
    let pool = open(&disk, config(root())).await;
    let live = write(&pool, 1, LENGTH).await.expect("written");
    live.set_live();
    drop(write(&pool, 2, LENGTH).await.expect("written"));
    (disk, pool, live)
}

/// What a start after the crash finds: the live blobs whole, and room for more.
async fn check_after_crash(disk: &FaultDisk, live: &[(&Blob, u64)]) {
    let pool = open(disk, config(root())).await;
    let named = |number| live.iter().any(|(blob, _)| blob.id().file == number);
    let recovered = pool.recover(named).await.expect("sorted");
    assert_eq!(recovered.live, live.len() as u64);
    let mut next = Vec::new();
    for seed in 10..14 {
        next.push(write(&pool, seed, LENGTH).await.expect("written"));
    }
    for (blob, seed) in live {
        let blob = pool.existing(blob.location());
        assert_eq!(read_all(&pool, &blob).await.expect("live"), data(*seed, LENGTH));
    }
    for (blob, seed) in next.iter().zip(10..) {
        assert_eq!(read_all(&pool, blob).await.expect("new"), data(seed, LENGTH));
    }
}

/// Where the file of the interrupted write comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Recycled,
    Spare,
    /// The pool was just opened: the file is made first, with its batch.
    Made,
}

/// Power fails at each operation of a write, and each time the drive loses something else.
#[test]
fn power_may_fail_at_any_operation_of_a_write() {
    run(|| async {
        for source in [Source::Recycled, Source::Spare, Source::Made] {
            let (mut acknowledged, mut step) = (0, 0);
            while acknowledged < 3 {
                let (disk, mut pool, live) = prepared().await;
                let mut held = None;
                match source {
                    Source::Recycled => {}
                    Source::Spare => held = Some(write(&pool, 2, LENGTH).await.expect("written")),
                    Source::Made => pool = open(&disk, config(root())).await,
                }
                disk.cut_power_after(step);
                let result = write(&pool, 3, LENGTH).await;
                drop(held);
                for seed in 0..3 {
                    let mut found = vec![(&live, 1)];
                    found.extend(result.iter().map(|blob| (blob, 3)));
                    check_after_crash(&disk.crash(seed), &found).await;
                }
                acknowledged += u32::from(result.is_ok());
                step += 1;
            }
            // Data, tail and sync; a new file is also allocated; a batch is made and synced.
            let least = if source == Source::Made { 4 + 1 + 9 } else { 4 };
            assert!(step >= least, "{source:?} took {step} steps");
        }
    });
}

/// Nothing that a pool does with free files costs a live one, also when none of it was synced.
#[test]
fn power_may_fail_while_free_files_are_removed() {
    run(|| async {
        for seed in 0..20 {
            let (disk, pool, live) = prepared().await;
            pool.reclaim().await;
            assert_eq!(pool.stats().files_discarded, 1);
            check_after_crash(&disk.crash(seed), &[(&live, 1)]).await;
        }
    });
}

#[test]
fn a_failed_sync_is_told_and_its_file_never_used_again() {
    run(|| async {
        let (disk, pool, live) = prepared().await;
        disk.inject(failing(Operation::Sync, "blob", 1, EIO));
        let error = write(&pool, 3, LENGTH).await.expect_err("the sync failed");
        let BlobError::SyncFailed { file, .. } = error else { panic!("{error}") };
        settled(&pool, |stats| stats.files_discarded == 1).await;
        let next = write(&pool, 4, LENGTH).await.expect("written");
        assert_ne!(next.id().file, file);
        assert_eq!(read_all(&pool, &live).await.expect("read"), data(1, LENGTH));
    });
}

/// Each of two shards sorts its own directories; a file of one is never made by the other.
#[test]
fn shards_share_the_drive_and_sort_their_own_files() {
    run(|| async {
        let disk = fault_disk().await;
        let (homes, mut blobs) = (Homes::new(2), Vec::new());
        for shard in 0..2_u16 {
            let config = BlobConfig { shard: ShardIndex(shard), shards: 2, ..config(root()) };
            let pool = open_with(&disk, &homes, config).await;
            for seed in 0..10 {
                let blob = write(&pool, seed, LENGTH).await.expect("written");
                assert_eq!(blob.id().file % 2, u64::from(shard));
                blobs.push((blob, seed));
            }
        }
        // Started again as one shard: every second blob is named by a record.
        let live: Vec<_> = blobs.iter().step_by(2).map(|(blob, seed)| (blob, *seed)).collect();
        check_after_crash(&disk.crash(1), &live).await;
    });
}

/// The generation of a file goes on over a restart, so no reference of the past fits again.
#[test]
fn a_free_file_continues_its_generations_after_a_restart() {
    run(|| async {
        let (disk, pool, _live) = prepared().await;
        let used = write(&pool, 3, LENGTH).await.expect("written");
        assert_eq!(used.id().generation, 1);
        let found = open(&disk, config(root())).await;
        let recovered = found.recover(|number| number != used.id().file).await.expect("sorted");
        assert_eq!(recovered.recycled, 1);
        let next = write(&found, 4, LENGTH).await.expect("written");
        assert_eq!((next.id().file, next.id().generation), (used.id().file, 2));
    });
}

/// A live blob whose file was lost is damaged; no other blob may take its name.
#[test]
fn the_number_of_a_lost_file_is_not_given_again() {
    run(|| async {
        let (disk, _pool, live) = prepared().await;
        let number = live.id().file;
        for path in disk.files() {
            disk.remove_file(&path).await.expect("removed");
        }
        let pool = open(&disk, config(root())).await;
        let lost = pool.existing(live.location());
        pool.recover(|named| named == number).await.expect("sorted");
        for seed in 0..16 {
            let blob = write(&pool, seed, 5000).await.expect("written");
            assert_ne!(blob.id().file, number);
            blob.set_live();
        }
        let error = read_all(&pool, &lost).await.expect_err("the file is lost");
        assert!(matches!(error, BlobError::Corrupt { part: CorruptPart::File, .. }), "{error}");
    });
}
