//! CreateMultipartUpload: an id under which parts are collected.

use std::cell::{Cell, RefCell};
use std::hash::{BuildHasher, RandomState};
use std::rc::Rc;

use openlake_format::{ObjectAttributes, RecordType, UploadRecord};
use openlake_io::Disk;
use openlake_types::{BucketName, ChecksumAlgorithm, ChecksumKind, ObjectKey, Timestamp, UploadId};

use crate::error::StoreError;
use crate::index::{Place, Upload};
use crate::journal::{NewRecord, Purpose};
use crate::message::Request;
use crate::placement::group_of;
use crate::store::{Shard, Store};
use crate::wait::Task;

#[derive(Clone, Debug)]
pub struct CreateMultipartUpload {
    pub bucket: BucketName,
    pub key: ObjectKey,
    /// Of the object to be; its ETag and checksum are ignored.
    pub attributes: ObjectAttributes,
    pub checksum: Option<(ChecksumAlgorithm, ChecksumKind)>,
}

impl<D: Disk> Store<D> {
    pub async fn create_multipart_upload(
        &self,
        request: CreateMultipartUpload,
    ) -> Result<UploadId, StoreError> {
        let owner = self.owner(&request.bucket, &request.key);
        if self.is_here(owner) {
            return Task::start(self.0.clone().create_upload(request)).await;
        }
        self.ask(owner, |reply| Request::CreateUpload(Box::new(request), reply)).await
    }
}

impl<D: Disk> Shard<D> {
    pub async fn create_upload(
        self: Rc<Self>,
        request: CreateMultipartUpload,
    ) -> Result<UploadId, StoreError> {
        let bucket = self.buckets.write_to(&request.bucket).await?;
        let initiated = self.deployment.config.clock.now();
        let record = UploadRecord {
            bucket: bucket.id,
            key: request.key,
            upload: self.new_upload_id(initiated),
            initiated,
            checksum: request.checksum,
            attributes: request.attributes,
        };
        let mut payload = Vec::new();
        record.encode(&mut payload);
        let append = NewRecord {
            record_type: RecordType::Upload,
            group: group_of(&request.bucket, &record.key),
            payload: &[&payload],
            purpose: Purpose::Store,
        };
        let place = Place::from(self.journal.append(append).await?);
        self.add_live(place.stride());
        let upload = Upload {
            key: record.key,
            id: record.upload,
            initiated,
            checksum: record.checksum,
            attributes: record.attributes,
            place: Cell::new(place),
            parts: RefCell::default(),
        };
        bucket.add_upload(upload);
        Ok(record.upload)
    }

    /// Milliseconds, then a count, then 64 random bits: ids rise with time and are not guessed.
    fn new_upload_id(&self, initiated: Timestamp) -> UploadId {
        let count = self.uploads_begun.get().wrapping_add(1);
        self.uploads_begun.set(count);
        let random = RandomState::new().hash_one(count);
        let ordered = u128::from(initiated.0) << 16 | u128::from(count & 0xffff);
        UploadId(ordered << 64 | u128::from(random))
    }
}
