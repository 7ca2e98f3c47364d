//! A copy is an object of its own, though it shares its source's blobs.

use openlake_store::{
    CopyObject, GetObject, ObjectAttributes, ObjectInfo, Store, StoreError, WriteCondition,
};

use crate::support::{
    Directory, bucket, content, create_bucket, delete, etag, find, get, key, live, put,
};

async fn copy<D: openlake_io::Disk>(
    store: &Store<D>,
    from: &str,
    to: &str,
    attributes: Option<ObjectAttributes>,
) -> Result<ObjectInfo, StoreError> {
    let request = CopyObject {
        source_bucket: bucket(),
        source_key: key(from),
        source_etag: None,
        bucket: bucket(),
        key: key(to),
        attributes,
        condition: WriteCondition::None,
    };
    store.copy_object(request).await
}

#[test]
fn the_copy_outlives_its_source_and_the_space_returns_with_the_last() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    let large = content(1, (2 << 20) + 5);
    let small = content(2, 500);
    live(directory.config(3), disk.clone(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        put(store, "large", &large).await.unwrap();
        put(store, "small", &small).await.unwrap();
        for number in 0..5 {
            copy(store, "large", &format!("large/{number}"), None).await.unwrap();
            copy(store, "small", &format!("small/{number}"), None).await.unwrap();
        }
        delete(store, "large").await.unwrap();
        put(store, "small", b"changed").await.unwrap();
        delete(store, "large/0").await.unwrap();
        // Blobs that would take a file that was freed too early.
        put(store, "other", &content(3, large.len())).await.unwrap();
    });
    let disk = disk.crash(1);
    live(directory.config(2), disk, async |stores| {
        let store = &stores[1];
        for number in 1..5 {
            assert_eq!(get(store, &format!("large/{number}")).await.unwrap(), large);
            assert_eq!(get(store, &format!("small/{number}")).await.unwrap(), small);
        }
        assert_eq!(find(store, "large/0").await, None);
        put(store, "other/2", &content(4, large.len())).await.unwrap();
        let free = |stats: openlake_store::StoreStats| stats.blobs.free_files;
        let before: u64 = stores.iter().map(|store| free(store.stats())).sum();
        for number in 1..5 {
            assert_eq!(get(store, &format!("large/{number}")).await.unwrap(), large);
            delete(store, &format!("large/{number}")).await.unwrap();
        }
        let after: u64 = stores.iter().map(|store| free(store.stats())).sum();
        assert_eq!(after, before + 1, "four names, one blob");
    });
}

#[test]
fn attributes_are_kept_or_replaced_and_the_etag_stays() {
    let directory = Directory::new();
    live(directory.config(1), directory.fault_disk(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        put(store, "a", b"bytes").await.unwrap();
        let mut attributes = ObjectAttributes::new(etag(b"nonsense"));
        attributes.content_type = Some("text/plain".to_owned());
        // Onto itself, as clients do to change metadata.
        let info = copy(store, "a", "a", Some(attributes)).await.unwrap();
        assert_eq!(info.attributes.content_type.as_deref(), Some("text/plain"));
        assert_eq!(info.etag(), etag(b"bytes"));
        copy(store, "a", "b", None).await.unwrap();
        let request = GetObject { bucket: bucket(), key: key("b") };
        assert_eq!(store.head_object(request).await.unwrap().attributes, info.attributes);
        assert_eq!(get(store, "b").await.unwrap(), b"bytes");
        let missing = copy(store, "none", "b", None).await;
        assert!(matches!(missing, Err(StoreError::NoSuchKey)));
    });
}
