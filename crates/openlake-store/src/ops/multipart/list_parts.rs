//! ListParts: the parts of an upload in order of their numbers.

use std::ops::Bound;

use openlake_format::ObjectAttributes;
use openlake_io::Disk;
use openlake_types::{
    BucketName, ChecksumAlgorithm, ChecksumKind, ObjectKey, PartNumber, Timestamp, UploadId,
};

use crate::error::StoreError;
use crate::message::Request;
use crate::object::PartInfo;
use crate::store::{Shard, Store};

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

impl<D: Disk> Store<D> {
    pub async fn list_parts(&self, request: ListParts) -> Result<PartsPage, StoreError> {
        let owner = self.owner(&request.bucket, &request.key);
        if self.is_here(owner) {
            return self.0.list_parts(&request);
        }
        self.ask(owner, |reply| Request::ListParts(request, reply)).await.map(|page| *page)
    }
}

impl<D: Disk> Shard<D> {
    pub fn list_parts(&self, request: &ListParts) -> Result<PartsPage, StoreError> {
        let bucket = self.buckets.find(&request.bucket)?;
        let upload = bucket.find_upload(&request.key, request.upload)?;
        let parts = upload.parts.borrow();
        let from = request.after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut rest = parts.range((from, Bound::Unbounded));
        let page = rest.by_ref().take(request.max_parts).map(|(_, part)| part.info()).collect();
        Ok(PartsPage {
            initiated: upload.initiated,
            checksum: upload.checksum,
            attributes: upload.attributes.clone(),
            parts: page,
            is_truncated: rest.next().is_some(),
        })
    }
}
