//! What the engine is told when it starts. Limits are named and have defaults that fit a laptop.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use openlake_types::Timestamp;
use openlake_types::limits::PART_BYTES_MIN;

/// Where time comes from, so that a test may set it.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    pub fn system() -> Self {
        Self::new(|| {
            let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Timestamp(since_epoch.as_millis() as u64)
        })
    }

    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

/// Where unguessable bits come from, so that a test may set them.
#[derive(Clone)]
pub struct Random(Arc<dyn Fn() -> io::Result<u128> + Send + Sync>);

impl Random {
    pub fn new(next: impl Fn() -> io::Result<u128> + Send + Sync + 'static) -> Self {
        Self(Arc::new(next))
    }

    pub fn system() -> Self {
        Self::new(|| {
            let mut bytes = [0; 16];
            File::open("/dev/urandom")?.read_exact(&mut bytes)?;
            Ok(u128::from_le_bytes(bytes))
        })
    }

    pub fn u128(&self) -> io::Result<u128> {
        (self.0)()
    }

    pub fn u64(&self) -> io::Result<u64> {
        self.u128().map(|bits| bits as u64)
    }
}

#[derive(Clone)]
pub struct StoreConfig {
    pub data_dir: PathBuf,
    /// Shards that run; may differ from one start to the next.
    pub shards: u16,
    /// Objects up to this size lie in the journal itself.
    pub inline_bytes_max: usize,
    /// Size of a journal segment. Each shard keeps at least two; beside those in use up to three,
    /// and one for each 32 in use, so that deletes go on when the drive is full.
    pub journal_segment_bytes: u64,
    /// Cache of object bytes, all shards together.
    pub cache_bytes: u64,
    /// Deleted blob files that are kept for the next blobs, all shards together.
    pub recycle_bytes_max: u64,
    /// Messages that may wait for a shard; beyond it a request is refused as too busy.
    pub inbox_messages_max: usize,
    /// Every part of an upload but the last has at least so many bytes. S3's own limit, unless a
    /// test wants many small parts.
    pub part_bytes_min: u64,
    pub clock: Clock,
    pub random: Random,
}

/// A batch must fit with its header.
pub const JOURNAL_SEGMENT_BYTES_MIN: u64 = 4 << 20;
/// Offsets in a segment are kept in 32 bits.
pub const JOURNAL_SEGMENT_BYTES_MAX: u64 = 1 << 30;
/// An inline object's record must fit in a small buffer.
pub const INLINE_BYTES_LIMIT: usize = 64 << 10;

impl StoreConfig {
    pub fn new(data_dir: impl Into<PathBuf>, shards: u16) -> Self {
        Self {
            data_dir: data_dir.into(),
            shards,
            inline_bytes_max: INLINE_BYTES_LIMIT,
            journal_segment_bytes: 64 << 20,
            cache_bytes: 256 << 20,
            recycle_bytes_max: 1 << 30,
            inbox_messages_max: 4096,
            part_bytes_min: PART_BYTES_MIN,
            clock: Clock::system(),
            random: Random::system(),
        }
    }
}
