//! The table of buckets, the same on every shard.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use openlake_types::BucketName;

use super::bucket::Bucket;
use crate::error::StoreError;
use crate::ops::buckets::BucketInfo;

#[derive(Default)]
pub struct Buckets {
    by_name: RefCell<BTreeMap<BucketName, Rc<Bucket>>>,
    by_id: RefCell<HashMap<u64, Rc<Bucket>>>,
}

/// Keeps a bucket from being deleted while something is committed to it.
pub struct Writing(Rc<Bucket>);

impl Buckets {
    pub fn insert(&self, bucket: Rc<Bucket>) {
        self.by_id.borrow_mut().insert(bucket.id, bucket.clone());
        self.by_name.borrow_mut().insert(bucket.info.name.clone(), bucket);
    }

    pub fn remove(&self, id: u64) -> Option<Rc<Bucket>> {
        let bucket = self.by_id.borrow_mut().remove(&id)?;
        self.by_name.borrow_mut().remove(&bucket.info.name);
        Some(bucket)
    }

    pub fn get(&self, name: &BucketName) -> Option<Rc<Bucket>> {
        self.by_name.borrow().get(name).cloned()
    }

    pub fn find(&self, name: &BucketName) -> Result<Rc<Bucket>, StoreError> {
        self.get(name).ok_or(StoreError::NoSuchBucket)
    }

    pub fn by_id(&self, id: u64) -> Option<Rc<Bucket>> {
        self.by_id.borrow().get(&id).cloned()
    }

    pub fn infos(&self) -> Vec<BucketInfo> {
        self.by_name.borrow().values().map(|bucket| bucket.info.clone()).collect()
    }

    pub fn all(&self) -> Vec<Rc<Bucket>> {
        self.by_name.borrow().values().cloned().collect()
    }

    /// Waits while a deletion of the bucket is being decided.
    pub async fn write_to(&self, name: &BucketName) -> Result<Writing, StoreError> {
        let bucket = self.find(name)?;
        let decided = || (bucket.deleted.get() || !bucket.closing.get()).then_some(());
        bucket.changed.wait_for(decided).await;
        if bucket.deleted.get() {
            return Err(StoreError::NoSuchBucket);
        }
        bucket.writers.set(bucket.writers.get() + 1);
        Ok(Writing(bucket))
    }
}

impl std::ops::Deref for Writing {
    type Target = Rc<Bucket>;

    fn deref(&self) -> &Rc<Bucket> {
        &self.0
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.writers.set(self.0.writers.get() - 1);
        self.0.changed.notify();
    }
}
