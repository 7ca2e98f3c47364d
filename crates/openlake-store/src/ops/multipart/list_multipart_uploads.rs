//! ListMultipartUploads: open uploads by key, then by age.

use bytes::Bytes;
use openlake_io::Disk;
use openlake_types::{
    BucketName, ChecksumAlgorithm, ChecksumKind, ObjectKey, ShardIndex, Timestamp, UploadId,
};

use crate::error::StoreError;
use crate::index::Upload;
use crate::message::Request;
use crate::ops::merge::{Line, Slice, common_prefix, merge};
use crate::store::{Shard, Store};

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

/// What one shard is asked for.
#[derive(Clone)]
pub struct UploadListSlice {
    pub request: ListMultipartUploads,
    pub count: usize,
}

#[derive(Clone)]
pub enum UploadLine {
    Upload(ListedUpload),
    CommonPrefix(Bytes),
}

pub type UploadSlice = Slice<UploadLine>;

impl Line for UploadLine {
    type Position = UploadListPosition;

    fn order(&self) -> (&[u8], u128) {
        match self {
            Self::Upload(listed) => (listed.key.as_bytes(), listed.upload.0),
            Self::CommonPrefix(prefix) => (prefix, 0),
        }
    }

    fn common_prefix(&self) -> Option<&Bytes> {
        match self {
            Self::Upload(_) => None,
            Self::CommonPrefix(prefix) => Some(prefix),
        }
    }

    fn position(&self) -> UploadListPosition {
        match self {
            Self::Upload(listed) => {
                let key = Bytes::copy_from_slice(listed.key.as_bytes());
                UploadListPosition::Upload(key, listed.upload)
            }
            Self::CommonPrefix(prefix) => UploadListPosition::CommonPrefix(prefix.clone()),
        }
    }
}

impl<D: Disk> Store<D> {
    pub async fn list_multipart_uploads(
        &self,
        request: ListMultipartUploads,
    ) -> Result<UploadListPage, StoreError> {
        self.0.buckets.find(&request.bucket)?;
        if request.max_uploads == 0 {
            return Ok(UploadListPage::default());
        }
        let (count, after) = (request.max_uploads, request.after.clone());
        let fetch = |shard: ShardIndex, after: Option<UploadListPosition>, count: usize| {
            let request = ListMultipartUploads { after, ..request.clone() };
            let slice = UploadListSlice { request, count };
            async move {
                if self.is_here(shard) {
                    return self.0.upload_slice(&slice);
                }
                self.ask(shard, |reply| Request::ListUploads(slice, reply)).await
            }
        };
        let (lines, has_more) = merge(self.0.all_shards(), after, count, fetch).await?;
        let next = lines.last().filter(|_| has_more).map(Line::position);
        let mut page = UploadListPage { next, ..UploadListPage::default() };
        for line in lines {
            match line {
                UploadLine::Upload(upload) => page.uploads.push(upload),
                UploadLine::CommonPrefix(prefix) => page.common_prefixes.push(prefix),
            }
        }
        Ok(page)
    }
}

impl UploadListPosition {
    fn is_before(&self, upload: &Upload) -> bool {
        let key = upload.key.as_bytes();
        match self {
            Self::Key(after) => key > &after[..],
            Self::Upload(after, id) => (key, upload.id) > (&after[..], *id),
            Self::CommonPrefix(common) => key > &common[..] && !key.starts_with(common),
        }
    }
}

impl<D: Disk> Shard<D> {
    /// Open uploads are few, so those before the position are passed one by one.
    pub fn upload_slice(&self, slice: &UploadListSlice) -> Result<UploadSlice, StoreError> {
        let request = &slice.request;
        let bucket = self.buckets.find(&request.bucket)?;
        let uploads = bucket.uploads.borrow();
        let mut lines: Vec<UploadLine> = Vec::new();
        for upload in uploads.values() {
            let key = upload.key.as_bytes();
            let after = request.after.as_ref().is_none_or(|after| after.is_before(upload));
            if !after || !key.starts_with(&request.prefix) {
                continue;
            }
            let common = common_prefix(key, &request.prefix, request.delimiter.as_ref());
            let seen = lines.last().and_then(Line::common_prefix);
            if common.is_some() && seen.map(|seen| &seen[..]) == common {
                continue;
            }
            if lines.len() == slice.count {
                return Ok(Slice { lines, is_last: false });
            }
            lines.push(match common {
                Some(common) => UploadLine::CommonPrefix(Bytes::copy_from_slice(common)),
                None => UploadLine::Upload(ListedUpload {
                    key: upload.key.clone(),
                    upload: upload.id,
                    initiated: upload.initiated,
                    checksum: upload.checksum,
                }),
            });
        }
        Ok(Slice { lines, is_last: true })
    }
}
