//! AbortMultipartUpload: the upload ends, its parts' space returns.

use std::rc::Rc;

use openlake_format::{RecordType, UploadEnd};
use openlake_io::Disk;
use openlake_types::{BucketName, ObjectKey, UploadId};

use crate::error::StoreError;
use crate::journal::{NewRecord, Purpose};
use crate::message::Request;
use crate::placement::group_of;
use crate::store::{Shard, Store};
use crate::wait::Task;

#[derive(Clone, Debug)]
pub struct AbortMultipartUpload {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub upload: UploadId,
}

impl<D: Disk> Store<D> {
    pub async fn abort_multipart_upload(
        &self,
        request: AbortMultipartUpload,
    ) -> Result<(), StoreError> {
        let owner = self.owner(&request.bucket, &request.key);
        if self.is_here(owner) {
            return Task::start(self.0.clone().abort_upload(request)).await;
        }
        self.ask(owner, |reply| Request::AbortUpload(request, reply)).await
    }
}

impl<D: Disk> Shard<D> {
    pub async fn abort_upload(
        self: Rc<Self>,
        request: AbortMultipartUpload,
    ) -> Result<(), StoreError> {
        self.journal.wait_to_release().await;
        let bucket = self.buckets.write_to(&request.bucket).await?;
        let _turn = self.locks.lock(bucket.id, &request.key).await;
        let upload = bucket.find_upload(&request.key, request.upload)?;
        let mut payload = Vec::new();
        UploadEnd { bucket: bucket.id, upload: upload.id }.encode(&mut payload);
        let append = NewRecord {
            record_type: RecordType::UploadEnd,
            group: group_of(&request.bucket, &request.key),
            payload: &[&payload],
            purpose: Purpose::Release,
        };
        self.journal.append(append).await?;
        bucket.remove_upload(&upload);
        self.discard_upload(&upload);
        Ok(())
    }
}
