//! What was acknowledged is there after a restart, whatever the number of shards.

use crate::support::{
    Directory, bucket, content, create_bucket, delete, find, get, live, put, shutdown,
};
use openlake_io::{Disk, UringDisk};

const SIZES: [usize; 8] = [0, 1, 4096, 65_536, 65_537, 1 << 20, (1 << 20) + 1, (3 << 20) + 77];

fn restarts<D: Disk>(directory: &Directory, disk: impl Fn() -> D) {
    let rounds = [1_u16, 1, 2, 3, 1];
    for (round, shards) in rounds.into_iter().enumerate() {
        live(directory.config(shards), disk(), async |stores| {
            let store = &stores[usize::from(shards) - 1];
            if round == 0 {
                create_bucket(store).await;
            }
            for earlier in 0..round {
                for size in SIZES {
                    let bytes = get(store, &format!("{earlier}/{size}")).await.unwrap();
                    assert_eq!(bytes, content(earlier as u64, size), "{earlier}/{size}");
                }
                assert_eq!(find(store, &format!("{earlier}/deleted")).await, None);
            }
            for size in SIZES {
                let name = format!("{round}/{size}");
                put(store, &name, b"old").await.unwrap();
                put(store, &name, &content(round as u64, size)).await.unwrap();
                assert_eq!(get(store, &name).await.unwrap(), content(round as u64, size));
            }
            put(store, &format!("{round}/deleted"), b"x").await.unwrap();
            assert!(delete(store, &format!("{round}/deleted")).await.unwrap());
            if round % 2 == 0 {
                shutdown(&stores).await;
            }
        });
    }
}

#[test]
fn on_a_drive_in_memory() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    restarts(&directory, || disk.clone());
}

#[test]
fn on_a_real_drive() {
    let directory = Directory::new();
    restarts(&directory, || UringDisk);
}

/// With nothing left to keep, all segments are free; a new stream must not read what an old one
/// left in them.
#[test]
fn after_everything_was_deleted() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    for (round, shards) in [1_u16, 2, 1, 1, 2].into_iter().enumerate() {
        live(directory.config(shards), disk.clone(), async |stores| {
            let store = &stores[0];
            assert!(store.list_buckets().is_empty(), "round {round}");
            create_bucket(store).await;
            for name in ["a", "b", "c"] {
                assert_eq!(find(store, name).await, None, "round {round}");
                put(store, name, &content(round as u64, 3000)).await.unwrap();
            }
            for name in ["a", "b", "c"] {
                delete(store, name).await.unwrap();
            }
            store.delete_bucket(bucket()).await.unwrap();
            let freed = || !store.stats().rewriting_old_layout;
            for _ in 0..10_000 {
                if freed() {
                    break;
                }
                openlake_io::runtime::sleep(std::time::Duration::from_millis(1)).await;
            }
            assert!(freed(), "round {round}");
        });
    }
}
