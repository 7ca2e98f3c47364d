//! Multipart: any order of arrival, completion once however often it is asked for, nothing lost
//! at a restart, space back after an abort.

use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use openlake_io::runtime::sleep;
use openlake_io::{Disk, FaultDisk};
use openlake_store::{
    AbortMultipartUpload, GetObject, ListMultipartUploads, ListParts, Store, StoreConfig,
    StoreError, WriteCondition,
};
use openlake_types::{ByteRange, ETag, PartNumber};

use crate::support::multipart::{complete, completion, create, upload};
use crate::support::{
    Directory, bucket, content, create_bucket, delete, etag, find, get, key, live, put, shutdown,
};

const PART: usize = 5 << 20;

fn multipart_etag(parts: &[&[u8]]) -> ETag {
    let md5s: Vec<u8> = parts.iter().flat_map(|part| etag(part).md5).collect();
    ETag { md5: etag(&md5s).md5, parts: parts.len() as u16 }
}

#[test]
fn parts_in_any_order_become_one_object_once() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    let (one, two, three) = (content(1, PART), content(2, PART + 4097), content(3, 10));
    let whole = [&one[..], &two, &three].concat();
    let (id, parts) = live(directory.config(2), disk.clone(), async |stores| {
        create_bucket(&stores[0]).await;
        let id = create(&stores[0], "k").await.unwrap();
        let third = upload(&stores[1], "k", id, 9, &three).await.unwrap();
        upload(&stores[0], "k", id, 1, b"replaced later").await.unwrap();
        let second = upload(&stores[0], "k", id, 5, &two).await.unwrap();
        let first = upload(&stores[1], "k", id, 1, &one).await.unwrap();
        upload(&stores[1], "k", id, 7, b"never named").await.unwrap();
        (id, vec![first, second, third])
    });
    // The parts are there after a crash, and so is the object.
    let disk = disk.crash(5);
    let info = live(directory.config(3), disk.clone(), async |stores| {
        let request = ListParts {
            bucket: bucket(),
            key: key("k"),
            upload: id,
            after: Some(PartNumber::new(1).unwrap()),
            max_parts: 2,
        };
        let page = stores[2].list_parts(request).await.unwrap();
        let numbers: Vec<u16> = page.parts.iter().map(|part| part.number.get()).collect();
        assert_eq!((numbers, page.is_truncated), (vec![5, 7], true));
        let info = complete(&stores[1], "k", id, &parts).await.unwrap();
        assert_eq!(info.etag(), multipart_etag(&[&one, &two, &three]));
        assert_eq!((info.size, info.parts_count), (whole.len() as u64, 3));
        assert_eq!(complete(&stores[0], "k", id, &parts).await.unwrap(), info);
        info
    });
    let disk = disk.crash(6);
    live(directory.config(1), disk, async |stores| {
        let store = &stores[0];
        assert_eq!(get(store, "k").await.unwrap(), whole);
        assert_eq!(complete(store, "k", id, &parts).await.unwrap(), info, "after a restart");
        let handle = store.get_object(GetObject { bucket: bucket(), key: key("k") });
        let handle = handle.await.unwrap();
        let range = handle.part_range(PartNumber::new(5).unwrap()).unwrap();
        assert_eq!(range, ByteRange { start: PART as u64, end: (2 * PART + 4097) as u64 });
        let mut reader = handle.body(ByteRange { start: range.end - 3, end: range.end + 3 });
        let mut bytes = Vec::new();
        while let Some(piece) = reader.next().await.unwrap() {
            bytes.extend_from_slice(&piece);
        }
        assert_eq!(bytes, [&two[two.len() - 3..], &three[..3]].concat());
        put(store, "k", b"newer").await.unwrap();
        let late = complete(store, "k", id, &parts).await;
        assert!(matches!(late, Err(StoreError::NoSuchUpload)));
    });
}

#[test]
fn what_s3_refuses_is_refused_and_changes_nothing() {
    let directory = Directory::new();
    live(directory.config(2), directory.fault_disk(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        let id = create(store, "k").await.unwrap();
        let one = upload(store, "k", id, 1, b"small").await.unwrap();
        let two = upload(store, "k", id, 2, b"last").await.unwrap();
        let mut unknown = one.clone();
        unknown.number = PartNumber::new(3).unwrap();
        let mut changed = one.clone();
        changed.etag = etag(b"other");
        let refuse = async |parts: &[_]| complete(store, "k", id, parts).await.unwrap_err();
        assert!(matches!(refuse(&[]).await, StoreError::NoParts));
        assert!(matches!(refuse(&[two.clone(), one.clone()]).await, StoreError::InvalidPartOrder));
        assert!(matches!(refuse(&[one.clone(), one.clone()]).await, StoreError::InvalidPartOrder));
        assert!(matches!(refuse(&[unknown]).await, StoreError::InvalidPart { .. }));
        assert!(matches!(refuse(&[changed]).await, StoreError::InvalidPart { .. }));
        assert!(matches!(
            refuse(&[one.clone(), two.clone()]).await,
            StoreError::PartTooSmall { size_bytes: 5, .. }
        ));
        let mut wrong_size = completion("k", id, std::slice::from_ref(&one));
        wrong_size.size = Some(6);
        let result = store.complete_multipart_upload(wrong_size).await;
        assert!(matches!(result, Err(StoreError::SizeMismatch { expected: 6, found: 5 })));
        let mut condition = completion("k", id, std::slice::from_ref(&one));
        condition.condition = WriteCondition::IfMatchAny;
        let result = store.complete_multipart_upload(condition).await;
        assert!(matches!(result, Err(StoreError::NoSuchKey)));
        assert_eq!(find(store, "k").await, None);
        complete(store, "k", id, &[one]).await.unwrap();
        assert_eq!(get(store, "k").await.unwrap(), b"small");
        let other = upload(store, "k", id, 2, b"x").await;
        assert!(matches!(other, Err(StoreError::NoSuchUpload)));
    });
}

#[test]
fn an_abort_gives_the_space_back_and_stays_done() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    let id = live(directory.config(1), disk.clone(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        let id = create(store, "k").await.unwrap();
        upload(store, "k", id, 1, &content(1, PART)).await.unwrap();
        upload(store, "k", id, 1, &content(2, PART)).await.unwrap();
        assert_eq!(store.stats().blobs.free_files, 1, "the replaced part");
        let abort = AbortMultipartUpload { bucket: bucket(), key: key("k"), upload: id };
        store.abort_multipart_upload(abort.clone()).await.unwrap();
        assert_eq!(store.stats().blobs.free_files, 2);
        let again = store.abort_multipart_upload(abort).await;
        assert!(matches!(again, Err(StoreError::NoSuchUpload)));
        shutdown(&stores).await;
        id
    });
    live(directory.config(1), disk, async |stores| {
        assert_eq!(stores[0].stats().blobs.free_files, 2);
        let late = upload(&stores[0], "k", id, 1, b"x").await;
        assert!(matches!(late, Err(StoreError::NoSuchUpload)));
    });
}

#[test]
fn open_uploads_are_listed_by_key_then_age() {
    let directory = Directory::new();
    live(directory.config(3), directory.fault_disk(), async |stores| {
        create_bucket(&stores[0]).await;
        let mut made = Vec::new();
        for name in ["b", "a/1", "c", "a/2", "b"] {
            made.push((name, create(&stores[1], name).await.unwrap()));
        }
        let mut found = Vec::new();
        let mut prefixes = Vec::new();
        let mut after = None;
        loop {
            let request = ListMultipartUploads {
                bucket: bucket(),
                prefix: bytes::Bytes::new(),
                delimiter: Some(bytes::Bytes::from_static(b"/")),
                after: after.take(),
                max_uploads: 1,
            };
            let page = stores[2].list_multipart_uploads(request).await.unwrap();
            found.extend(page.uploads.iter().map(|upload| upload.upload));
            prefixes.extend(page.common_prefixes);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(found, [made[0].1, made[4].1, made[2].1]);
        assert_eq!(prefixes, ["a/"]);
    });
}

/// As many as S3 allows.
const PARTS: u16 = 10_000;

/// Parts of 1 to 97 bytes.
fn tiny(number: u16) -> Vec<u8> {
    content(number.into(), 1 + usize::from(number % 97))
}

/// Reads each part's last bytes and the first of the next one.
async fn check_borders(store: &Store<FaultDisk>, whole: &[u8]) {
    let handle = store.get_object(GetObject { bucket: bucket(), key: key("k") }).await.unwrap();
    assert_eq!(handle.info.parts_count, PARTS);
    for number in [1, 2, 96, 97, 4999, 5000, 9999] {
        let range = handle.part_range(PartNumber::new(number).unwrap()).unwrap();
        assert_eq!(range.end - range.start, tiny(number).len() as u64, "{number}");
        let across = ByteRange { start: range.start, end: range.end + 1 };
        let mut reader = handle.body(across);
        let mut bytes = Vec::new();
        while let Some(piece) = reader.next().await.unwrap() {
            bytes.extend_from_slice(&piece);
        }
        assert_eq!(bytes, whole[across.start as usize..across.end as usize], "{number}");
    }
    assert_eq!(get(store, "k").await.unwrap(), whole);
}

#[test]
fn ten_thousand_parts_become_one_object_and_give_their_space_back() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    // Without a minimum it would take 50 GB. No deleted file is kept for the next blobs.
    let config = |shards| StoreConfig {
        part_bytes_min: 1,
        recycle_bytes_max: 0,
        ..directory.config(shards)
    };
    let contents: Vec<Vec<u8>> = (1..=PARTS).map(tiny).collect();
    let whole = contents.concat();
    live(config(2), disk.clone(), async |stores| {
        create_bucket(&stores[0]).await;
        let id = create(&stores[0], "k").await.unwrap();
        let mut parts = Vec::new();
        let numbers: Vec<u16> = (1..=PARTS).collect();
        for numbers in numbers.chunks(50) {
            let store = &stores[usize::from(numbers[0] / 50 % 2)];
            let uploads = numbers.iter().map(async |number| {
                upload(store, "k", id, *number, &contents[usize::from(*number) - 1]).await
            });
            parts.extend(try_join_all(uploads).await.unwrap());
        }
        let info = complete(&stores[1], "k", id, &parts).await.unwrap();
        let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
        assert_eq!(info.etag(), multipart_etag(&contents));
        assert_eq!(info.size, whole.len() as u64);
        check_borders(&stores[0], &whole).await;
    });
    let disk = disk.crash(1);
    live(config(1), disk.clone(), async |stores| {
        check_borders(&stores[0], &whole).await;
        let before = disk.free_bytes(directory.path()).await.unwrap();
        assert!(delete(&stores[0], "k").await.unwrap());
        let start = Instant::now();
        // Each part lay in a file of its own, of a page or more.
        while disk.free_bytes(directory.path()).await.unwrap() < before + u64::from(PARTS) * 4096 {
            assert!(start.elapsed() < Duration::from_secs(30), "the space never returned");
            sleep(Duration::from_millis(1)).await;
        }
    });
    live(config(2), disk.crash(2), async |stores| {
        assert_eq!(find(&stores[0], "k").await, None);
    });
}
