//! CompleteMultipartUpload: one manifest record makes the object and ends the upload. Repeating it
//! gives the same answer as long as the object it made is the current one.

use openlake_types::{BucketName, Checksum, ETag, ObjectKey, PartNumber, UploadId};

use crate::object::WriteCondition;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedPart {
    pub number: PartNumber,
    pub etag: ETag,
    pub checksum: Option<Checksum>,
}

#[derive(Clone, Debug)]
pub struct CompleteMultipartUpload {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub upload: UploadId,
    /// In ascending order; parts that were uploaded and are not named are dropped.
    pub parts: Vec<CompletedPart>,
    pub condition: WriteCondition,
    /// Of the whole object, when the client sent one.
    pub checksum: Option<Checksum>,
    /// `x-amz-mp-object-size`.
    pub size: Option<u64>,
}
