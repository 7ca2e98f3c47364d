//! UploadPart: the newest part of a number counts; the one it replaces is released.

use openlake_types::{BucketName, Checksum, ETag, ObjectKey, PartNumber, UploadId};

use crate::staging::StagedBody;

pub struct UploadPart {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub upload: UploadId,
    pub number: PartNumber,
    pub body: StagedBody,
    pub etag: ETag,
    pub checksum: Option<Checksum>,
}
