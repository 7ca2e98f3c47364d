//! PutObject: a staged body becomes the object of a key.

use std::rc::Rc;

use openlake_format::{ObjectAttributes, ObjectRecord, RecordType};
use openlake_io::Disk;
use openlake_types::{BucketName, ObjectKey};

use crate::body::Body;
use crate::error::StoreError;
use crate::index::{Bucket, Object, Place};
use crate::journal::{NewRecord, Purpose};
use crate::message::{Content, ObjectCommit, Request};
use crate::object::{ObjectInfo, WriteCondition};
use crate::placement::group_of;
use crate::staging::StagedBody;
use crate::store::{Shard, Store};
use crate::wait::Task;

pub struct PutObject {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub body: StagedBody,
    pub attributes: ObjectAttributes,
    pub condition: WriteCondition,
}

impl<D: Disk> Store<D> {
    pub async fn put_object(&self, request: PutObject) -> Result<ObjectInfo, StoreError> {
        let commit = ObjectCommit {
            bucket: request.bucket,
            key: request.key,
            size: request.body.size,
            content: request.body.content,
            blocks: request.body.blocks,
            attributes: request.attributes,
            condition: request.condition,
        };
        self.commit_object(commit).await
    }

    pub(crate) async fn commit_object(
        &self,
        commit: ObjectCommit,
    ) -> Result<ObjectInfo, StoreError> {
        let owner = self.owner(&commit.bucket, &commit.key);
        if self.is_here(owner) {
            return Task::start(self.0.clone().commit_object(commit)).await;
        }
        self.ask(owner, |reply| Request::CommitObject(Box::new(commit), reply)).await
    }
}

impl<D: Disk> Shard<D> {
    pub async fn commit_object(
        self: Rc<Self>,
        commit: ObjectCommit,
    ) -> Result<ObjectInfo, StoreError> {
        let bucket = self.buckets.write_to(&commit.bucket).await?;
        let _turn = self.locks.lock(bucket.id, &commit.key).await;
        commit.condition.check(bucket.object(&commit.key).map(|object| object.etag))?;
        let (body, inline) = match commit.content {
            Content::Inline(bytes) => (Body::Inline, Some(bytes)),
            Content::Blob(blob) => (Body::Blob(blob), None),
            Content::Parts(manifest) => (Body::Parts(manifest), None),
        };
        let object = NewObject {
            key: commit.key,
            size: commit.size,
            attributes: commit.attributes,
            body,
            inline: inline.as_deref(),
        };
        let object = self.write_object(&bucket, object).await?;
        if let Some(bytes) = &inline {
            let copy = bytes::Bytes::copy_from_slice(bytes);
            self.cache.insert_inline(object.place.get().inline_place(), copy);
        }
        if let Body::Blob(blob) = &object.body {
            self.keep_blocks(blob.blob().id(), commit.blocks);
        }
        Ok(object.info())
    }

    /// Journals the object and makes it the one of its key. The caller holds the key.
    pub async fn write_object(
        &self,
        bucket: &Bucket,
        new: NewObject<'_>,
    ) -> Result<Rc<Object>, StoreError> {
        let known = bucket.object(&new.key).map(|object| object.last_modified);
        let now = self.deployment.config.clock.now();
        let record = ObjectRecord {
            bucket: bucket.id,
            key: new.key,
            size: new.size,
            last_modified: known.map_or(now, |known| known.max(now)),
            attributes: new.attributes,
            body: new.body.to_record(),
        };
        let mut fields = Vec::with_capacity(512);
        record.encode(&mut fields);
        let payload = [&fields[..], new.inline.unwrap_or_default()];
        let append = NewRecord {
            record_type: RecordType::Object,
            group: group_of(&bucket.info.name, &record.key),
            payload: &payload,
            purpose: Purpose::Store,
        };
        let blobs: Vec<_> = new.body.blobs().cloned().collect();
        let place = self.append_naming(append, blobs.iter()).await?;
        Ok(self.index_object(bucket, place, record, new.body))
    }

    fn index_object(
        &self,
        bucket: &Bucket,
        place: Place,
        record: ObjectRecord,
        body: Body,
    ) -> Rc<Object> {
        let (size, modified) = (record.size, record.last_modified);
        let object = Rc::new(Object::new(place, size, modified, &record.attributes, body));
        self.add_live(place.stride());
        let replaced = bucket.objects.borrow_mut().insert(record.key, object.clone());
        match replaced {
            Some(replaced) => self.discard_object(&replaced),
            None => self.objects.set(self.objects.get() + 1),
        }
        object
    }
}

/// An object that is about to be journalled.
pub(crate) struct NewObject<'a> {
    pub key: ObjectKey,
    pub size: u64,
    pub attributes: ObjectAttributes,
    pub body: Body,
    pub inline: Option<&'a [u8]>,
}
