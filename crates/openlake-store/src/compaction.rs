//! Taking space back from the journal: the records of the oldest segment that still count are
//! written again, then the segment is free.
//!
//! Oldest first makes deletions simple: when the segment of a deletion is the oldest, whatever it
//! deleted is gone from the drive, so the deletion may go too. Segments of earlier layouts come
//! before any own one, and are freed by age when every shard has rewritten its share.

use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use openlake_format::{
    BucketRecord, DecodeError, ObjectRecord, PartRecord, RecordType, SystemRecord, UploadRecord,
};
use openlake_io::Disk;
use openlake_io::runtime::sleep;

use crate::error::StoreError;
use crate::index::Place;
use crate::journal::{NewRecord, Purpose, RecordView, Segment, SegmentReader};
use crate::store::{SYSTEM_SHARD, Shard};

/// Below this many segments there is nothing to win.
const SEGMENTS_MIN: u64 = 4;
/// Of a segment, read before what counts in it is written again: holds at most three of the
/// journal's eight buffers.
const TOGETHER_BYTES: u64 = 512 << 10;
const TOGETHER_RECORDS: usize = 256;
/// Between two tries to read a damaged segment, doubled each time.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_mins(1);

impl<D: Disk> Shard<D> {
    /// Runs beside the requests as long as the journal can be written.
    pub async fn compact_forever(self: Rc<Self>) {
        if self.deployment.has_foreign.load(Ordering::Acquire) && self.free_foreign().await.is_err()
        {
            // The segments stay, and the next start tries again.
            self.deployment.rewritten.fail();
            return;
        }
        let mut pause = PAUSE_MIN;
        self.journal.set_compacts(!self.deployment.has_foreign.load(Ordering::Acquire));
        loop {
            let next = self.journal.when(|| match self.segment_to_compact() {
                _ if self.journal.is_closing() => Some(Err(())),
                found => found.map(Ok),
            });
            let Ok(oldest) = next.await else { return };
            match self.compact(oldest).await {
                Ok(()) => {
                    self.journal.set_compacts(true);
                    pause = PAUSE_MIN;
                }
                Err(error @ StoreError::Corrupt { .. }) => {
                    self.journal.set_compacts(false);
                    self.compactions_failed.set(self.compactions_failed.get() + 1);
                    eprintln!("the journal keeps a segment that it cannot read: {error}");
                    sleep(pause).await;
                    pause = PAUSE_MAX.min(pause * 2);
                }
                // A full or failed drive: something has to change first.
                Err(_) => {
                    self.journal.set_compacts(false);
                    self.journal.next_change().await;
                }
            }
        }
    }

    fn segment_to_compact(&self) -> Option<Rc<Segment<D>>> {
        if self.deployment.has_foreign.load(Ordering::Acquire) {
            return None;
        }
        let (own, live) = (self.journal.own_bytes(), self.journal.live_bytes());
        let segment = self.journal.segment_bytes();
        let wasteful = own > (SEGMENTS_MIN * segment).max(live + live / 2);
        if wasteful || self.journal.needs_compaction() { self.journal.oldest() } else { None }
    }

    async fn compact(&self, segment: Rc<Segment<D>>) -> Result<(), StoreError> {
        self.rewrite(&segment).await?;
        let (id, header) = (segment.id(), segment.header);
        drop(segment);
        match self.journal.retire(id).await {
            Some(file) => self.journal.recycle(file, header).await,
            None => Ok(()),
        }
    }

    /// Writes again what counts of this shard's records.
    async fn rewrite(&self, segment: &Rc<Segment<D>>) -> Result<(), StoreError> {
        let mut reader = SegmentReader::new(segment.clone(), self.journal.buffers());
        let mut records = Vec::new();
        let mut start = reader.position();
        while let Some(batch) = reader.next_batch().await? {
            records.extend(batch);
            if reader.position() - start >= TOGETHER_BYTES {
                self.rewrite_together(&mut records).await?;
                start = reader.position();
            }
        }
        self.rewrite_together(&mut records).await?;
        if reader.batches() == segment.batches.get() {
            return Ok(());
        }
        let path = segment.file.path.display();
        let what = format!("the batch at {} of {path} cannot be read again", reader.position());
        Err(StoreError::Corrupt { what })
    }

    /// Records that wait together share a batch: each in a batch, and so a page, of its own would
    /// take more space than the segment gives back. None is left half way when another fails.
    async fn rewrite_together(&self, records: &mut Vec<RecordView>) -> Result<(), StoreError> {
        for records in records.chunks(TOGETHER_RECORDS) {
            let rewritten = join_all(records.iter().map(|record| self.rewrite_record(record)));
            rewritten.await.into_iter().collect::<Result<(), StoreError>>()?;
        }
        records.clear();
        Ok(())
    }

    async fn rewrite_record(&self, record: &RecordView) -> Result<(), StoreError> {
        if record.header.group.shard(self.shards()) != self.index {
            return Ok(());
        }
        let corrupt = |error: DecodeError| StoreError::Corrupt { what: error.to_string() };
        let payload = &record.payload[..];
        match record.header.record_type {
            RecordType::Object => {
                let (object, _) = ObjectRecord::decode(payload).map_err(corrupt)?;
                self.rewrite_object(record, &object).await
            }
            RecordType::Upload => {
                let upload = UploadRecord::decode(payload).map_err(corrupt)?;
                self.rewrite_upload(record, &upload).await
            }
            RecordType::Part => {
                let part = PartRecord::decode(payload).map_err(corrupt)?;
                self.rewrite_part(record, &part).await
            }
            RecordType::Bucket => {
                let bucket = BucketRecord::decode(payload).map_err(corrupt)?;
                self.rewrite_bucket(record, &bucket).await
            }
            RecordType::System => {
                let system = SystemRecord::decode(payload).map_err(corrupt)?;
                self.rewrite_system(record, system).await
            }
            RecordType::ObjectDeletion
            | RecordType::UploadEnd
            | RecordType::BucketDeletion
            | RecordType::SystemDeletion
            | RecordType::Seal => Ok(()),
        }
    }

    async fn rewrite_object(
        &self,
        record: &RecordView,
        object: &ObjectRecord,
    ) -> Result<(), StoreError> {
        let Some(bucket) = self.buckets.by_id(object.bucket) else { return Ok(()) };
        let _turn = self.locks.lock(bucket.id, &object.key).await;
        let current = bucket.object(&object.key);
        let Some(current) = current.filter(|current| current.place.get().is_of(record)) else {
            return Ok(());
        };
        let old = current.place.get();
        current.place.set(self.append_again(record).await?);
        let inline = self.cache.inline(old.inline_place());
        self.cache.remove_inline(old.inline_place());
        if let Some(bytes) = inline {
            self.cache.insert_inline(current.place.get().inline_place(), bytes);
        }
        Ok(())
    }

    async fn rewrite_upload(
        &self,
        record: &RecordView,
        upload: &UploadRecord,
    ) -> Result<(), StoreError> {
        let Some(bucket) = self.buckets.by_id(upload.bucket) else { return Ok(()) };
        let _turn = self.locks.lock(bucket.id, &upload.key).await;
        let current = bucket.upload(&upload.key, upload.upload);
        if let Some(current) = current.filter(|current| current.place.get().is_of(record)) {
            current.place.set(self.append_again(record).await?);
        }
        Ok(())
    }

    async fn rewrite_part(&self, record: &RecordView, part: &PartRecord) -> Result<(), StoreError> {
        let Some(bucket) = self.buckets.by_id(part.bucket) else { return Ok(()) };
        let upload = bucket.upload_by_id(part.upload);
        let Some(upload) = upload else { return Ok(()) };
        let _turn = self.locks.lock(bucket.id, &upload.key).await;
        // It may have ended while this waited for its key.
        let Some(upload) = bucket.upload(&upload.key, upload.id) else { return Ok(()) };
        let current = upload.part(part.part.number);
        if let Some(current) = current.filter(|current| current.place.get().is_of(record)) {
            current.place.set(self.append_again(record).await?);
        }
        Ok(())
    }

    async fn rewrite_bucket(
        &self,
        record: &RecordView,
        bucket: &BucketRecord,
    ) -> Result<(), StoreError> {
        let _turn = self.lock_bucket_name(&bucket.name).await;
        let current = self.system.buckets.borrow().get(&bucket.bucket).copied();
        if current.is_some_and(|current| current.is_of(record)) {
            let place = self.append_again(record).await?;
            self.system.buckets.borrow_mut().insert(bucket.bucket, place);
        }
        Ok(())
    }

    async fn rewrite_system(
        &self,
        record: &RecordView,
        system: SystemRecord,
    ) -> Result<(), StoreError> {
        let _turn = self.lock_system().await;
        let name = (system.kind, system.name);
        let current = self.system.records.borrow().get(&name).map(|(place, _)| *place);
        if current.is_some_and(|current| current.is_of(record)) {
            let place = self.append_again(record).await?;
            self.system.records.borrow_mut().insert(name, (place, system.value));
        }
        Ok(())
    }

    /// The caller holds the key. What the record takes does not change.
    async fn append_again(&self, record: &RecordView) -> Result<Place, StoreError> {
        let again = NewRecord {
            record_type: record.header.record_type,
            group: record.header.group,
            payload: &[&record.payload],
            purpose: Purpose::Compact,
        };
        self.journal.append(again).await.map(Place::from)
    }

    /// Own compaction waits until this is done on all shards: a deletion in an own segment may
    /// stand for an object in a foreign one.
    async fn free_foreign(&self) -> Result<(), StoreError> {
        let foreign = self.journal.foreign();
        for segment in &foreign {
            while let Err(error) = self.rewrite(segment).await {
                if !matches!(error, StoreError::OutOfSpace) {
                    return Err(error);
                }
                self.journal.next_change().await;
            }
        }
        let ids: Vec<_> =
            foreign.into_iter().map(|segment| (segment.id(), segment.header)).collect();
        let mut retired = Vec::new();
        for (id, header) in ids {
            retired.extend(self.journal.retire(id).await.map(|file| (file, header)));
        }
        let all = self.deployment.rewritten.exchange(self.index, ()).await;
        if all.is_ok() && self.index == SYSTEM_SHARD {
            for (file, header) in retired {
                self.journal.recycle(file, header).await?;
            }
            self.deployment.has_foreign.store(false, Ordering::Release);
        }
        Ok(())
    }
}

impl Place {
    fn is_of(&self, record: &RecordView) -> bool {
        self.sequence == record.header.sequence && self.location == record.location
    }
}
