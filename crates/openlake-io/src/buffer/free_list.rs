//! The free slots of a pool, without a lock. Last in, first out: the slot that was used last is in
//! the processor's cache, and slots that were never needed never become memory.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

const NONE: u32 = u32::MAX;

pub(super) struct FreeList {
    /// The first free slot in the low half; in the high half a count of changes, so that a head
    /// that was taken and came back meanwhile is recognised.
    head: AtomicU64,
    /// The free slot behind each free slot.
    next: Box<[AtomicU32]>,
    length: AtomicUsize,
}

impl FreeList {
    /// All of `count` slots are free.
    pub fn full(count: u32) -> Self {
        assert!((1..NONE).contains(&count), "a slot's number has 32 bits");
        let next = (1..=count).map(|slot| if slot == count { NONE } else { slot });
        Self {
            head: AtomicU64::new(0),
            next: next.map(AtomicU32::new).collect(),
            length: AtomicUsize::new(count as usize),
        }
    }

    pub fn pop(&self) -> Option<u32> {
        let slot = self.change(|head| {
            // Stale if another thread takes the slot meanwhile; then the head has changed as well.
            (head != NONE).then(|| (self.next[head as usize].load(Ordering::Acquire), head))
        })?;
        self.length.fetch_sub(1, Ordering::Relaxed);
        Some(slot)
    }

    pub fn push(&self, slot: u32) {
        // Counted before it can be taken, so that the count never goes below zero.
        self.length.fetch_add(1, Ordering::Relaxed);
        let pushed = self.change(|head| {
            self.next[slot as usize].store(head, Ordering::Release);
            Some((slot, slot))
        });
        debug_assert!(pushed.is_some(), "there is always room");
    }

    /// A figure for metrics; exact when nobody pops or pushes.
    pub fn len(&self) -> usize {
        self.length.load(Ordering::Relaxed)
    }

    /// Replaces the head by the first of what `change` makes of it, and gives the second.
    fn change(&self, change: impl Fn(u32) -> Option<(u32, u32)>) -> Option<u32> {
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            let (next, result) = change(head as u32)?;
            let tagged = ((head >> 32) + 1) << 32 | u64::from(next);
            let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
            match self.head.compare_exchange_weak(head, tagged, success, failure) {
                Ok(_) => return Some(result),
                Err(now) => head = now,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_freed_is_the_next_one_taken() {
        let list = FreeList::full(3);
        assert_eq!([list.pop(), list.pop()], [Some(0), Some(1)]);
        list.push(0);
        assert_eq!([list.pop(), list.pop(), list.pop()], [Some(0), Some(2), None]);
        list.push(1);
        assert_eq!((list.len(), list.pop()), (1, Some(1)));
    }

    #[test]
    fn no_slot_has_two_owners_at_once() {
        const SLOTS: u32 = 4;
        let list = FreeList::full(SLOTS);
        let owned: Vec<_> = (0..SLOTS).map(|_| AtomicU32::new(0)).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50_000 {
                        let Some(slot) = list.pop() else { continue };
                        let owner = &owned[slot as usize];
                        assert_eq!(owner.swap(1, Ordering::AcqRel), 0, "slot {slot}");
                        owner.store(0, Ordering::Release);
                        list.push(slot);
                    }
                });
            }
        });
        assert_eq!(list.len(), SLOTS as usize);
    }
}
