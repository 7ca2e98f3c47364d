//! After a failed sync, or a panic of the committer, nothing is acknowledged, reads go on, and a
//! restart finds the truth.

use std::time::Duration;

use futures_util::future::join_all;
use openlake_io::Disk;
use openlake_io::disk::fault::{Action, Operation, Rule};
use openlake_io::runtime::timeout;
use openlake_store::StoreError;

use crate::support::{Directory, content, create_bucket, delete, find, get, live, put, shutdown};

const EIO: i32 = 5;

fn rule(operation: Operation, path: &'static str) -> Rule {
    Rule { operation, path, skip: 0, times: 1, action: Action::Fail(EIO) }
}

#[test]
fn of_the_journal() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(directory.config(1), disk.clone(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        put(store, "before", b"x").await.unwrap();
        disk.inject(rule(Operation::Write, "/journal/"));
        assert!(matches!(put(store, "failed", b"x").await, Err(StoreError::Poisoned)));
        disk.heal();
        for _ in 0..3 {
            assert!(matches!(put(store, "after", b"x").await, Err(StoreError::Poisoned)));
            assert!(matches!(delete(store, "before").await, Err(StoreError::Poisoned)));
        }
        assert_eq!(get(store, "before").await.unwrap(), b"x");
        assert_eq!(find(store, "after").await, None);
        assert!(store.stats().journal.poisoned);
    });
    live(directory.config(1), disk.crash(1), async |stores| {
        assert_eq!(get(&stores[0], "before").await.unwrap(), b"x");
        assert_eq!(find(&stores[0], "after").await, None);
        put(&stores[0], "after", b"y").await.unwrap();
    });
}

#[test]
fn of_a_blob() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(directory.config(1), disk.clone(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        let bytes = content(1, 300_000);
        put(store, "before", &bytes).await.unwrap();
        disk.inject(rule(Operation::Sync, "/blobs/"));
        assert!(matches!(put(store, "failed", &bytes).await, Err(StoreError::Poisoned)));
        assert!(matches!(put(store, "small", b"x").await, Err(StoreError::Poisoned)));
        assert_eq!(find(store, "failed").await, None);
        assert_eq!(get(store, "before").await.unwrap(), bytes);
    });
}

/// Writers that wait for the batch under way, writers whose batch fills meanwhile, and writers that
/// come later are all told.
#[test]
fn a_panic_of_the_committer_leaves_no_writer_waiting() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(directory.config(1), disk.clone(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        put(store, "before", b"x").await.unwrap();
        let action = Action::Panic;
        disk.inject(Rule { action, ..rule(Operation::Write, "/journal/") });
        let writers = (0..8).map(async |turns| {
            for _ in 0..turns {
                disk.list_dir(directory.path()).await.unwrap();
            }
            put(store, &format!("failed/{turns}"), b"x").await
        });
        let outcomes = timeout(Duration::from_secs(20), join_all(writers)).await;
        for outcome in outcomes.expect("nobody waits for ever") {
            assert!(matches!(outcome, Err(StoreError::Poisoned)), "{outcome:?}");
        }
        assert!(matches!(delete(store, "before").await, Err(StoreError::Poisoned)));
        assert_eq!(get(store, "before").await.unwrap(), b"x");
        assert!(store.stats().journal.poisoned);
        timeout(Duration::from_secs(20), shutdown(&stores)).await.expect("nothing is left to do");
    });
    live(directory.config(1), disk.crash(1), async |stores| {
        assert_eq!(get(&stores[0], "before").await.unwrap(), b"x");
        assert_eq!(find(&stores[0], "failed/0").await, None);
        put(&stores[0], "after", b"y").await.unwrap();
    });
}
