//! CopyObject: the new object shares the blobs of its source; inline bytes are written again.

use openlake_format::ObjectAttributes;
use openlake_io::Disk;
use openlake_types::{BucketName, ETag, ObjectKey};

use crate::error::StoreError;
use crate::message::{Blocks, ObjectCommit};
use crate::object::{ObjectInfo, WriteCondition};
use crate::ops::get_object::GetObject;
use crate::store::Store;

#[derive(Clone, Debug)]
pub struct CopyObject {
    pub source_bucket: BucketName,
    pub source_key: ObjectKey,
    /// What the caller saw when it checked the source's conditions; another ETag fails them.
    pub source_etag: Option<ETag>,
    pub bucket: BucketName,
    pub key: ObjectKey,
    /// None keeps the source's. ETag and checksum are always the source's.
    pub attributes: Option<ObjectAttributes>,
    pub condition: WriteCondition,
}

impl<D: Disk> Store<D> {
    pub async fn copy_object(&self, request: CopyObject) -> Result<ObjectInfo, StoreError> {
        let source = GetObject { bucket: request.source_bucket, key: request.source_key };
        let found = self.find_object(source).await?;
        let etag = found.info.etag();
        if request.source_etag.is_some_and(|seen| seen != etag) {
            return Err(StoreError::PreconditionFailed);
        }
        let kept = found.info.attributes;
        let checksum = kept.checksum;
        let mut attributes = request.attributes.unwrap_or(kept);
        attributes.etag = etag;
        attributes.checksum = checksum;
        let commit = ObjectCommit {
            bucket: request.bucket,
            key: request.key,
            size: found.info.size,
            content: found.content,
            blocks: Blocks::new(),
            attributes,
            condition: request.condition,
        };
        self.commit_object(commit).await
    }
}
