//! DeleteObject: the record first, then the space.

use std::rc::Rc;

use openlake_format::{ObjectDeletion, RecordType};
use openlake_io::Disk;
use openlake_types::{BucketName, ObjectKey};

use crate::error::StoreError;
use crate::journal::{NewRecord, Purpose};
use crate::message::Request;
use crate::object::WriteCondition;
use crate::placement::group_of;
use crate::store::{Shard, Store};
use crate::wait::Task;

#[derive(Clone, Debug)]
pub struct DeleteObject {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub condition: WriteCondition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeleteOutcome {
    pub existed: bool,
}

impl<D: Disk> Store<D> {
    /// A key without object is no error, unless the condition asks for one.
    pub async fn delete_object(&self, request: DeleteObject) -> Result<DeleteOutcome, StoreError> {
        let owner = self.owner(&request.bucket, &request.key);
        if self.is_here(owner) {
            return Task::start(self.0.clone().delete_object(request)).await;
        }
        self.ask(owner, |reply| Request::DeleteObject(request, reply)).await
    }
}

impl<D: Disk> Shard<D> {
    pub async fn delete_object(
        self: Rc<Self>,
        request: DeleteObject,
    ) -> Result<DeleteOutcome, StoreError> {
        self.journal.wait_to_release().await;
        let bucket = self.buckets.write_to(&request.bucket).await?;
        let _turn = self.locks.lock(bucket.id, &request.key).await;
        let object = bucket.object(&request.key);
        request.condition.check(object.as_ref().map(|object| object.etag))?;
        if object.is_none() {
            return Ok(DeleteOutcome { existed: false });
        }
        let group = group_of(&request.bucket, &request.key);
        let record = ObjectDeletion { bucket: bucket.id, key: request.key };
        let mut payload = Vec::new();
        record.encode(&mut payload);
        let append = NewRecord {
            record_type: RecordType::ObjectDeletion,
            group,
            payload: &[&payload],
            purpose: Purpose::Release,
        };
        self.journal.append(append).await?;
        let removed = bucket.objects.borrow_mut().remove(&record.key);
        if let Some(removed) = removed {
            self.discard_object(&removed);
            self.objects.set(self.objects.get() - 1);
        }
        Ok(DeleteOutcome { existed: true })
    }
}
