//! The shard's cache of object bytes: 1 MiB blocks of blobs in the buffers that they were written
//! from or read into, short blocks, and inline payloads. A buffer counts as its whole slot, since
//! that is what it keeps from the pool.

use std::cell::RefCell;
use std::ops::Range;

use bytes::Bytes;
use openlake_format::SegmentId;
use openlake_io::{Buffer, Buffers, LARGE_BYTES};
use openlake_types::BlobId;

use super::s3_fifo::{CacheStats, S3Fifo};
use super::weight::{Weigh, Weight};

/// Where an inline payload's record lies in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InlinePlace {
    pub segment: SegmentId,
    pub offset: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Block(BlobId, u32),
    Inline(InlinePlace),
}

enum Value {
    Block(Buffer),
    Inline(Bytes),
}

impl Weigh for Value {
    fn weight(&self) -> Weight {
        match self {
            Self::Block(buffer) => buffer.held_bytes() as Weight,
            Self::Inline(payload) => payload.len() as Weight,
        }
    }
}

/// One part in this of all slots is left to requests: the cache grows into it never, whatever its
/// budget and whatever the other shards keep.
const RESERVE_PART: usize = 8;

/// Blocks of a blob are numbered from its start, `LARGE_BYTES` each, the last one perhaps short.
pub struct BlockCache {
    entries: RefCell<S3Fifo<Key, Value>>,
    buffers: Buffers,
}

impl BlockCache {
    /// `buffers` is where the slots of the blocks come from.
    pub fn new(budget_bytes: u64, buffers: Buffers) -> Self {
        Self { entries: RefCell::new(S3Fifo::new(budget_bytes)), buffers }
    }

    /// A short block is copied to memory of its own size: the small buffers are few, and a request
    /// that waits for one must not wait for the cache; a large one would be held for little.
    pub fn insert_block(&self, blob: BlobId, block: u32, buffer: Buffer) {
        assert!(buffer.len() <= LARGE_BYTES, "a block is at most 1 MiB");
        let worth_its_slot = buffer.len() * 2 > LARGE_BYTES;
        let buffer = if worth_its_slot || buffer.held_bytes() == buffer.len() {
            buffer
        } else {
            Buffer::from(Bytes::copy_from_slice(&buffer))
        };
        let held = buffer.held_bytes() as Weight;
        let mut entries = self.entries.borrow_mut();
        if worth_its_slot && self.slots_are_short() && entries.evict(held) < held {
            return;
        }
        entries.insert(Key::Block(blob, block), Value::Block(buffer));
    }

    fn slots_are_short(&self) -> bool {
        let slots = self.buffers.stats();
        slots.large_free * RESERVE_PART < slots.large_total
    }

    pub fn block(&self, blob: BlobId, block: u32) -> Option<Buffer> {
        match self.entries.borrow_mut().get(&Key::Block(blob, block)) {
            Some(Value::Block(buffer)) => Some(buffer.clone()),
            _ => None,
        }
    }

    /// The blocks of a window, `None` for those that must be read.
    pub fn window(&self, blob: BlobId, blocks: Range<u32>) -> Vec<Option<Buffer>> {
        blocks.map(|block| self.block(blob, block)).collect()
    }

    /// The payload must own its bytes alone: a slice would keep more memory than it counts.
    pub fn insert_inline(&self, place: InlinePlace, payload: Bytes) {
        self.entries.borrow_mut().insert(Key::Inline(place), Value::Inline(payload));
    }

    pub fn inline(&self, place: InlinePlace) -> Option<Bytes> {
        match self.entries.borrow_mut().get(&Key::Inline(place)) {
            Some(Value::Inline(payload)) => Some(payload.clone()),
            _ => None,
        }
    }

    pub fn remove_inline(&self, place: InlinePlace) {
        self.entries.borrow_mut().remove(&Key::Inline(place));
    }

    /// Forgets every block of a blob of this length.
    pub fn remove_blob(&self, blob: BlobId, length: u64) {
        let mut cache = self.entries.borrow_mut();
        for block in 0..length.div_ceil(LARGE_BYTES as u64) as u32 {
            cache.remove(&Key::Block(blob, block));
        }
    }

    /// Gives back at least this many bytes, or all; for when buffers run short.
    pub fn evict(&self, bytes: u64) -> u64 {
        self.entries.borrow_mut().evict(bytes)
    }

    pub fn set_budget(&self, budget_bytes: u64) {
        self.entries.borrow_mut().set_budget(budget_bytes);
    }

    pub fn stats(&self) -> CacheStats {
        self.entries.borrow().stats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::weight::ENTRY_OVERHEAD_BYTES;
    use openlake_io::{BufferConfig, BufferMut, SMALL_BYTES};

    const BLOB: BlobId = BlobId { file: 7, generation: 1 };

    fn buffers_and_cache() -> (Buffers, BlockCache) {
        let config = BufferConfig { large_count: 8, small_count: 8 };
        let buffers = Buffers::new(config).expect("address space");
        (buffers.clone(), BlockCache::new(64 << 20, buffers))
    }

    fn filled(mut buffer: BufferMut, byte: u8, len: usize) -> Buffer {
        buffer.as_mut_slice()[..len].fill(byte);
        buffer.set_filled(len);
        buffer.freeze()
    }

    #[test]
    fn a_block_keeps_its_slot_and_gives_it_back_when_evicted() {
        let (buffers, cache) = buffers_and_cache();
        for block in 0..4 {
            let buffer = buffers.try_large().expect("free");
            cache.insert_block(BLOB, block, filled(buffer, block as u8, LARGE_BYTES - 5));
        }
        assert_eq!(buffers.stats().large_free, 4);
        assert_eq!(cache.stats().bytes, 4 * (LARGE_BYTES as u64 + ENTRY_OVERHEAD_BYTES));
        let held = cache.block(BLOB, 0).expect("kept");
        assert_eq!(cache.evict(1), LARGE_BYTES as u64 + ENTRY_OVERHEAD_BYTES);
        cache.evict(u64::MAX);
        assert_eq!(buffers.stats().large_free, 7, "one is still being sent");
        assert_eq!(held[..], vec![0; LARGE_BYTES - 5]);
        drop(held);
        assert_eq!(buffers.stats().large_free, 8);
    }

    /// The budget would take 64 slots and there are 8: one stays for requests, also when another
    /// shard's cache took the others.
    #[test]
    fn the_last_slots_are_left_to_requests() {
        let (buffers, cache) = buffers_and_cache();
        let other = BlockCache::new(64 << 20, buffers.clone());
        for block in 0..50 {
            let buffer = buffers.try_large().expect("one is always left");
            let cache = if block < 30 { &cache } else { &other };
            cache.insert_block(BLOB, block, filled(buffer, 1, LARGE_BYTES));
        }
        assert_eq!(buffers.stats().large_free, 1);
        assert_eq!((cache.stats().entries, other.stats().entries), (7, 0));
    }

    #[test]
    fn short_blocks_hold_no_slot_and_count_what_they_are() {
        let (buffers, cache) = buffers_and_cache();
        for block in 0..100 {
            let small = filled(buffers.try_small().expect("free"), 1, SMALL_BYTES - 9);
            cache.insert_block(BLOB, 2 * block, small);
            let large = filled(buffers.try_large().expect("free"), 2, LARGE_BYTES / 2);
            cache.insert_block(BLOB, 2 * block + 1, large);
        }
        assert_eq!((buffers.stats().small_free, buffers.stats().large_free), (8, 8));
        // One small and one half block come to 655,351 bytes with their entries, so of 100 pairs
        // at 64 MiB (102.4 of them) all are there.
        let pair = (SMALL_BYTES - 9 + LARGE_BYTES / 2) as u64 + 2 * ENTRY_OVERHEAD_BYTES;
        assert_eq!(cache.stats().bytes, 100 * pair);
        assert_eq!(cache.block(BLOB, 198).expect("kept")[..], vec![1; SMALL_BYTES - 9]);
    }

    #[test]
    fn a_window_says_what_must_be_read_and_a_removed_blob_is_gone() {
        let (buffers, cache) = buffers_and_cache();
        let other = BlobId { generation: 2, ..BLOB };
        for (blob, block) in [(BLOB, 0), (BLOB, 2), (other, 1)] {
            cache.insert_block(blob, block, filled(buffers.try_large().expect("free"), 1, 1 << 20));
        }
        let window =
            |blob| cache.window(blob, 0..4).iter().map(Option::is_some).collect::<Vec<_>>();
        assert_eq!(window(BLOB), [true, false, true, false]);
        cache.remove_blob(BLOB, (2 << 20) + 1);
        assert_eq!(window(BLOB), [false; 4]);
        assert_eq!(window(other), [false, true, false, false]);
        assert_eq!(buffers.stats().large_free, 7);
    }
}
