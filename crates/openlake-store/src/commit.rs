//! What all commits share: a record that names blobs, and what becomes of them when it fails or
//! does not count any more.

use openlake_io::Disk;
use openlake_types::BlobId;

use crate::body::{BlobRef, Body};
use crate::cache::InlinePlace;
use crate::error::StoreError;
use crate::index::{Object, Place};
use crate::journal::{NewRecord, RECORD_BYTES_MAX};
use crate::message::Blocks;
use crate::store::Shard;

impl Place {
    pub const fn inline_place(&self) -> InlinePlace {
        InlinePlace { segment: self.location.segment, offset: self.location.offset }
    }
}

impl<D: Disk> Shard<D> {
    /// Appends a record that names these blobs. When it certainly is not on disk they are not
    /// named; when that is not known they stay, until the next start finds out.
    pub async fn append_naming<'a>(
        &self,
        record: NewRecord<'_>,
        blobs: impl Iterator<Item = &'a BlobRef> + Clone,
    ) -> Result<Place, StoreError> {
        if record.bytes() > RECORD_BYTES_MAX {
            let what = format!("a record of {} bytes fits no batch", record.bytes());
            return Err(std::io::Error::other(what).into());
        }
        self.journal.admit(record.purpose)?;
        blobs.clone().for_each(BlobRef::name);
        match self.journal.append(record).await {
            Ok(appended) => Ok(appended.into()),
            Err(error) => {
                if !matches!(error, StoreError::Poisoned) {
                    blobs.for_each(BlobRef::unname);
                }
                Err(error)
            }
        }
    }

    pub fn keep_blocks(&self, blob: BlobId, blocks: Blocks) {
        for (number, buffer) in blocks {
            self.cache.insert_block(blob, number, buffer);
        }
    }

    /// The record of this object does not count any more.
    pub fn discard_object(&self, object: &Object) {
        let place = object.place.get();
        self.remove_live(place.stride());
        if matches!(object.body, Body::Inline) {
            self.cache.remove_inline(place.inline_place());
        }
        object.body.blobs().for_each(|blob| self.discard_blob(blob));
    }

    pub fn discard_blob(&self, blob: &BlobRef) {
        blob.unname();
        if !blob.is_named() {
            self.cache.remove_blob(blob.blob().id(), blob.blob().length());
        }
    }
}
