//! After a power loss at any moment every acknowledged change is there, and what was not
//! acknowledged is there whole or not at all. The drive forgets everything that was not synced.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::support::dice::Dice;
use crate::support::multipart;
use crate::support::{
    Directory, bucket, content, create_bucket, delete, find, key, live, put, shutdown,
};
use futures_util::future::join_all;
use openlake_io::{Disk, FaultDisk};
use openlake_store::{CopyObject, Store, StoreError, WriteCondition};

/// What a key may hold: one value when nothing is in doubt.
type Values = Vec<Option<Rc<Vec<u8>>>>;
type Model = BTreeMap<String, Values>;

const WORKERS: u64 = 4;
const KEYS_PER_WORKER: u64 = 5;

fn size(dice: &mut Dice) -> usize {
    match dice.below(6) {
        0 => 0,
        1..=3 => dice.below(60_000) as usize,
        4 => 66_000 + dice.below(200_000) as usize,
        _ => (1 << 20) + dice.below(2 << 20) as usize,
    }
}

async fn multipart_put<D: Disk>(
    store: &Store<D>,
    name: &str,
    bytes: &[u8],
) -> Result<(), StoreError> {
    let upload = multipart::create(store, name).await?;
    let part = multipart::upload(store, name, upload, 3, bytes).await?;
    multipart::complete(store, name, upload, &[part]).await.map(drop)
}

async fn copy<D: Disk>(store: &Store<D>, from: &str, to: &str) -> Result<(), StoreError> {
    let request = CopyObject {
        source_bucket: bucket(),
        source_key: key(from),
        source_etag: None,
        bucket: bucket(),
        key: key(to),
        attributes: None,
        condition: WriteCondition::None,
    };
    store.copy_object(request).await.map(drop)
}

/// Works on keys of its own until the power goes.
async fn work<D: Disk>(store: Store<D>, worker: u64, seed: u64, model: Rc<RefCell<Model>>) {
    let mut dice = Dice::new(seed * 31 + worker);
    loop {
        let name = |number| format!("{worker}/{number}");
        let key = name(dice.below(KEYS_PER_WORKER));
        let bytes = Rc::new(content(dice.next(), size(&mut dice)));
        let source = name(dice.below(KEYS_PER_WORKER));
        let source_value = model.borrow().get(&source).and_then(|values| values[0].clone());
        let kind = dice.below(10);
        let value = match kind {
            0..=1 => None,
            2 if source_value.is_some() => source_value,
            _ => Some(bytes.clone()),
        };
        model.borrow_mut().entry(key.clone()).or_insert_with(|| vec![None]).push(value.clone());
        let result = match kind {
            0..=1 => delete(&store, &key).await.map(drop),
            2 if value.as_ref().is_some_and(|value| !Rc::ptr_eq(value, &bytes)) => {
                copy(&store, &source, &key).await
            }
            3 => multipart_put(&store, &key, &bytes).await,
            _ => put(&store, &key, &bytes).await.map(drop),
        };
        if result.is_err() {
            return;
        }
        model.borrow_mut().insert(key, vec![value]);
    }
}

fn life(
    directory: &Directory,
    disk: &FaultDisk,
    seed: u64,
    model: &Rc<RefCell<Model>>,
) -> FaultDisk {
    let mut dice = Dice::new(seed);
    let shards = 1 + dice.below(3) as u16;
    let operations = dice.below(1500);
    let clean = dice.below(4) == 0;
    live(directory.config(shards), disk.clone(), async |stores| {
        if seed.is_multiple_of(100) {
            create_bucket(&stores[0]).await;
        }
        let known = model.take();
        for (name, values) in known {
            let store = &stores[dice.below(shards.into()) as usize];
            let found = find(store, &name).await.map(Rc::new);
            assert!(values.contains(&found), "seed {seed}: {name} holds what nobody wrote");
            model.borrow_mut().insert(name, vec![found]);
        }
        disk.cut_power_after(operations);
        let workers = (0..WORKERS).map(|worker| {
            let store = stores[worker as usize % stores.len()].clone();
            work(store, worker, seed, model.clone())
        });
        join_all(workers).await;
        if clean {
            // The power is gone already: this must neither hang nor pretend.
            shutdown(&stores).await;
        }
    });
    disk.crash(seed)
}

fn lives(first_seed: u64, count: u64) {
    let directory = Directory::new();
    let mut disk = directory.fault_disk();
    let model = Rc::default();
    for seed in first_seed..first_seed + count {
        disk = life(&directory, &disk, seed, &model);
    }
}

#[test]
fn nothing_acknowledged_is_lost_1() {
    lives(100, 12);
}

#[test]
fn nothing_acknowledged_is_lost_2() {
    lives(200, 12);
}

#[test]
fn nothing_acknowledged_is_lost_3() {
    lives(300, 12);
}
