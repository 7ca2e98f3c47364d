//! The life of segments: free, in use, retired when nothing in them counts, free again.

use std::rc::Rc;
use std::time::Duration;

use openlake_format::{SegmentHeader, SegmentId, SegmentState};
use openlake_io::Disk;
use openlake_types::Sequence;

use super::segment::{Segment, SegmentFile};
use super::writer::{Journal, JournalInner};
use crate::error::StoreError;

/// Readers of a retired segment end within one disk read.
const RETIRE_POLL: Duration = Duration::from_millis(1);

impl<D: Disk> JournalInner<D> {
    /// The current segment if the batch fits, else the next one.
    pub async fn segment_for(
        self: &Rc<Self>,
        bytes: u64,
        first_sequence: Sequence,
    ) -> Result<Rc<Segment<D>>, StoreError> {
        let current = self.current.borrow().clone();
        if let Some(current) = &current
            && current.tail.get() + bytes <= current.file.bytes
        {
            return Ok(current.clone());
        }
        let nonce = self.random.u64()?;
        let file = self.take_free().await?;
        let ordinal = current.as_ref().map_or(0, |segment| segment.id().ordinal + 1);
        let header = SegmentHeader {
            state: SegmentState::InUse,
            id: SegmentId { layout: self.stream.layout, stream: self.stream.stream, ordinal },
            stream_count: self.stream.stream_count,
            deployment: self.stream.deployment,
            epoch: self.stream.epoch,
            previous_batches: current.as_ref().map_or(0, |segment| segment.batches.get()),
            first_sequence,
            segment_bytes: file.bytes,
            nonce,
        };
        if self.files.write_header(&file, &header).await.is_err() {
            return Err(self.poison());
        }
        let segment = Rc::new(Segment::new(file, header));
        self.segments.borrow_mut().insert(segment.id(), segment.clone());
        self.own_bytes.set(self.own_bytes.get() + segment.file.bytes);
        *self.current.borrow_mut() = Some(segment.clone());
        Ok(segment)
    }

    async fn take_free(self: &Rc<Self>) -> Result<SegmentFile<D>, StoreError> {
        if self.free.borrow().is_empty() {
            self.replenished().await;
        }
        let file = self.free.borrow_mut().pop().ok_or(StoreError::OutOfSpace)?;
        self.replenish_soon();
        Ok(file)
    }

    pub fn replenish_soon(self: &Rc<Self>) {
        if !self.has_free_wanted() && !self.replenishing.replace(true) {
            openlake_io::runtime::spawn(self.clone().replenish()).detach();
        }
    }

    /// Resolves when there are as many free segments as wanted, or no more can be made.
    pub async fn replenished(self: &Rc<Self>) {
        self.replenish_soon();
        self.changed.wait_for(|| (!self.replenishing.get()).then_some(())).await;
    }

    /// `full` tells when it fails.
    async fn replenish(self: Rc<Self>) {
        while !self.has_free_wanted() {
            let mut made = self.files.create().await;
            if made.is_err() {
                (self.make_space)().await;
                made = self.files.create().await;
            }
            let Ok(made) = made else { break };
            self.free.borrow_mut().push(made);
            self.changed.notify();
        }
        self.full.set(!self.has_free_wanted());
        self.replenishing.set(false);
        self.changed.notify();
    }

    pub fn has_free_wanted(&self) -> bool {
        self.free.borrow().len() >= self.free_wanted()
    }
}

impl<D: Disk> Journal<D> {
    /// The oldest own segment, unless it is the one being filled.
    pub fn oldest(&self) -> Option<Rc<Segment<D>>> {
        let current = self.0.current.borrow().as_ref().map(|segment| segment.id());
        let segments = self.0.segments.borrow();
        let mut own = segments.values().filter(|segment| self.0.stream.owns(segment.id()));
        own.next().filter(|segment| Some(segment.id()) != current).cloned()
    }

    /// Bytes of own segments.
    pub fn own_bytes(&self) -> u64 {
        self.0.own_bytes.get()
    }

    pub fn segment_bytes(&self) -> u64 {
        self.0.files.segment_bytes()
    }

    /// For reading segments; not for bodies.
    pub fn buffers(&self) -> openlake_io::Buffers {
        self.0.files.buffers().clone()
    }

    /// Segments of earlier layouts, in the order in which they may be freed: by age, so that a
    /// deletion outlives whatever it deleted.
    pub fn foreign(&self) -> Vec<Rc<Segment<D>>> {
        let segments = self.0.segments.borrow();
        let foreign = segments.values().filter(|segment| !self.0.stream.owns(segment.id()));
        let mut foreign: Vec<_> = foreign.cloned().collect();
        foreign.sort_by_key(|segment| (segment.id().layout, segment.header.first_sequence));
        foreign
    }

    /// Forgets a segment that no index entry names; resolves when its last reader is gone.
    pub async fn retire(&self, id: SegmentId) -> Option<SegmentFile<D>> {
        let mut segment = self.0.segments.borrow_mut().remove(&id)?;
        if self.0.stream.owns(id) {
            self.0.own_bytes.set(self.0.own_bytes.get() - segment.file.bytes);
        }
        loop {
            match Rc::try_unwrap(segment) {
                Ok(retired) => return Some(retired.file),
                Err(shared) => segment = shared,
            }
            openlake_io::runtime::sleep(RETIRE_POLL).await;
        }
    }

    /// Marks a retired segment free on disk, then keeps it for later or removes it.
    pub async fn recycle(
        &self,
        file: SegmentFile<D>,
        header: SegmentHeader,
    ) -> Result<(), StoreError> {
        let inner = &self.0;
        let free = SegmentHeader { state: SegmentState::Free, ..header };
        if inner.files.write_header(&file, &free).await.is_err() {
            return Err(inner.poison());
        }
        let mut stats = inner.stats.get();
        stats.segments_compacted += 1;
        inner.stats.set(stats);
        inner.note_freed(header.id);
        let usual = file.bytes == inner.files.segment_bytes();
        if !usual || inner.free.borrow().len() > inner.free_wanted() {
            return inner.files.remove(file).await.map_err(StoreError::from);
        }
        inner.free.borrow_mut().push(file);
        inner.changed.notify();
        Ok(())
    }
}
