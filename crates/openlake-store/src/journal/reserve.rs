//! Space that is kept back when the drive fills up. A deletion is a record, and compaction writes
//! what counts again before it frees a segment: both need space to give space back.
//!
//! What stores is refused while only the reserve is left. What releases goes on, but waits first
//! as long as compaction has something to win. Compaction may use everything.

use std::rc::Rc;

use openlake_format::SegmentId;
use openlake_io::Disk;
use openlake_types::limits::PAGE_BYTES;

use super::batch::Purpose;
use super::writer::{Journal, JournalInner};
use crate::error::StoreError;

/// What becomes of a record that is to be appended.
pub(super) enum Admission {
    Now,
    /// To be asked again when something changed.
    Later,
    Never(StoreError),
}

impl<D: Disk> JournalInner<D> {
    pub fn admission(self: &Rc<Self>, purpose: Purpose) -> Admission {
        if self.poisoned.get() {
            return Admission::Never(StoreError::Poisoned);
        }
        if self.closing.get() {
            return Admission::Never(StoreError::ShuttingDown);
        }
        if purpose != Purpose::Store {
            return Admission::Now;
        }
        let (full, short) = (self.full.get(), self.is_short());
        if short || !full {
            // On a full drive space may have come back; the next record will know.
            self.replenish_soon();
        }
        match (short, full) {
            (false, _) => Admission::Now,
            (true, false) => Admission::Later,
            (true, true) => Admission::Never(StoreError::OutOfSpace),
        }
    }

    /// Only the reserve is left.
    fn is_short(&self) -> bool {
        self.free_bytes() + self.rest_of_current() < self.reserve_bytes()
    }

    /// No more segment can be made, and only the reserve is left.
    pub fn is_starved(&self) -> bool {
        self.full.get() && self.is_short()
    }

    /// When one of so many is taken, half a segment or more may be filled while the next is made.
    pub fn free_wanted(&self) -> usize {
        let segment = self.files.segment_bytes();
        ((self.reserve_bytes() + segment / 2) / segment) as usize + 1
    }

    /// Two segments, since what counts in one may need more than one when it is packed anew; a
    /// quarter for batches under way and for deletes; and a share, since all of the journal is
    /// packed anew before the deletions in it may go. A young journal has less to move.
    fn reserve_bytes(&self) -> u64 {
        let own = self.own_bytes.get();
        let written = own - self.rest_of_current();
        let usual = 9 * self.files.segment_bytes() / 4 + own / 32;
        usual.min(2 * written)
    }

    fn free_bytes(&self) -> u64 {
        self.free.borrow().len() as u64 * self.files.segment_bytes()
    }

    fn rest_of_current(&self) -> u64 {
        let current = self.current.borrow();
        current.as_ref().map_or(0, |current| current.file.bytes - current.tail.get())
    }

    /// What was written and does not count: dead records, and what lies between records.
    fn waste_bytes(&self) -> u64 {
        let written = self.own_bytes.get() - self.rest_of_current();
        written.saturating_sub(self.live_bytes.get())
    }

    /// Whether a pass of compaction is worth what it writes: it may win more than the last one
    /// had to leave.
    fn can_gain(&self) -> bool {
        let (own, segment) = (self.own_bytes.get(), self.files.segment_bytes());
        let worthwhile = segment / 4 + own / 128;
        own > segment && self.waste_bytes() >= self.waste_kept.get() + worthwhile
    }

    /// A new record may lie alone in its page.
    pub fn note_pushed(&self, purpose: Purpose) {
        if purpose != Purpose::Compact {
            self.waste_made.set(self.waste_made.get() + PAGE_BYTES as u64);
        }
    }

    /// Compaction freed this segment. When it has passed all that were there at the pass's begin,
    /// the waste that is left, unless it was made meanwhile, is nothing that it can win.
    pub fn note_freed(&self, freed: SegmentId) {
        if !self.stream.owns(freed) || freed.ordinal < self.pass_end.get() {
            return;
        }
        self.waste_kept.set(self.waste_bytes().saturating_sub(self.waste_made.take()));
        let current = self.current.borrow();
        self.pass_end.set(current.as_ref().map_or(0, |current| current.id().ordinal));
    }
}

impl<D: Disk> Journal<D> {
    /// Resolves when a record that releases space may be appended, on a full drive when compaction
    /// has made room or cannot. To be called before a key is locked: compaction locks the keys of
    /// what it moves.
    pub async fn wait_to_release(&self) {
        let inner = &self.0;
        let must_wait = || {
            let stopped = inner.poisoned.get() || inner.closing.get();
            inner.is_starved() && inner.can_gain() && inner.compacts.get() && !stopped
        };
        if must_wait() {
            // Compaction may have looked before the last record stopped counting.
            inner.changed.notify();
        }
        inner.changed.wait_for(|| (!must_wait()).then_some(())).await;
    }

    /// Segments are wanted that only compaction can give.
    pub fn needs_compaction(&self) -> bool {
        self.0.full.get() && !self.0.has_free_wanted() && self.0.can_gain()
    }

    /// Whether compaction gets on, so that a deletion may wait for it.
    pub fn set_compacts(&self, compacts: bool) {
        self.0.compacts.set(compacts);
        self.0.changed.notify();
    }

    /// What the records that count take.
    pub fn live_bytes(&self) -> u64 {
        self.0.live_bytes.get()
    }

    pub fn add_live(&self, bytes: u64) {
        self.0.live_bytes.set(self.0.live_bytes.get() + bytes);
    }

    pub fn remove_live(&self, bytes: u64) {
        self.0.live_bytes.set(self.0.live_bytes.get() - bytes);
        self.0.waste_made.set(self.0.waste_made.get() + bytes);
    }
}
