//! The two process-wide pools and their slot sizes.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::filling::BufferMut;
use super::pool::Pool;
use super::wait::Take;
use crate::runtime::timeout;

/// Slots for the bodies of large objects and parts, and for the journal's batches.
pub const LARGE_BYTES: usize = 1 << 20;
/// Slots for bodies that fit inline, and for small answers.
pub const SMALL_BYTES: usize = 128 << 10;

/// How many slots there are; their sum is the memory that bodies and cache may take.
#[derive(Clone, Copy, Debug)]
pub struct BufferConfig {
    pub large_count: usize,
    pub small_count: usize,
}

/// Free and total slots of each pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferStats {
    pub large_free: usize,
    pub large_total: usize,
    pub small_free: usize,
    pub small_total: usize,
}

/// The two process-wide pools; clones share them.
#[derive(Clone)]
pub struct Buffers {
    large: Arc<Pool>,
    small: Arc<Pool>,
}

impl Buffers {
    /// Reserves address space; memory is taken when a slot is first touched.
    pub fn new(config: BufferConfig) -> io::Result<Self> {
        Ok(Self {
            large: Pool::new(LARGE_BYTES, config.large_count)?,
            small: Pool::new(SMALL_BYTES, config.small_count)?,
        })
    }

    pub fn try_large(&self) -> Option<BufferMut> {
        self.large.take().map(BufferMut::new)
    }

    pub fn try_small(&self) -> Option<BufferMut> {
        self.small.take().map(BufferMut::new)
    }

    /// Waits until a large slot is free.
    pub async fn large(&self) -> BufferMut {
        BufferMut::new(Take::new(self.large.clone()).await)
    }

    /// Waits until a small slot is free.
    pub async fn small(&self) -> BufferMut {
        BufferMut::new(Take::new(self.small.clone()).await)
    }

    /// Waits until a large slot is free, but no longer than this.
    pub async fn large_within(&self, limit: Duration) -> Option<BufferMut> {
        match self.try_large() {
            None => timeout(limit, self.large()).await.ok(),
            free => free,
        }
    }

    /// Waits until a small slot is free, but no longer than this.
    pub async fn small_within(&self, limit: Duration) -> Option<BufferMut> {
        match self.try_small() {
            None => timeout(limit, self.small()).await.ok(),
            free => free,
        }
    }

    /// Touches the first `bytes` of the large slots, so that nobody waits for new memory later.
    /// Blocks; for start-up.
    pub fn prefault(&self, bytes: u64) {
        self.large.prefault(usize::try_from(bytes).unwrap_or(usize::MAX));
    }

    pub fn stats(&self) -> BufferStats {
        BufferStats {
            large_free: self.large.free(),
            large_total: self.large.count(),
            small_free: self.small.free(),
            small_total: self.small.count(),
        }
    }
}
