//! CopyObject: the new object shares the blobs of its source; inline bytes are written again.

use openlake_format::ObjectAttributes;
use openlake_types::{BucketName, ETag, ObjectKey};

use crate::object::WriteCondition;

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
