//! Space of the journal comes back, what counts stays, and nothing deleted ever returns.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use openlake_io::FaultDisk;
use openlake_io::disk::fault::{Action, Operation, Rule};
use openlake_io::runtime::sleep;
use openlake_store::{Store, StoreConfig, StoreError};

use crate::support::dice::Dice;
use crate::support::{Directory, content, create_bucket, delete, find, get, live, put, shutdown};

const KEYS: u64 = 40;
const INLINE: usize = 60_000;

fn segments(disk: &FaultDisk) -> Vec<PathBuf> {
    let mut files = disk.files();
    files.retain(|path| path.to_string_lossy().contains("/journal/"));
    files
}

fn journal_files(disk: &FaultDisk) -> usize {
    segments(disk).len()
}

/// The n-th key holds what was written last, or nothing.
type Model = Vec<Option<u64>>;

fn churn(directory: &Directory, disk: &FaultDisk, shards: u16, seed: u64, model: &mut Model) {
    live(directory.config(shards), disk.clone(), async |stores| {
        let mut dice = Dice::new(seed);
        if model.is_empty() {
            create_bucket(&stores[0]).await;
            model.resize(KEYS as usize, None);
            for number in 0..8 {
                put(&stores[0], &format!("old/{number}"), &content(number, INLINE)).await.unwrap();
            }
        }
        check(&stores[0], model).await;
        for step in 0..700 {
            let store = &stores[step % stores.len()];
            let number = dice.below(KEYS) as usize;
            let name = format!("{number}");
            if dice.below(3) == 0 {
                delete(store, &name).await.unwrap();
                model[number] = None;
            } else {
                let value = dice.next();
                put(store, &name, &content(value, INLINE)).await.unwrap();
                model[number] = Some(value);
            }
        }
        check(&stores[0], model).await;
        let compacted: u64 =
            stores.iter().map(|store| store.stats().journal.segments_compacted).sum();
        assert!(compacted > 0, "42 MB went through segments of 4 MiB");
        if seed.is_multiple_of(2) {
            shutdown(&stores).await;
        }
    });
}

async fn check(store: &Store<FaultDisk>, model: &Model) {
    for (number, value) in model.iter().enumerate() {
        let found = find(store, &format!("{number}")).await;
        assert_eq!(found, value.map(|value| content(value, INLINE)), "{number}");
    }
    for number in 0..8 {
        let found = find(store, &format!("old/{number}")).await;
        assert_eq!(found, Some(content(number, INLINE)), "old/{number}");
    }
}

#[test]
fn with_one_number_of_shards() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    let mut model = Model::new();
    for seed in 0..4 {
        churn(&directory, &disk, 1, seed, &mut model);
    }
    assert!(journal_files(&disk) <= 8, "{} segments for 3 MB", journal_files(&disk));
}

#[test]
fn across_changes_of_the_number_of_shards() {
    let directory = Directory::new();
    let mut disk = directory.fault_disk();
    let mut model = Model::new();
    for (seed, shards) in (0..).zip([1, 2, 3, 1, 1]) {
        churn(&directory, &disk, shards, seed, &mut model);
        disk = disk.crash(seed);
    }
    assert!(journal_files(&disk) <= 8, "{} segments for 3 MB", journal_files(&disk));
}

/// A batch, and so a page, for each: a few of them fill a segment with next to nothing.
#[test]
fn what_was_written_one_by_one_is_gathered_and_then_left_alone() {
    let directory = Directory::new();
    live(directory.config(1), directory.fault_disk(), async |stores| {
        create_bucket(&stores[0]).await;
        for number in 0..4500 {
            put(&stores[0], &format!("{number}"), b"x").await.unwrap();
        }
        let journal = || stores[0].stats().journal;
        let mut records = 0;
        for turn in 0.. {
            assert!(turn < 100, "compaction never ends: {:?}", journal());
            let known = std::mem::replace(&mut records, journal().records);
            if known == records {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        assert!(journal().segments_compacted > 0, "18 MB of pages in segments of 4 MiB");
        assert!(journal().segments_in_use <= 4, "{:?}", journal());
        assert_eq!(find(&stores[0], "4499").await, Some(b"x".to_vec()));
    });
}

/// Past the heads of a segment and of its first batches.
const DAMAGED_BYTE: u64 = 100_000;

/// Damages the first segment that holds some of these objects, and says which is hidden by it.
async fn damage(disk: &FaultDisk, store: &Store<FaultDisk>, keys: u64) -> (PathBuf, u64) {
    for segment in segments(disk) {
        disk.flip_byte(&segment, DAMAGED_BYTE);
        for number in 0..keys {
            match get(store, &format!("old/{number}")).await {
                Ok(_) => {}
                Err(StoreError::Corrupt { .. }) => return (segment, number),
                Err(error) => panic!("old/{number}: {error}"),
            }
        }
        disk.flip_byte(&segment, DAMAGED_BYTE);
    }
    panic!("no segment holds the objects");
}

/// Overwrites until the condition holds.
async fn overwrite_until(store: &Store<FaultDisk>, condition: impl Fn() -> bool) {
    for step in 0..4000 {
        if condition() {
            return;
        }
        let name = format!("{}", step % KEYS);
        put(store, &name, &content(step, INLINE)).await.unwrap();
    }
    panic!("it never came");
}

async fn check_old(store: &Store<FaultDisk>, hidden: Option<u64>) {
    for number in 0..KEYS {
        let found = get(store, &format!("old/{number}")).await;
        if hidden == Some(number) {
            assert!(matches!(found, Err(StoreError::Corrupt { .. })), "{number}");
        } else {
            assert_eq!(found.unwrap(), content(number, INLINE), "{number}");
        }
    }
}

#[test]
fn a_segment_that_cannot_be_read_is_kept_and_tried_again_later() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    let config = || StoreConfig { cache_bytes: 0, ..directory.config(2) };
    live(config(), disk.clone(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        for number in 0..KEYS {
            put(store, &format!("old/{number}"), &content(number, INLINE)).await.unwrap();
        }
        let (segment, hidden) = damage(&disk, store, KEYS).await;
        let failed = |store: &Store<_>| store.stats().compactions_failed;
        let compacted = |store: &Store<_>| store.stats().journal.segments_compacted;
        let start = Instant::now();
        overwrite_until(store, || {
            stores.iter().any(|store| failed(store) > 0)
                && stores.iter().any(|store| compacted(store) > 0)
        })
        .await;
        // Each commit wakes compaction.
        for number in 0..200 {
            put(store, &format!("new/{number}"), b"x").await.unwrap();
        }
        let tries: u64 = stores.iter().map(failed).sum();
        assert!(tries <= 1 + start.elapsed().as_secs(), "{tries} in {:?}", start.elapsed());
        let damaged = stores.iter().find(|store| failed(store) > 0).unwrap();
        assert_eq!(compacted(damaged), 0, "it is the oldest, so it goes first");
        check_old(store, Some(hidden)).await;

        disk.flip_byte(&segment, DAMAGED_BYTE);
        while compacted(damaged) == 0 {
            assert!(start.elapsed() < Duration::from_mins(1), "it is never tried again");
            sleep(Duration::from_millis(10)).await;
        }
        check_old(store, None).await;
    });
    live(config(), disk.crash(1), async |stores| check_old(&stores[0], None).await);
}

async fn check_new(store: &Store<FaultDisk>) {
    for number in 0..KEYS {
        let found = find(store, &format!("{number}")).await;
        assert_eq!(found, Some(content(number, INLINE)), "{number}");
    }
}

/// The new layout has segments of every shard already when the next start goes on with it.
#[test]
fn of_an_old_layout_goes_on_after_a_crash() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(directory.config(1), disk.clone(), async |stores| {
        create_bucket(&stores[0]).await;
        for number in 0..KEYS {
            put(&stores[0], &format!("old/{number}"), &content(number, INLINE)).await.unwrap();
        }
    });
    let rewriting = |stores: &[Store<_>]| stores[0].stats().rewriting_old_layout;
    live(directory.config(2), disk.clone(), async |stores| {
        // The old segment was read to open; reading it to rewrite it takes too long.
        disk.inject(Rule {
            operation: Operation::Read,
            path: "/journal/",
            skip: 0,
            times: u64::MAX,
            action: Action::Slow(Duration::from_mins(1)),
        });
        for number in 0..KEYS {
            put(&stores[0], &format!("{number}"), &content(number, INLINE)).await.unwrap();
        }
        assert!(rewriting(&stores));
    });
    let disk = disk.crash(1);
    live(directory.config(2), disk.clone(), async |stores| {
        let start = Instant::now();
        while rewriting(&stores) {
            assert!(start.elapsed() < Duration::from_mins(1), "the old layout is never freed");
            sleep(Duration::from_millis(1)).await;
        }
        check_old(&stores[0], None).await;
        check_new(&stores[0]).await;
    });
    live(directory.config(2), disk.crash(2), async |stores| {
        check_old(&stores[0], None).await;
        check_new(&stores[1]).await;
    });
}
