//! Buckets: one owner a name, deleted only when empty, nothing slips in.

use bytes::Bytes;
use futures_util::future::join_all;
use openlake_store::{BucketInfo, CreateBucket, StoreError};
use openlake_types::BucketName;

use crate::support::multipart;
use crate::support::{
    Directory, bucket, content, create_bucket, delete, find, get, live, put, shutdown,
};

fn request(name: &str, owner: &str) -> CreateBucket {
    CreateBucket {
        name: BucketName::new(name).unwrap(),
        owner: owner.to_owned(),
        config: Bytes::from_static(b"opaque"),
    }
}

#[test]
fn every_shard_knows_a_bucket_when_its_creation_returns() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(directory.config(3), disk.clone(), async |stores| {
        for (number, store) in stores.iter().enumerate() {
            let name = format!("bucket-{number}");
            let made = store.create_bucket(request(&name, "me")).await.unwrap();
            for other in &stores {
                assert_eq!(other.bucket(&made.name), Some(made.clone()));
            }
            let again = store.create_bucket(request(&name, "you")).await;
            assert!(matches!(again, Err(StoreError::BucketExists { owner }) if owner == "me"));
        }
        let racers = (0..6).map(|racer| stores[racer % 3].create_bucket(request("raced", "me")));
        let won = join_all(racers).await.into_iter().flatten().count();
        assert_eq!(won, 1);
    });
    live(directory.config(2), disk, async |stores| {
        let names = ["bucket-0", "bucket-1", "bucket-2", "raced"];
        for store in &stores {
            let found: Vec<BucketInfo> = store.list_buckets();
            let found: Vec<&str> = found.iter().map(|info| info.name.as_str()).collect();
            assert_eq!(found, names);
            assert_eq!(store.list_buckets()[0].config, Bytes::from_static(b"opaque"));
        }
    });
}

#[test]
fn a_bucket_with_objects_stays_and_an_empty_one_goes_with_its_uploads() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(directory.config(3), disk.clone(), async |stores| {
        create_bucket(&stores[0]).await;
        put(&stores[1], "k", b"x").await.unwrap();
        let refused = stores[2].delete_bucket(bucket()).await;
        assert!(matches!(refused, Err(StoreError::BucketNotEmpty)));
        assert_eq!(get(&stores[0], "k").await.unwrap(), b"x");
        put(&stores[0], "k", b"y").await.unwrap();
        delete(&stores[0], "k").await.unwrap();
        let upload = multipart::create(&stores[0], "u").await.unwrap();
        multipart::upload(&stores[0], "u", upload, 1, &content(1, 100_000)).await.unwrap();
        stores[1].delete_bucket(bucket()).await.unwrap();
        for store in &stores {
            assert_eq!(store.bucket(&bucket()), None);
            assert!(matches!(put(store, "k", b"x").await, Err(StoreError::NoSuchBucket)));
        }
        let again = stores[0].delete_bucket(bucket()).await;
        assert!(matches!(again, Err(StoreError::NoSuchBucket)));
        create_bucket(&stores[0]).await;
        let gone = multipart::complete(&stores[0], "u", upload, &[]).await;
        assert!(matches!(gone, Err(StoreError::NoSuchUpload)));
        shutdown(&stores).await;
    });
    live(directory.config(3), disk, async |stores| {
        assert!(stores[0].bucket(&bucket()).is_some());
        let gone = multipart::complete(&stores[0], "u", openlake_types::UploadId(7), &[]).await;
        assert!(matches!(gone, Err(StoreError::NoSuchUpload)));
    });
}

/// Either the put was there first and the bucket stays, or the bucket is gone and the put failed.
#[test]
fn no_put_slips_into_a_bucket_that_is_being_deleted() {
    let directory = Directory::new();
    live(directory.config(3), directory.fault_disk(), async |stores| {
        for round in 0..30 {
            create_bucket(&stores[0]).await;
            let name = format!("{round}");
            let puts = (0..4).map(|racer| {
                let (store, name) = (&stores[racer % 3], format!("{name}/{racer}"));
                async move { put(store, &name, b"x").await.is_ok() }
            });
            let (put, deleted) =
                futures_util::join!(join_all(puts), stores[1].delete_bucket(bucket()));
            for (racer, put) in put.into_iter().enumerate() {
                let found = find(&stores[0], &format!("{name}/{racer}")).await.is_some();
                assert_eq!(found, put && deleted.is_err(), "round {round}");
                assert!(!(put && deleted.is_ok()), "round {round}");
                if found {
                    delete(&stores[0], &format!("{name}/{racer}")).await.unwrap();
                }
            }
            if deleted.is_err() {
                stores[2].delete_bucket(bucket()).await.unwrap();
            }
        }
    });
}
