//! Who uses a blob file. A file is in use while any clone of its lease lives, on any shard; the
//! last one to go sends the file home to the pool that wrote it, unless the blob is live.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crossbeam_queue::SegQueue;
use futures_util::task::AtomicWaker;
use openlake_format::BlobLocation;
use openlake_types::{BlobId, ShardIndex};

/// A file that nobody uses any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FreedFile {
    pub id: BlobId,
    /// Size of the file.
    pub bytes: u64,
    /// False when an operation on it failed: its state is unknown, so it is not used again.
    pub reusable: bool,
}

/// Where the files of one shard's pool come back to, from any thread.
#[derive(Default)]
pub struct Home {
    /// At most one entry a blob file, so as long as the number of files at most.
    returns: SegQueue<FreedFile>,
    pub(super) waker: AtomicWaker,
    /// Set by a shard that found the drive full: give every free file's space back.
    pub(super) pressed: AtomicBool,
    /// Space that free files hold.
    pub(super) free_bytes: AtomicU64,
}

impl Home {
    pub(super) fn next_return(&self) -> Option<FreedFile> {
        self.returns.pop()
    }

    pub(super) fn has_returns(&self) -> bool {
        !self.returns.is_empty()
    }

    pub(super) fn give_back(&self, file: FreedFile) {
        self.free_bytes.fetch_add(file.bytes, Ordering::Relaxed);
        self.returns.push(file);
        self.waker.wake();
    }
}

/// The homes of all shards of a drive; made once before the shards start.
pub struct Homes(Vec<Arc<Home>>);

impl Homes {
    pub fn new(shards: u16) -> Arc<Self> {
        Arc::new(Self((0..shards).map(|_| Arc::default()).collect()))
    }

    pub(super) fn of(&self, shard: ShardIndex) -> Arc<Home> {
        self.0[usize::from(shard.0)].clone()
    }

    /// Every home but one.
    pub(super) fn others<'a>(&'a self, own: &'a Arc<Home>) -> impl Iterator<Item = &'a Arc<Home>> {
        self.0.iter().filter(move |home| !Arc::ptr_eq(home, own))
    }
}

/// No record names the blob: the file is free when its users are gone.
const UNNAMED: u8 = 0;
/// A record names the blob.
const LIVE: u8 = 1;
/// An operation on the file failed.
const BROKEN: u8 = 2;

pub(super) struct Lease {
    pub id: BlobId,
    home: Arc<Home>,
    bytes: AtomicU64,
    state: AtomicU8,
}

impl Lease {
    pub fn unnamed(id: BlobId, bytes: u64, home: Arc<Home>) -> Arc<Self> {
        Arc::new(Self { id, home, bytes: bytes.into(), state: UNNAMED.into() })
    }

    pub fn live(id: BlobId, bytes: u64, home: Arc<Home>) -> Arc<Self> {
        Arc::new(Self { id, home, bytes: bytes.into(), state: LIVE.into() })
    }

    /// Size of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub fn set_bytes(&self, bytes: u64) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub fn set_broken(&self) {
        self.state.store(BROKEN, Ordering::Relaxed);
    }
}

/// Relaxed suffices above: dropping the last `Arc` is ordered after every use of the others.
impl Drop for Lease {
    fn drop(&mut self) {
        let state = *self.state.get_mut();
        if state != LIVE {
            let bytes = *self.bytes.get_mut();
            self.home.give_back(FreedFile { id: self.id, bytes, reusable: state == UNNAMED });
        }
    }
}

/// A sealed blob in use: whole, durable, immutable. Clones share it and cross shards; it can be
/// read as long as one lives, also after it was released.
#[derive(Clone)]
pub struct Blob {
    lease: Arc<Lease>,
    location: BlobLocation,
}

impl Blob {
    pub(super) fn new(lease: Arc<Lease>, length: u64, table_crc: u32) -> Self {
        let location = BlobLocation { id: lease.id, size: length, crc: table_crc };
        Self { lease, location }
    }

    /// As a record names it.
    pub fn location(&self) -> BlobLocation {
        self.location
    }

    pub fn id(&self) -> BlobId {
        self.lease.id
    }

    /// Bytes of data.
    pub fn length(&self) -> u64 {
        self.location.size
    }

    /// Bytes on the drive, checksums included.
    pub fn file_bytes(&self) -> u64 {
        self.lease.bytes()
    }

    /// A durable record names the blob now: dropping the last clone keeps the file.
    pub fn set_live(&self) {
        self.lease.state.store(LIVE, Ordering::Relaxed);
    }

    /// No record names the blob any more: its file is free when the last clone is gone.
    pub fn release(self) {
        self.lease.state.store(UNNAMED, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Blob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.location.fmt(f)
    }
}
