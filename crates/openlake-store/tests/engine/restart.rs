//! What was acknowledged is there after a restart, whatever the number of shards.

use crate::support::{Directory, content, create_bucket, delete, find, get, live, put, shutdown};
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
