//! Finding an open upload, and letting it go.

use std::rc::Rc;

use openlake_io::Disk;
use openlake_types::{ObjectKey, UploadId};

use crate::error::StoreError;
use crate::index::{Bucket, Upload};
use crate::store::Shard;

impl Bucket {
    pub fn find_upload(&self, key: &ObjectKey, id: UploadId) -> Result<Rc<Upload>, StoreError> {
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
