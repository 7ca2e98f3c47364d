//! CreateMultipartUpload: an id under which parts are collected.

use openlake_format::ObjectAttributes;
use openlake_types::{BucketName, ChecksumAlgorithm, ChecksumKind, ObjectKey};

#[derive(Clone, Debug)]
pub struct CreateMultipartUpload {
    pub bucket: BucketName,
    pub key: ObjectKey,
    /// Of the object to be; its ETag and checksum are ignored.
    pub attributes: ObjectAttributes,
    pub checksum: Option<(ChecksumAlgorithm, ChecksumKind)>,
}
