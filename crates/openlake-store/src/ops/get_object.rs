//! GetObject: the facts of an object at once, its bytes on demand.

use std::rc::Rc;

use bytes::Bytes;
use openlake_io::{Buffer, Disk};
use openlake_types::{BucketName, ObjectKey};

use crate::body::Body;
use crate::error::StoreError;
use crate::index::Object;
use crate::message::{Content, Found, Request};
use crate::object::ObjectInfo;
use crate::object_reader::ObjectHandle;
use crate::store::{Shard, Store};

/// Conditions and ranges are the caller's: it sees the facts before it asks for bytes.
#[derive(Clone, Debug)]
pub struct GetObject {
    pub bucket: BucketName,
    pub key: ObjectKey,
}

impl<D: Disk> Store<D> {
    /// The object as it is now; what the handle reads does not change with the key.
    pub async fn get_object(&self, request: GetObject) -> Result<ObjectHandle<D>, StoreError> {
        let owner = self.owner(&request.bucket, &request.key);
        let found = self.find_object(request).await?;
        Ok(ObjectHandle::new(self.clone(), owner, found))
    }

    pub(crate) async fn find_object(&self, request: GetObject) -> Result<Found, StoreError> {
        let owner = self.owner(&request.bucket, &request.key);
        if self.is_here(owner) {
            return self.0.find_object(&request).await;
        }
        self.ask(owner, |reply| Request::FindObject(request, reply)).await.map(|found| *found)
    }

    pub async fn head_object(&self, request: GetObject) -> Result<ObjectInfo, StoreError> {
        let owner = self.owner(&request.bucket, &request.key);
        if self.is_here(owner) {
            return self.0.head_object(&request);
        }
        self.ask(owner, |reply| Request::HeadObject(request, reply)).await.map(|info| *info)
    }
}

impl<D: Disk> Shard<D> {
    fn current(&self, request: &GetObject) -> Result<Rc<Object>, StoreError> {
        let bucket = self.buckets.find(&request.bucket)?;
        bucket.object(&request.key).ok_or(StoreError::NoSuchKey)
    }

    pub fn head_object(&self, request: &GetObject) -> Result<ObjectInfo, StoreError> {
        self.current(request).map(|object| object.info())
    }

    pub async fn find_object(&self, request: &GetObject) -> Result<Found, StoreError> {
        let object = self.current(request)?;
        let content = match self.content_in_memory(&object) {
            Some(content) => content,
            None => Content::Inline(self.read_inline(&object).await?),
        };
        Ok(Found { info: object.info(), content })
    }

    /// What can be answered without the drive; `None`: ask `find_object`.
    pub fn find_in_memory(&self, request: &GetObject) -> Option<Result<Found, StoreError>> {
        let found = self.current(request).map(|object| {
            let content = self.content_in_memory(&object)?;
            Some(Found { info: object.info(), content })
        });
        found.transpose()
    }

    fn content_in_memory(&self, object: &Object) -> Option<Content> {
        match &object.body {
            Body::Inline => {
                let cached = self.cache.inline(object.place.get().inline_place());
                cached.map(|bytes| Content::Inline(Buffer::from(bytes)))
            }
            Body::Blob(blob) => Some(Content::Blob(blob.clone())),
            Body::Parts(manifest) => Some(Content::Parts(manifest.clone())),
        }
    }

    async fn read_inline(&self, object: &Object) -> Result<Buffer, StoreError> {
        let place = object.place.get();
        let payload = self.journal.read(place.location, place.sequence).await?;
        let start = payload.len() - object.size as usize;
        let bytes = Bytes::copy_from_slice(&payload[start..]);
        if object.place.get() == place {
            self.cache.insert_inline(place.inline_place(), bytes.clone());
        }
        Ok(Buffer::from(bytes))
    }
}
