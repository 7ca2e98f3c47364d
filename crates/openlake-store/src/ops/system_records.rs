//! Records of the control plane, durable and opaque; shard 0 keeps them.

use std::rc::Rc;

use bytes::Bytes;
use openlake_format::{RecordType, SystemDeletion, SystemRecord};
use openlake_io::Disk;
use openlake_types::ObjectKey;

use crate::error::StoreError;
use crate::index::Place;
use crate::journal::{NewRecord, Purpose};
use crate::message::Request;
use crate::placement::SYSTEM_GROUP;
use crate::store::{SYSTEM_SHARD, Shard, Store};
use crate::wait::Task;

/// A kind, a name or a value of more than this is refused.
pub const SYSTEM_NAME_BYTES_MAX: usize = 512;
pub const SYSTEM_VALUE_BYTES_MAX: usize = 512 << 10;

impl<D: Disk> Store<D> {
    pub async fn put_system_record(
        &self,
        kind: &str,
        name: &str,
        value: Bytes,
    ) -> Result<(), StoreError> {
        let (kind, name) = (kind.to_owned(), name.to_owned());
        if self.is_here(SYSTEM_SHARD) {
            return Task::start(self.0.clone().put_system_record(kind, name, value)).await;
        }
        let request = |reply| Request::PutSystemRecord(kind, name, value, reply);
        self.ask(SYSTEM_SHARD, request).await
    }

    /// Whether there was one.
    pub async fn delete_system_record(&self, kind: &str, name: &str) -> Result<bool, StoreError> {
        let (kind, name) = (kind.to_owned(), name.to_owned());
        if self.is_here(SYSTEM_SHARD) {
            return Task::start(self.0.clone().delete_system_record(kind, name)).await;
        }
        self.ask(SYSTEM_SHARD, |reply| Request::DeleteSystemRecord(kind, name, reply)).await
    }

    /// Names and values of a kind, in order of the names.
    pub async fn list_system_records(
        &self,
        kind: &str,
    ) -> Result<Vec<(String, Bytes)>, StoreError> {
        if self.is_here(SYSTEM_SHARD) {
            return Ok(self.0.system_records(kind));
        }
        let request = |reply| Request::ListSystemRecords(kind.to_owned(), reply);
        self.ask(SYSTEM_SHARD, request).await
    }
}

/// One lock for all of them: they are few and seldom written.
fn lock_name() -> ObjectKey {
    ObjectKey::new("system records").expect("a valid key")
}

const SYSTEM_RECORDS: u64 = 0;

impl<D: Disk> Shard<D> {
    pub async fn put_system_record(
        self: Rc<Self>,
        kind: String,
        name: String,
        value: Bytes,
    ) -> Result<(), StoreError> {
        let long = kind.len().max(name.len()) > SYSTEM_NAME_BYTES_MAX;
        if long || value.len() > SYSTEM_VALUE_BYTES_MAX {
            return Err(std::io::Error::other("the system record is too large").into());
        }
        let _turn = self.locks.lock(SYSTEM_RECORDS, &lock_name()).await;
        let record = SystemRecord { kind, name, value };
        let mut payload = Vec::new();
        record.encode(&mut payload);
        let place = self.append_system(RecordType::System, &payload, Purpose::Store).await?;
        self.add_live(place.stride());
        let names = (record.kind, record.name);
        let replaced = self.system.records.borrow_mut().insert(names, (place, record.value));
        if let Some((replaced, _)) = replaced {
            self.remove_live(replaced.stride());
        }
        Ok(())
    }

    pub async fn delete_system_record(
        self: Rc<Self>,
        kind: String,
        name: String,
    ) -> Result<bool, StoreError> {
        self.journal.wait_to_release().await;
        let _turn = self.locks.lock(SYSTEM_RECORDS, &lock_name()).await;
        let names = (kind.clone(), name.clone());
        if !self.system.records.borrow().contains_key(&names) {
            return Ok(false);
        }
        let mut payload = Vec::new();
        SystemDeletion { kind, name }.encode(&mut payload);
        self.append_system(RecordType::SystemDeletion, &payload, Purpose::Release).await?;
        if let Some((place, _)) = self.system.records.borrow_mut().remove(&names) {
            self.remove_live(place.stride());
        }
        Ok(true)
    }

    async fn append_system(
        &self,
        record_type: RecordType,
        payload: &[u8],
        purpose: Purpose,
    ) -> Result<Place, StoreError> {
        let payload = [payload];
        let record = NewRecord { record_type, group: SYSTEM_GROUP, payload: &payload, purpose };
        self.journal.append(record).await.map(Place::from)
    }

    /// Who holds this may move a system record.
    pub async fn lock_system(&self) -> crate::wait::KeyGuard {
        self.locks.lock(SYSTEM_RECORDS, &lock_name()).await
    }

    pub fn system_records(&self, kind: &str) -> Vec<(String, Bytes)> {
        let records = self.system.records.borrow();
        let from = (kind.to_owned(), String::new());
        let of_kind = records.range(from..).take_while(|((found, _), _)| found == kind);
        of_kind.map(|((_, name), (_, value))| (name.clone(), value.clone())).collect()
    }
}
