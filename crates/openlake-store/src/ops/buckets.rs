//! Buckets: made and deleted on shard 0, known to every shard before the call returns.

use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

use bytes::Bytes;
use openlake_format::{BucketDeletion, BucketRecord, RecordType};
use openlake_io::Disk;
use openlake_types::{BucketName, ObjectKey, Timestamp};

use crate::error::StoreError;
use crate::index::{Bucket, Place};
use crate::journal::{NewRecord, Purpose};
use crate::message::Request;
use crate::placement::SYSTEM_GROUP;
use crate::store::{SYSTEM_SHARD, Shard, Store};
use crate::wait::KeyGuard;
use crate::wait::Task;

#[derive(Clone, Debug)]
pub struct CreateBucket {
    pub name: BucketName,
    pub owner: String,
    /// Opaque to the engine.
    pub config: Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketInfo {
    pub name: BucketName,
    pub owner: String,
    pub created: Timestamp,
    pub config: Bytes,
}

impl From<BucketRecord> for BucketInfo {
    fn from(record: BucketRecord) -> Self {
        Self {
            name: record.name,
            owner: record.owner,
            created: record.created,
            config: record.config,
        }
    }
}

/// Identities start at 1, so locks on bucket names never meet those on keys.
const BUCKET_NAMES: u64 = 0;

impl<D: Disk> Store<D> {
    pub async fn create_bucket(&self, request: CreateBucket) -> Result<BucketInfo, StoreError> {
        if self.is_here(SYSTEM_SHARD) {
            return Task::start(self.0.clone().create_bucket(request)).await;
        }
        self.ask(SYSTEM_SHARD, |reply| Request::CreateBucket(request, reply)).await
    }

    /// Refused while there are objects; open uploads are aborted with it.
    pub async fn delete_bucket(&self, name: BucketName) -> Result<(), StoreError> {
        if self.is_here(SYSTEM_SHARD) {
            return Task::start(self.0.clone().delete_bucket(name)).await;
        }
        self.ask(SYSTEM_SHARD, |reply| Request::DeleteBucket(name, reply)).await
    }

    pub fn bucket(&self, name: &BucketName) -> Option<BucketInfo> {
        self.0.buckets.get(name).map(|bucket| bucket.info.clone())
    }

    pub fn has_bucket(&self, name: &BucketName) -> bool {
        self.0.buckets.get(name).is_some()
    }

    /// In order of their names.
    pub fn list_buckets(&self) -> Vec<BucketInfo> {
        self.0.buckets.infos()
    }
}

impl<D: Disk> Shard<D> {
    pub async fn create_bucket(
        self: Rc<Self>,
        request: CreateBucket,
    ) -> Result<BucketInfo, StoreError> {
        let _turn = self.lock_bucket_name(&request.name).await;
        if let Some(bucket) = self.buckets.get(&request.name) {
            return Err(StoreError::BucketExists { owner: bucket.info.owner.clone() });
        }
        let record = BucketRecord {
            bucket: self.new_bucket_id(),
            name: request.name,
            owner: request.owner,
            created: self.deployment.config.clock.now(),
            config: request.config,
        };
        let mut payload = Vec::new();
        record.encode(&mut payload);
        let append = NewRecord {
            record_type: RecordType::Bucket,
            group: SYSTEM_GROUP,
            payload: &[&payload],
            purpose: Purpose::Store,
        };
        let place = Place::from(self.journal.append(append).await?);
        self.add_live(place.stride());
        self.system.buckets.borrow_mut().insert(record.bucket, place);
        self.tell_all(|reply| Request::PublishBucket(record.clone(), reply)).await?;
        Ok(record.into())
    }

    /// Who holds this decides whether the bucket is there.
    pub async fn lock_bucket_name(&self, name: &BucketName) -> KeyGuard {
        let name = ObjectKey::new(name.as_str().to_owned()).expect("a bucket name is a valid key");
        self.locks.lock(BUCKET_NAMES, &name).await
    }

    /// Random, so that none is ever given twice.
    fn new_bucket_id(&self) -> u64 {
        loop {
            let id = RandomState::new().hash_one(self.journal.next_sequence());
            if id != BUCKET_NAMES && self.buckets.by_id(id).is_none() {
                return id;
            }
        }
    }

    pub fn publish_bucket(&self, record: BucketRecord) {
        let id = record.bucket;
        self.buckets.insert(Rc::new(Bucket::new(id, record.into())));
    }

    pub async fn delete_bucket(self: Rc<Self>, name: BucketName) -> Result<(), StoreError> {
        self.journal.wait_to_release().await;
        let _turn = self.lock_bucket_name(&name).await;
        let id = self.buckets.find(&name)?.id;
        let empty = self.tell_all(|reply| Request::CloseBucket(id, reply)).await?;
        let outcome = if empty.into_iter().all(|empty| empty) {
            self.append_bucket_deletion(id).await
        } else {
            Err(StoreError::BucketNotEmpty)
        };
        let deleted = outcome.is_ok();
        self.tell_all(|reply| Request::DecideBucket(id, deleted, reply)).await?;
        outcome
    }

    async fn append_bucket_deletion(&self, id: u64) -> Result<(), StoreError> {
        let mut payload = Vec::new();
        BucketDeletion { bucket: id }.encode(&mut payload);
        let append = NewRecord {
            record_type: RecordType::BucketDeletion,
            group: SYSTEM_GROUP,
            payload: &[&payload],
            purpose: Purpose::Release,
        };
        self.journal.append(append).await?;
        if let Some(place) = self.system.buckets.borrow_mut().remove(&id) {
            self.remove_live(place.stride());
        }
        Ok(())
    }

    /// Holds writers back, waits for those under way, and says whether there is no object.
    pub async fn close_bucket(self: Rc<Self>, id: u64) -> Result<bool, StoreError> {
        let bucket = self.buckets.by_id(id).ok_or(StoreError::NoSuchBucket)?;
        bucket.closing.set(true);
        bucket.changed.wait_for(|| (bucket.writers.get() == 0).then_some(())).await;
        Ok(bucket.objects.borrow().is_empty())
    }

    pub fn decide_bucket(&self, id: u64, deleted: bool) {
        let Some(bucket) = self.buckets.by_id(id) else { return };
        bucket.deleted.set(deleted);
        bucket.closing.set(false);
        if deleted {
            self.buckets.remove(id);
            for upload in std::mem::take(&mut *bucket.uploads.borrow_mut()).into_values() {
                self.discard_upload(&upload);
            }
        }
        bucket.changed.notify();
    }
}
