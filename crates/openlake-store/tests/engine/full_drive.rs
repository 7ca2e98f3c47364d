//! A full drive: what does not fit is refused before anything changes, reads and deletes go on,
//! and the space of what was deleted can be used again.

use std::time::Duration;

use futures_util::future::join_all;
use openlake_io::FaultDisk;
use openlake_io::disk::fault::{Action, Operation, Rule};
use openlake_io::runtime::sleep;
use openlake_store::{Store, StoreError};

use crate::support::{Directory, content, create_bucket, delete, get, live, put};

async fn fill(store: &Store<FaultDisk>, prefix: &str, size: usize) -> u64 {
    for number in 0..2000 {
        match put(store, &format!("{prefix}/{number}"), &content(number, size)).await {
            Ok(_) => {}
            Err(StoreError::OutOfSpace) => return number,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the drive never filled up");
}

async fn empty(store: &Store<FaultDisk>, prefix: &str, count: u64, size: usize) {
    for number in 0..count {
        let name = format!("{prefix}/{number}");
        assert_eq!(get(store, &name).await.unwrap(), content(number, size));
        assert!(delete(store, &name).await.unwrap());
    }
}

fn fills_and_empties(size: usize) {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    disk.set_capacity(40 << 20);
    live(directory.config(1), disk.clone(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        let first = fill(store, "a", size).await;
        assert!(first > 5, "{first}");
        let refused = format!("a/{first}");
        assert!(matches!(get(store, &refused).await, Err(StoreError::NoSuchKey)));
        empty(store, "a", first, size).await;
        let second = fill(store, "b", size).await;
        assert!(second + 3 >= first, "{second} of {first} after everything was deleted");
    });
    live(directory.config(1), disk.crash(1), async |stores| {
        let store = &stores[0];
        assert_eq!(get(store, "b/0").await.unwrap(), content(0, size));
        assert!(delete(store, "b/0").await.unwrap());
    });
}

#[test]
fn with_blobs() {
    fills_and_empties(1 << 20);
}

#[test]
fn with_inline_objects() {
    fills_and_empties(60_000);
}

/// Small objects lie in the journal only, hundreds in a batch when many come at once.
const SMALL: usize = 100;
/// Four segments.
const JOURNAL_ONLY: u64 = 16 << 20;

/// So that deletes have to wait for it.
const SLOW_COMPACTION: Rule = Rule {
    operation: Operation::Read,
    path: "/journal/",
    skip: 0,
    times: u64::MAX,
    action: Action::Slow(Duration::from_millis(10)),
};

fn small(number: u64, version: u64) -> Vec<u8> {
    content(number + (version << 32), SMALL)
}

/// Puts many at a time until one is refused though compaction has nothing more to give; the
/// numbers of those that were accepted.
async fn fill_small(store: &Store<FaultDisk>) -> Vec<u64> {
    let mut accepted = Vec::new();
    for first in (0..200_000).step_by(200) {
        let results = join_all((first..first + 200).map(async |number| {
            let name = format!("{number}");
            (number, put(store, &name, &small(number, 0)).await)
        }));
        let known = accepted.len();
        for (number, result) in results.await {
            match result {
                Ok(_) => accepted.push(number),
                Err(StoreError::OutOfSpace) => {}
                Err(error) => panic!("{number}: {error}"),
            }
        }
        if accepted.len() < known + 200 {
            wait_until_compaction_rests(store).await;
            if store.stats().journal.starved {
                return accepted;
            }
        }
    }
    panic!("the drive never filled up");
}

async fn check_small(store: &Store<FaultDisk>, numbers: &[u64], version: u64) {
    for number in numbers {
        let found = get(store, &format!("{number}")).await.unwrap();
        assert_eq!(found, small(*number, version), "{number}");
    }
}

/// Every one must succeed, however full the drive is.
async fn delete_small(store: &Store<FaultDisk>, numbers: &[u64], at_once: usize) {
    for numbers in numbers.chunks(at_once) {
        let deleted = numbers.iter().map(async |number| {
            let deleted = delete(store, &format!("{number}")).await;
            assert!(deleted.unwrap_or_else(|error| panic!("{number}: {error}")), "{number}");
        });
        join_all(deleted).await;
    }
}

/// Compaction gives space back in the background.
async fn put_when_there_is_space(store: &Store<FaultDisk>, name: &str, bytes: &[u8]) {
    for _ in 0..20_000 {
        match put(store, name, bytes).await {
            Ok(_) => return,
            Err(StoreError::OutOfSpace) => sleep(Duration::from_millis(1)).await,
            Err(error) => panic!("{name}: {error}"),
        }
    }
    panic!("{name}: the space never returned: {:?}", store.stats().journal);
}

/// It must, however full the drive is, when nothing changes any more.
async fn wait_until_compaction_rests(store: &Store<FaultDisk>) {
    let mut compacted = 0;
    for _ in 0..50 {
        sleep(Duration::from_millis(100)).await;
        let known = std::mem::replace(&mut compacted, store.stats().journal.segments_compacted);
        if known == compacted {
            return;
        }
    }
    panic!("compaction never ends: {:?}", store.stats().journal);
}

/// A deletion that is alone takes a page, twelve times what it gives back.
#[test]
fn with_small_objects_every_delete_succeeds_and_the_space_returns() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    disk.set_capacity(JOURNAL_ONLY);
    let accepted = live(directory.config(1), disk.clone(), async |stores| {
        create_bucket(&stores[0]).await;
        fill_small(&stores[0]).await
    });
    assert!(accepted.len() > 10_000, "{} objects in 16 MiB", accepted.len());
    let disk = disk.crash(1);
    let (kept, deleted): (Vec<u64>, Vec<u64>) =
        accepted.iter().partition(|number| *number % 40 == 0);
    live(directory.config(1), disk.clone(), async |stores| {
        let store = &stores[0];
        let refused = put(store, "refused", &small(0, 1)).await;
        assert!(matches!(refused, Err(StoreError::OutOfSpace)), "{refused:?}");
        assert!(store.stats().journal.starved);
        check_small(store, &accepted, 0).await;
        let (alone, together) = deleted.split_at(1500);
        disk.inject(SLOW_COMPACTION);
        delete_small(store, alone, 1).await;
        disk.heal();
        delete_small(store, together, 20).await;
        put_when_there_is_space(store, "accepted", &small(0, 1)).await;
        check_small(store, &kept, 0).await;
    });
    live(directory.config(1), disk.crash(2), async |stores| {
        check_small(&stores[0], &kept, 0).await;
        let second = fill_small(&stores[0]).await.len();
        assert!(second * 10 > accepted.len() * 9, "{second} of {}", accepted.len());
    });
}

#[test]
fn with_small_objects_what_was_overwritten_gives_space_back() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    disk.set_capacity(JOURNAL_ONLY);
    let kept: Vec<u64> = live(directory.config(1), disk.clone(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        let accepted = fill_small(store).await;
        let (deleted, kept): (Vec<u64>, Vec<u64>) =
            accepted.iter().partition(|number| *number % 4 == 0);
        delete_small(store, &deleted, 50).await;
        for version in 1..3 {
            for numbers in kept.chunks(200) {
                let overwritten = numbers.iter().map(async |number| {
                    let bytes = small(*number, version);
                    put_when_there_is_space(store, &format!("{number}"), &bytes).await;
                });
                join_all(overwritten).await;
            }
            check_small(store, &kept, version).await;
        }
        kept
    });
    live(directory.config(1), disk.crash(3), async |stores| {
        check_small(&stores[0], &kept, 2).await;
    });
}
