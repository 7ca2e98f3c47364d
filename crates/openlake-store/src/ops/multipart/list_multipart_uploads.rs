//! ListMultipartUploads: open uploads by key, then by age.

use bytes::Bytes;
use openlake_types::{BucketName, ChecksumAlgorithm, ChecksumKind, ObjectKey, Timestamp, UploadId};

/// Where a page begins: strictly after this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UploadListPosition {
    /// After all uploads of this key.
    Key(Bytes),
    /// After this upload of this key.
    Upload(Bytes, UploadId),
    /// After every key that starts with these bytes.
    CommonPrefix(Bytes),
}

#[derive(Clone, Debug)]
pub struct ListMultipartUploads {
    pub bucket: BucketName,
    pub prefix: Bytes,
    /// None or not empty.
    pub delimiter: Option<Bytes>,
    pub after: Option<UploadListPosition>,
    /// Uploads and common prefixes together.
    pub max_uploads: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUpload {
    pub key: ObjectKey,
    /// Ids rise with time, so their order is the order of initiation.
    pub upload: UploadId,
    pub initiated: Timestamp,
    pub checksum: Option<(ChecksumAlgorithm, ChecksumKind)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UploadListPage {
    pub uploads: Vec<ListedUpload>,
    pub common_prefixes: Vec<Bytes>,
    /// Set exactly when there is more.
    pub next: Option<UploadListPosition>,
}
