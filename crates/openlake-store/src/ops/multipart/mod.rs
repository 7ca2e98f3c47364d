//! Multipart uploads: each part is a blob, completion is one record, nothing is copied.

mod abort_multipart_upload;
mod complete_multipart_upload;
mod create_multipart_upload;
mod list_multipart_uploads;
mod list_parts;
mod upload_part;

pub use abort_multipart_upload::AbortMultipartUpload;
pub use complete_multipart_upload::{CompleteMultipartUpload, CompletedPart};
pub use create_multipart_upload::CreateMultipartUpload;
pub use list_multipart_uploads::{
    ListMultipartUploads, ListedUpload, UploadListPage, UploadListPosition,
};
pub(crate) use list_multipart_uploads::{UploadListSlice, UploadSlice};
pub use list_parts::{ListParts, PartsPage};
pub use upload_part::UploadPart;

use std::rc::Rc;

use openlake_io::Disk;
use openlake_types::{ObjectKey, UploadId};

use crate::error::StoreError;
use crate::index::{Bucket, Upload};
use crate::store::Shard;

impl Bucket {
    pub(crate) fn find_upload(
        &self,
        key: &ObjectKey,
        id: UploadId,
    ) -> Result<Rc<Upload>, StoreError> {
        self.upload(key, id).ok_or(StoreError::NoSuchUpload)
    }
}

impl<D: Disk> Shard<D> {
    /// The records of the upload and of its parts do not count any more.
    pub fn discard_upload(&self, upload: &Upload) {
        self.remove_live(upload.stride());
        for part in upload.parts.borrow().values() {
            part.part.blob.iter().for_each(|blob| self.discard_blob(blob));
        }
    }
}
