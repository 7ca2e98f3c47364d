//! UploadPart: the newest part of a number counts; the one it replaces is released.

use std::cell::Cell;
use std::rc::Rc;

use openlake_format::{PartRecord, RecordType};
use openlake_io::Disk;
use openlake_types::{BucketName, Checksum, ETag, ObjectKey, PartNumber, UploadId};

use crate::body::StoredPart;
use crate::error::StoreError;
use crate::index::UploadedPart;
use crate::journal::{NewRecord, Purpose};
use crate::message::{PartCommit, Request};
use crate::object::PartInfo;
use crate::placement::group_of;
use crate::staging::StagedBody;
use crate::store::{Shard, Store};
use crate::wait::Task;

pub struct UploadPart {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub upload: UploadId,
    pub number: PartNumber,
    pub body: StagedBody,
    pub etag: ETag,
    pub checksum: Option<Checksum>,
}

impl<D: Disk> Store<D> {
    pub async fn upload_part(&self, request: UploadPart) -> Result<PartInfo, StoreError> {
        let owner = self.owner(&request.bucket, &request.key);
        let group = group_of(&request.bucket, &request.key);
        let size = request.body.size;
        let (blob, blocks) = self.0.to_blob(request.body, group).await?;
        let part = StoredPart {
            number: request.number,
            size,
            etag: request.etag,
            checksum: request.checksum,
            blob,
        };
        let (bucket, key, upload) = (request.bucket, request.key, request.upload);
        let commit = PartCommit { bucket, key, upload, part, blocks };
        if self.is_here(owner) {
            return Task::start(self.0.clone().commit_part(commit)).await;
        }
        self.ask(owner, |reply| Request::CommitPart(Box::new(commit), reply)).await
    }
}

impl<D: Disk> Shard<D> {
    pub async fn commit_part(self: Rc<Self>, commit: PartCommit) -> Result<PartInfo, StoreError> {
        let bucket = self.buckets.write_to(&commit.bucket).await?;
        let _turn = self.locks.lock(bucket.id, &commit.key).await;
        let upload = bucket.find_upload(&commit.key, commit.upload)?;
        let record = PartRecord {
            bucket: bucket.id,
            upload: upload.id,
            last_modified: self.deployment.config.clock.now(),
            part: commit.part.to_record(),
        };
        let mut payload = Vec::new();
        record.encode(&mut payload);
        let append = NewRecord {
            record_type: RecordType::Part,
            group: group_of(&commit.bucket, &commit.key),
            payload: &[&payload],
            purpose: Purpose::Store,
        };
        let place = self.append_naming(append, commit.part.blob.iter()).await?;
        self.add_live(place.stride());
        if let Some(blob) = &commit.part.blob {
            self.keep_blocks(blob.blob().id(), commit.blocks);
        }
        let uploaded = Rc::new(UploadedPart {
            part: commit.part,
            last_modified: record.last_modified,
            place: Cell::new(place),
        });
        let info = uploaded.info();
        let replaced = upload.parts.borrow_mut().insert(info.number, uploaded);
        if let Some(replaced) = replaced {
            self.remove_live(replaced.place.get().stride());
            replaced.part.blob.iter().for_each(|blob| self.discard_blob(blob));
        }
        Ok(info)
    }
}
