//! One arena cut into equal slots.

use std::io;
use std::ptr::NonNull;
use std::sync::Arc;

use crossbeam_queue::SegQueue;

use super::free_list::FreeList;
use super::wait::Waiter;

const HUGE_PAGE_BYTES: usize = 2 << 20;

pub(super) struct Pool {
    mapping: NonNull<u8>,
    mapping_bytes: usize,
    base: NonNull<u8>,
    slot_bytes: usize,
    count: usize,
    free: FreeList,
    pub(super) waiters: SegQueue<Arc<Waiter>>,
}

// SAFETY: the arena is only touched through slots, each of which has one exclusive owner or
// immutable shared ones; the lists are themselves thread safe.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    pub(super) fn new(slot_bytes: usize, count: usize) -> io::Result<Arc<Self>> {
        assert!(count > 0 && u32::try_from(count).is_ok(), "a pool has at least one slot");
        let arena_bytes = slot_bytes * count;
        let mapping_bytes = arena_bytes + HUGE_PAGE_BYTES;
        // SAFETY: a fresh anonymous private mapping; failure is checked below.
        let mapping = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapping_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapping = NonNull::new(mapping.cast::<u8>()).expect("mmap never returns null");
        let offset = mapping.align_offset(HUGE_PAGE_BYTES);
        // SAFETY: the mapping is one huge page longer than the arena, so the sum stays inside.
        let base = unsafe { mapping.add(offset) };
        // SAFETY: the range lies inside the mapping; advice that fails changes nothing.
        unsafe { libc::madvise(base.as_ptr().cast(), arena_bytes, libc::MADV_HUGEPAGE) };
        let free = FreeList::full(count as u32);
        let waiters = SegQueue::new();
        Ok(Arc::new(Self { mapping, mapping_bytes, base, slot_bytes, count, free, waiters }))
    }

    pub(super) fn take(self: &Arc<Self>) -> Option<Slot> {
        let index = self.free.pop()?;
        // SAFETY: index < count, so the slot lies inside the arena.
        let start = unsafe { self.base.add(index as usize * self.slot_bytes) };
        Some(Slot { start, index, pool: self.clone() })
    }

    /// Makes the first `bytes` of the arena memory now; those are the slots that are taken first.
    /// Does nothing where the kernel (before 5.14) does not know how.
    pub(super) fn prefault(&self, bytes: usize) {
        let bytes = bytes.min(self.slot_bytes * self.count);
        let halves = [(0, bytes / 2), (bytes / 2, bytes - bytes / 2)];
        std::thread::scope(|scope| {
            for (start, length) in halves {
                let start = start & !(HUGE_PAGE_BYTES - 1);
                scope.spawn(move || self.populate(start, length));
            }
        });
    }

    fn populate(&self, start: usize, length: usize) {
        // SAFETY: the callers' range lies inside the arena.
        let address = unsafe { self.base.add(start) };
        let length = length.min(self.slot_bytes * self.count - start);
        // SAFETY: the range is mapped; the call writes no byte that it does not read first.
        unsafe { libc::madvise(address.as_ptr().cast(), length, libc::MADV_POPULATE_WRITE) };
    }

    pub(super) fn free(&self) -> usize {
        self.free.len()
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Wakes the longest waiting taker that is still interested.
    pub(super) fn wake_one(&self) {
        while let Some(waiter) = self.waiters.pop() {
            if waiter.wake() {
                return;
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: every slot holds the pool alive, so none is left; the mapping is ours.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.mapping_bytes) };
    }
}

/// One slot: exclusive while it is a `Slot`, shared and immutable once inside an `Arc`.
pub(super) struct Slot {
    start: NonNull<u8>,
    index: u32,
    pool: Arc<Pool>,
}

// SAFETY: a slot is a piece of memory with one owner.
unsafe impl Send for Slot {}
// SAFETY: through a shared reference the bytes can only be read.
unsafe impl Sync for Slot {}

impl Slot {
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the arena is mapped, zeroed by the kernel, and lives as long as the pool.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.pool.slot_bytes) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` is the only access.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.pool.slot_bytes) }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.pool.free.push(self.index);
        self.pool.wake_one();
    }
}
