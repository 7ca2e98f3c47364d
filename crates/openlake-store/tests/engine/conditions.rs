//! Conditions are one step with the commit: of many who race, exactly one wins.

use crate::support::{Directory, bucket, create_bucket, delete, etag, get, key, live, put, put_if};
use futures_util::future::join_all;
use openlake_store::{DeleteObject, StoreError, WriteCondition};

const RACERS: usize = 16;

#[test]
fn one_of_many_creators_wins() {
    let directory = Directory::new();
    let disk = directory.fault_disk();
    live(directory.config(3), disk, async |stores| {
        create_bucket(&stores[0]).await;
        for round in 0..20 {
            let name = format!("{round}");
            let racers = (0..RACERS).map(|racer| {
                let (store, name) = (&stores[racer % 3], &name);
                let bytes = format!("racer {racer}").into_bytes();
                async move { put_if(store, name, &bytes, WriteCondition::IfNoneMatchAny).await }
            });
            let results = join_all(racers).await;
            let winners: Vec<usize> = (0..RACERS).filter(|racer| results[*racer].is_ok()).collect();
            assert_eq!(winners.len(), 1, "{winners:?}");
            let losers = results
                .iter()
                .filter(|result| matches!(result, Err(StoreError::PreconditionFailed)));
            assert_eq!(losers.count(), RACERS - 1);
            let won = format!("racer {}", winners[0]).into_bytes();
            assert_eq!(get(&stores[1], &name).await.unwrap(), won);
        }
    });
}

#[test]
fn compare_and_swap_loses_no_increment() {
    let directory = Directory::new();
    live(directory.config(2), directory.fault_disk(), async |stores| {
        create_bucket(&stores[0]).await;
        put(&stores[0], "counter", b"0").await.unwrap();
        let racers = (0..8).map(|racer| {
            let store = &stores[racer % 2];
            async move {
                for _ in 0..5 {
                    loop {
                        let seen = get(store, "counter").await.unwrap();
                        let number: u32 = String::from_utf8(seen.clone()).unwrap().parse().unwrap();
                        let next = (number + 1).to_string().into_bytes();
                        let condition = WriteCondition::IfMatch(etag(&seen));
                        match put_if(store, "counter", &next, condition).await {
                            Ok(_) => break,
                            Err(StoreError::PreconditionFailed) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            }
        });
        join_all(racers).await;
        assert_eq!(get(&stores[0], "counter").await.unwrap(), b"40");
    });
}

#[test]
fn each_condition_means_what_s3_says() {
    let directory = Directory::new();
    live(directory.config(1), directory.fault_disk(), async |stores| {
        let store = &stores[0];
        create_bucket(store).await;
        let other = WriteCondition::IfMatch(etag(b"other"));
        for condition in [other, WriteCondition::IfMatchAny] {
            let result = put_if(store, "none", b"x", condition).await;
            assert!(matches!(result, Err(StoreError::NoSuchKey)), "{condition:?}");
        }
        put_if(store, "some", b"1", WriteCondition::IfNoneMatchAny).await.unwrap();
        put_if(store, "some", b"2", WriteCondition::IfMatch(etag(b"1"))).await.unwrap();
        put_if(store, "some", b"3", WriteCondition::IfMatchAny).await.unwrap();
        let delete_if = async |condition| {
            let request = DeleteObject { bucket: bucket(), key: key("some"), condition };
            store.delete_object(request).await
        };
        let result = delete_if(other).await;
        assert!(matches!(result, Err(StoreError::PreconditionFailed)));
        assert_eq!(get(store, "some").await.unwrap(), b"3");
        assert!(delete_if(WriteCondition::IfMatch(etag(b"3"))).await.unwrap().existed);
        assert!(!delete(store, "some").await.unwrap());
    });
}

#[test]
fn time_never_runs_backwards_for_a_key() {
    use openlake_store::Clock;
    use std::sync::atomic::{AtomicU64, Ordering};
    let directory = Directory::new();
    let mut config = directory.config(1);
    let time = AtomicU64::new(1_000_000);
    let backwards = move || time.fetch_sub(10, Ordering::Relaxed);
    config.clock = Clock::new(move || openlake_types::Timestamp(backwards()));
    live(config, directory.fault_disk(), async |stores| {
        create_bucket(&stores[0]).await;
        let first = put(&stores[0], "k", b"1").await.unwrap();
        let second = put(&stores[0], "k", b"2").await.unwrap();
        assert_eq!(second.last_modified, first.last_modified);
    });
}
