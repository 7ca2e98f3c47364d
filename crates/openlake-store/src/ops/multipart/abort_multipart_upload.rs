//! AbortMultipartUpload: the upload ends, its parts' space returns.

use openlake_types::{BucketName, ObjectKey, UploadId};

#[derive(Clone, Debug)]
pub struct AbortMultipartUpload {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub upload: UploadId,
}
