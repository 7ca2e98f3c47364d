//! The shard's cache of object bytes: 1 MiB blocks of blobs in the buffers that they were written
//! from or read into, and inline payloads. A buffer counts as its whole slot, since that is what
//! it keeps from the pool.

use std::cell::RefCell;
use std::ops::Range;

use bytes::Bytes;
use openlake_format::SegmentId;
use openlake_io::{Buffer, LARGE_BYTES};
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

/// Blocks of a blob are numbered from its start, `LARGE_BYTES` each, the last one perhaps short.
pub struct BlockCache(RefCell<S3Fifo<Key, Value>>);

impl BlockCache {
    /// Keep the budgets of all shards and a working reserve together below the buffer pool's size.
    pub fn new(budget_bytes: u64) -> Self {
        Self(RefCell::new(S3Fifo::new(budget_bytes)))
    }

    pub fn insert_block(&self, blob: BlobId, block: u32, buffer: Buffer) {
        assert!(buffer.len() <= LARGE_BYTES, "a block is at most 1 MiB");
        self.0.borrow_mut().insert(Key::Block(blob, block), Value::Block(buffer));
    }

    pub fn block(&self, blob: BlobId, block: u32) -> Option<Buffer> {
        match self.0.borrow_mut().get(&Key::Block(blob, block)) {
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
        self.0.borrow_mut().insert(Key::Inline(place), Value::Inline(payload));
    }

    pub fn inline(&self, place: InlinePlace) -> Option<Bytes> {
        match self.0.borrow_mut().get(&Key::Inline(place)) {
            Some(Value::Inline(payload)) => Some(payload.clone()),
            _ => None,
        }
    }

    pub fn remove_inline(&self, place: InlinePlace) {
        self.0.borrow_mut().remove(&Key::Inline(place));
    }

    /// Forgets every block of a blob of this length.
    pub fn remove_blob(&self, blob: BlobId, length: u64) {
        let mut cache = self.0.borrow_mut();
        for block in 0..length.div_ceil(LARGE_BYTES as u64) as u32 {
            cache.remove(&Key::Block(blob, block));
        }
    }

    /// Gives back at least this many bytes, or all; for when buffers run short.
    pub fn evict(&self, bytes: u64) -> u64 {
        self.0.borrow_mut().evict(bytes)
    }

    pub fn set_budget(&self, budget_bytes: u64) {
        self.0.borrow_mut().set_budget(budget_bytes);
    }

    pub fn stats(&self) -> CacheStats {
        self.0.borrow().stats()
    }
}
