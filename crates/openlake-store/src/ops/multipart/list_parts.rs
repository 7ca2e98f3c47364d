//! ListParts: the parts of an upload in order of their numbers.

use openlake_format::ObjectAttributes;
use openlake_types::{
    BucketName, ChecksumAlgorithm, ChecksumKind, ObjectKey, PartNumber, Timestamp, UploadId,
};

use crate::object::PartInfo;

#[derive(Clone, Debug)]
pub struct ListParts {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub upload: UploadId,
    pub after: Option<PartNumber>,
    pub max_parts: usize,
}

#[derive(Clone, Debug)]
pub struct PartsPage {
    pub initiated: Timestamp,
    pub checksum: Option<(ChecksumAlgorithm, ChecksumKind)>,
    pub attributes: ObjectAttributes,
    pub parts: Vec<PartInfo>,
    pub is_truncated: bool,
}
