//! A full drive: what does not fit is refused before anything changes, reads and deletes go on,
//! and the space of what was deleted can be used again.

use openlake_io::FaultDisk;
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
