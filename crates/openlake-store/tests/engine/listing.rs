//! Listing: byte order, each common prefix once, pages that join without gap or repetition.

use std::collections::BTreeSet;

use bytes::Bytes;
use openlake_store::{ListObjects, ListPosition, Store};
use proptest::prelude::*;

use crate::support::{Directory, bucket, create_bucket, live, put};

/// The page as S3 describes it, from a sorted set.
fn expected(keys: &BTreeSet<String>, prefix: &str, delimiter: Option<&str>) -> Vec<(String, bool)> {
    let mut lines: Vec<(String, bool)> = Vec::new();
    for key in keys.iter().filter(|key| key.starts_with(prefix)) {
        let rest = &key[prefix.len()..];
        let common = delimiter.and_then(|delimiter| Some((rest.find(delimiter)?, delimiter)));
        let line = match common {
            Some((at, delimiter)) => (format!("{prefix}{}{delimiter}", &rest[..at]), true),
            None => (key.clone(), false),
        };
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    lines
}

async fn pages<D: openlake_io::Disk>(
    store: &Store<D>,
    prefix: &str,
    delimiter: Option<&str>,
    max_keys: usize,
) -> Vec<(String, bool)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut lines = Vec::new();
    let mut after: Option<ListPosition> = None;
    loop {
        let request = ListObjects {
            bucket: bucket(),
            prefix: Bytes::copy_from_slice(prefix.as_bytes()),
            delimiter: delimiter.map(|d| Bytes::copy_from_slice(d.as_bytes())),
            after: after.clone(),
            max_keys,
        };
        let page = store.list_objects(request).await.unwrap();
        let mut found: Vec<(String, bool)> = Vec::new();
        found.extend(page.objects.iter().map(|object| (object.key.as_str().to_owned(), false)));
        found.extend(page.common_prefixes.iter().map(|prefix| (text(prefix), true)));
        assert!(found.len() <= max_keys);
        assert!(page.next.is_none() || found.len() == max_keys, "a page that is not last is full");
        found.sort();
        lines.extend(found);
        after = page.next;
        if after.is_none() {
            return lines;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn pages_are_those_of_a_sorted_set(
        keys in proptest::collection::btree_set("[ab/é.]{1,6}", 1..60),
        queries in proptest::collection::vec(
            ("[ab/é]{0,2}", proptest::option::of("[/ab]{1,2}"), 1_usize..20), 12),
        shards in 1_u16..4,
    ) {
        let directory = Directory::new();
        live(directory.config(shards), directory.fault_disk(), async |stores| {
            create_bucket(&stores[0]).await;
            for key in &keys {
                put(&stores[0], key, key.as_bytes()).await.unwrap();
            }
            for (turn, (prefix, delimiter, max_keys)) in queries.iter().enumerate() {
                let store = &stores[turn % stores.len()];
                let found = pages(store, prefix, delimiter.as_deref(), *max_keys).await;
                let want = expected(&keys, prefix, delimiter.as_deref());
                assert_eq!(found, want, "{prefix:?} {delimiter:?} {max_keys}");
            }
        });
    }
}

#[test]
fn a_page_starts_after_any_position() {
    let directory = Directory::new();
    live(directory.config(2), directory.fault_disk(), async |stores| {
        create_bucket(&stores[0]).await;
        for name in ["a", "b/1", "b/2", "c", "d"] {
            put(&stores[1], name, b"").await.unwrap();
        }
        let list = async |after: ListPosition| {
            let request = ListObjects {
                bucket: bucket(),
                prefix: Bytes::new(),
                delimiter: None,
                after: Some(after),
                max_keys: 1000,
            };
            let page = stores[0].list_objects(request).await.unwrap();
            let keys = page.objects.iter().map(|object| object.key.as_str().to_owned());
            keys.collect::<Vec<_>>()
        };
        let at = |text: &'static str| Bytes::from_static(text.as_bytes());
        assert_eq!(list(ListPosition::Key(at("b"))).await, ["b/1", "b/2", "c", "d"]);
        assert_eq!(list(ListPosition::Key(at("b/1"))).await, ["b/2", "c", "d"]);
        assert_eq!(list(ListPosition::CommonPrefix(at("b/"))).await, ["c", "d"]);
        assert_eq!(list(ListPosition::Key(at("z"))).await, [""; 0]);
    });
}
