//! The committer: the only task that writes batches, one at a time.

use std::cell::RefCell;
use std::rc::Rc;

use openlake_format::RecordType;
use openlake_io::{Disk, DiskFile};

use super::batch::{Batch, BatchDone, NewRecord, Outcome, Purpose};
use super::writer::JournalInner;
use crate::error::StoreError;
use crate::placement::SYSTEM_GROUP;

/// Answers whoever waits for a batch whose writer panicked: nothing more is acknowledged.
struct Committing<D: Disk> {
    journal: Rc<JournalInner<D>>,
    batch: RefCell<Option<Rc<BatchDone>>>,
}

impl<D: Disk> Drop for Committing<D> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        self.journal.poison();
        let filling = self.journal.filling.take().map(|batch| batch.done);
        for done in self.batch.take().into_iter().chain(filling) {
            done.set(Err(StoreError::Poisoned));
        }
        self.journal.closed.set(true);
        self.journal.changed.notify();
    }
}

impl<D: Disk> JournalInner<D> {
    pub async fn commit_forever(self: Rc<Self>) {
        let committing = Committing { journal: self.clone(), batch: RefCell::default() };
        loop {
            let next = self.work.wait_for(|| match self.next_batch() {
                None if self.closing.get() => Some(Err(())),
                found => found.map(Ok),
            });
            let batch = next.await;
            self.changed.notify();
            let Ok(batch) = batch else { break };
            committing.batch.replace(Some(batch.done.clone()));
            self.commit(batch).await;
            committing.batch.take();
        }
        self.write_seal().await;
        self.closed.set(true);
        self.changed.notify();
    }

    fn next_batch(&self) -> Option<Batch> {
        self.filling.borrow_mut().take_if(|batch| batch.records() > 0)
    }

    async fn commit(self: &Rc<Self>, batch: Batch) {
        let done = batch.done.clone();
        let outcome = self.write(batch).await;
        self.changed.notify();
        done.set(outcome);
    }

    async fn write(self: &Rc<Self>, batch: Batch) -> Outcome {
        if self.poisoned.get() {
            return Err(StoreError::Poisoned);
        }
        let (records, bytes) = (batch.records() as u64, batch.bytes() as u64);
        let segment = self.segment_for(bytes, batch.first_sequence()).await?;
        let (start, number) = (segment.tail.get(), segment.batches.get());
        let buffer = batch.seal(&segment.header, number).freeze();
        if segment.file.file.write_at(buffer, start, true).await.is_err() {
            return Err(self.poison());
        }
        segment.tail.set(start + bytes);
        segment.batches.set(number + 1);
        let mut stats = self.stats.get();
        stats.commits += 1;
        stats.records += records;
        stats.bytes_written += bytes;
        self.stats.set(stats);
        Ok((segment.id(), start))
    }

    /// An empty record that tells the next start that nothing is missing before it.
    async fn write_seal(self: &Rc<Self>) {
        if self.poisoned.get() || self.current.borrow().is_none() {
            return;
        }
        let batch = Batch::new(self.files.buffers().large().await);
        *self.filling.borrow_mut() = Some(batch);
        self.push(&NewRecord {
            record_type: RecordType::Seal,
            group: SYSTEM_GROUP,
            payload: &[],
            purpose: Purpose::Release,
        });
        let batch = self.filling.borrow_mut().take();
        if let Some(batch) = batch {
            self.commit(batch).await;
        }
    }
}
