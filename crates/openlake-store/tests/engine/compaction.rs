//! Space of the journal comes back, what counts stays, and nothing deleted ever returns.

use std::time::Duration;

use openlake_io::FaultDisk;
use openlake_io::runtime::sleep;

use crate::support::dice::Dice;
use crate::support::{Directory, content, create_bucket, delete, find, live, put, shutdown};

const KEYS: u64 = 40;
const INLINE: usize = 60_000;

fn journal_files(disk: &FaultDisk) -> usize {
    disk.files().iter().filter(|path| path.to_string_lossy().contains("/journal/")).count()
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

async fn check(store: &openlake_store::Store<FaultDisk>, model: &Model) {
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
