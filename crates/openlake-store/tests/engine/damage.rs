//! A byte that changed on the drive is noticed, and never served.

use std::path::PathBuf;

use openlake_io::{Disk, FaultDisk};
use openlake_store::{OpenError, Store, StoreConfig, StoreError};

use crate::support::{Directory, content, create_bucket, get, live, open, put, run, shutdown};

/// No cache: every read goes to the drive.
fn config(directory: &Directory) -> StoreConfig {
    StoreConfig { cache_bytes: 0, ..directory.config(1) }
}

fn files(disk: &FaultDisk, part: &str) -> Vec<PathBuf> {
    let mut files = disk.files();
    files.retain(|path| path.to_string_lossy().contains(part));
    files
}

#[test]
fn in_a_blob() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    let bytes = content(1, (1 << 20) + 100);
    live(config(&directory), disk.clone(), async |stores| {
        create_bucket(&stores[0]).await;
        put(&stores[0], "k", &bytes).await.unwrap();
        assert_eq!(get(&stores[0], "k").await.unwrap(), bytes);
        let file = blob_file(&disk).await;
        for offset in [0, 5000, 1 << 20, (1 << 20) + 99] {
            disk.flip_byte(&file, offset);
            let result = get(&stores[0], "k").await;
            assert!(matches!(result, Err(StoreError::Corrupt { .. })), "{offset}");
            disk.flip_byte(&file, offset);
            assert_eq!(get(&stores[0], "k").await.unwrap(), bytes);
        }
        assert_eq!(stores[0].stats().blobs.corrupt, 4);
    });
}

/// The only one that is not an empty spare.
async fn blob_file(disk: &FaultDisk) -> PathBuf {
    for file in files(disk, "/blobs/") {
        let entries = disk.list_dir(file.parent().unwrap()).await.unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if entries.iter().any(|entry| entry.name == name && entry.size_bytes > 0) {
            return file;
        }
    }
    panic!("no file holds the blob");
}

fn first_segment(disk: &FaultDisk) -> PathBuf {
    files(disk, "/journal/").remove(0)
}

#[test]
fn in_the_payload_of_a_record() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(config(&directory), disk.clone(), async |stores| {
        create_bucket(&stores[0]).await;
        put(&stores[0], "k", &content(1, 9000)).await.unwrap();
        let segment = segment_in_use(&disk, &stores[0]).await;
        disk.flip_byte(&segment, 4096 * 4);
        assert!(matches!(get(&stores[0], "k").await, Err(StoreError::Corrupt { .. })));
        disk.flip_byte(&segment, 4096 * 4);
        assert_eq!(get(&stores[0], "k").await.unwrap(), content(1, 9000));
    });
}

/// The one whose damage hides the object: found by trying.
async fn segment_in_use(disk: &FaultDisk, store: &Store<FaultDisk>) -> PathBuf {
    for segment in files(disk, "/journal/") {
        disk.flip_byte(&segment, 4096 * 4);
        let hidden = get(store, "k").await.is_err();
        disk.flip_byte(&segment, 4096 * 4);
        if hidden {
            return segment;
        }
    }
    panic!("no segment holds the object");
}

async fn opens(directory: &Directory, disk: FaultDisk) -> Result<(), OpenError> {
    open(config(directory), disk).await.map(drop)
}

/// Whatever byte of the written part is changed, the next start refuses, or nothing is missing.
#[test]
fn anywhere_in_the_journal_before_a_start() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(config(&directory), disk.clone(), async |stores| {
        create_bucket(&stores[0]).await;
        for number in 0..6 {
            let bytes = content(number, 3000 * number as usize);
            put(&stores[0], &format!("{number}"), &bytes).await.unwrap();
        }
        shutdown(&stores).await;
    });
    let mut refused = 0;
    for offset in (0..120_000).step_by(777) {
        let disk = disk.crash(1);
        disk.flip_byte(&first_segment(&disk), offset);
        match run(opens(&directory, disk.clone())) {
            Err(OpenError::Corrupt { .. } | OpenError::NewerFormat { .. }) => refused += 1,
            Err(error) => panic!("{offset}: {error}"),
            Ok(()) => live(config(&directory), disk, async |stores| {
                for number in 0..6 {
                    let found = get(&stores[0], &format!("{number}")).await.unwrap();
                    assert_eq!(found, content(number, 3000 * number as usize), "{offset}");
                }
            }),
        }
    }
    assert!(refused > 40, "{refused}");
}

#[test]
fn a_segment_of_another_deployment_is_refused() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(config(&directory), disk.clone(), async |stores| create_bucket(&stores[0]).await);
    std::fs::remove_file(directory.path().join("identity")).unwrap();
    let result = run(opens(&directory, disk));
    assert!(matches!(result, Err(OpenError::OtherDeployment { .. })), "{:?}", result.err());
}
