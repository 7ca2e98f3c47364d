//! The blob files of one shard: hands out files to write, takes them back when nobody uses them,
//! and keeps the space of free files within its bound.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use openlake_format::BlobLocation;
use openlake_format::blob_layout::BlobLayout;
use openlake_io::{Buffers, Disk, DiskFile};
use openlake_types::{BlobId, Epoch, PlacementGroup, ShardIndex};

use super::error::{BlobError, is_out_of_space};
use super::files::BlobFiles;
use super::flight::Flight;
use super::lease::{Blob, Home, Homes, Lease};
use super::names::{BATCH, Numbers, directory_path};
use super::reader::BlobReader;
use super::recover::FoundFile;
use super::recycle::{FreeFile, RecycleList};
use super::writer::BlobWriter;

#[derive(Clone, Debug)]
pub struct BlobConfig {
    /// The directory of all blob files of the drive.
    pub root: PathBuf,
    pub shard: ShardIndex,
    pub shards: u16,
    /// Space that this shard's free files may hold.
    pub recycle_bytes_max: u64,
    pub epoch: Epoch,
}

/// What the pool did and holds; for `/metrics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlobStats {
    pub files_recycled: u64,
    pub files_created: u64,
    pub files_discarded: u64,
    /// Free files that could not be discarded; their space is found again at the next start.
    pub discards_failed: u64,
    pub blobs_sealed: u64,
    pub bytes_sealed: u64,
    pub free_files: u64,
    pub free_bytes: u64,
    pub corrupt: u64,
}

/// Cheap to clone; belongs to its shard.
pub struct BlobPool<D: Disk>(pub(super) Rc<PoolInner<D>>);

impl<D: Disk> Clone for BlobPool<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

pub(super) struct PoolInner<D: Disk> {
    pub files: Rc<BlobFiles<D>>,
    pub config: BlobConfig,
    pub home: Arc<Home>,
    homes: Arc<Homes>,
    pub numbers: RefCell<Numbers>,
    recycle: RefCell<RecycleList>,
    /// Files that are to be removed.
    discards: RefCell<Vec<FreeFile>>,
    /// Numbers of new, empty files whose directory entries are durable.
    spares: RefCell<Vec<u64>>,
    spares_wanted: Cell<bool>,
    /// Files that were there at the start, until `recover` has sorted them.
    pub found: RefCell<Vec<FoundFile>>,
    pub stats: RefCell<BlobStats>,
}

/// A file to write, whole pages preallocated.
pub(super) struct Taken<D: Disk> {
    pub lease: Arc<Lease>,
    pub file: D::File,
}

impl<D: Disk> BlobPool<D> {
    /// Makes the directories that are missing and lists the files; `recover` must follow before
    /// free files of an earlier run are used again.
    pub async fn open(
        disk: D,
        buffers: Buffers,
        homes: Arc<Homes>,
        config: BlobConfig,
    ) -> Result<Self, BlobError> {
        let numbers = Numbers::new(config.shard, config.shards);
        let home = homes.of(config.shard);
        let inner = Rc::new(PoolInner {
            files: Rc::new(BlobFiles::new(disk, buffers, config.root.clone())),
            config,
            home,
            homes,
            numbers: RefCell::new(numbers),
            recycle: RefCell::default(),
            discards: RefCell::default(),
            spares: RefCell::default(),
            spares_wanted: Cell::new(false),
            found: RefCell::default(),
            stats: RefCell::default(),
        });
        inner.prepare_directories().await?;
        inner.list_files().await?;
        openlake_io::runtime::spawn(tidy_forever(Rc::downgrade(&inner), inner.home.clone()))
            .detach();
        Ok(Self(inner))
    }

    /// Starts a blob. With a size hint, exactly that much is allocated now.
    pub async fn writer(
        &self,
        size_hint: Option<u64>,
        placement_group: PlacementGroup,
    ) -> Result<BlobWriter<D>, BlobError> {
        BlobWriter::new(self.0.clone(), size_hint, placement_group).await
    }

    /// A blob that a record names, met at recovery; its file will return to this shard. Ask the
    /// shard of its directory: its number is taken even if the file was lost.
    pub fn existing(&self, location: BlobLocation) -> Blob {
        self.0.numbers.borrow_mut().reserve(location.id.file);
        let bytes = BlobLayout::new(location.size).file_bytes();
        let lease = Lease::live(location.id, bytes, self.0.home.clone());
        Blob::new(lease, location.size, location.crc)
    }

    /// Any shard may read any blob.
    pub fn reader(&self, blob: Blob) -> BlobReader<D> {
        BlobReader::new(self.0.files.clone(), blob)
    }

    /// Gives the space of all free files back, also that of the other shards.
    pub async fn reclaim(&self) {
        self.0.reclaim().await;
    }

    pub fn stats(&self) -> BlobStats {
        self.0.collect_returns();
        let recycle = self.0.recycle.borrow();
        BlobStats {
            free_files: recycle.len() as u64,
            free_bytes: recycle.bytes(),
            corrupt: self.0.files.corrupt.get(),
            ..*self.0.stats.borrow()
        }
    }
}

impl<D: Disk> PoolInner<D> {
    /// A file of this size: a free one, else a new one. Empties the list of free files when the
    /// drive is full, and tries once more.
    pub async fn take(self: &Rc<Self>, bytes: u64) -> Result<Taken<D>, BlobError> {
        self.collect_returns();
        let free = self.recycle.borrow_mut().take(bytes);
        if let Some(free) = free {
            return self.reuse(free, bytes).await;
        }
        let taken = self.new_file().await?;
        self.allocate(&taken, bytes).await?;
        Ok(taken)
    }

    async fn reuse(&self, free: FreeFile, bytes: u64) -> Result<Taken<D>, BlobError> {
        self.home.free_bytes.fetch_sub(free.bytes, Ordering::Relaxed);
        let id = BlobId { generation: free.id.generation + 1, ..free.id };
        let lease = Lease::unnamed(id, free.bytes, self.home.clone());
        let file = self.files.open(id.file).await.inspect_err(|_| lease.set_broken())?;
        let taken = Taken { lease, file };
        if free.bytes > bytes {
            self.truncate(&taken, bytes).await?;
        }
        self.stats.borrow_mut().files_recycled += 1;
        Ok(taken)
    }

    async fn new_file(self: &Rc<Self>) -> Result<Taken<D>, BlobError> {
        let number = match self.pop_spare() {
            Some(number) => number,
            None => self.new_spares_or_reclaim().await?,
        };
        let id = BlobId { file: number, generation: 0 };
        let lease = Lease::unnamed(id, 0, self.home.clone());
        let file = self.files.open(number).await.inspect_err(|_| lease.set_broken())?;
        self.stats.borrow_mut().files_created += 1;
        Ok(Taken { lease, file })
    }

    fn pop_spare(&self) -> Option<u64> {
        let mut spares = self.spares.borrow_mut();
        let number = spares.pop();
        if (spares.len() as u64) < BATCH / 2 {
            self.spares_wanted.set(true);
            self.home.waker.wake();
        }
        number
    }

    async fn new_spares_or_reclaim(self: &Rc<Self>) -> Result<u64, BlobError> {
        if let Err(BlobError::OutOfSpace) = self.make_spares().await {
            self.reclaim().await;
            self.make_spares().await?;
        }
        self.spares.borrow_mut().pop().ok_or(BlobError::OutOfSpace)
    }

    /// Makes a batch of empty files and their directory entries durable.
    async fn make_spares(self: &Rc<Self>) -> Result<(), BlobError> {
        let pool = self.clone();
        Flight::start(async move {
            let (directory, numbers) = pool.numbers.borrow_mut().next_batch();
            for number in &numbers {
                pool.files.create(*number).await?;
            }
            let path = directory_path(&pool.config.root, directory);
            pool.files.disk.sync_dir(&path).await.map_err(|error| BlobError::SyncFailed {
                file: numbers[0],
                source: Arc::new(error),
            })?;
            pool.spares.borrow_mut().extend(numbers);
            Ok(())
        })
        .await
    }

    /// Extends the file to `bytes`; on a full drive the free files give way first.
    pub async fn allocate(self: &Rc<Self>, taken: &Taken<D>, bytes: u64) -> Result<(), BlobError> {
        for attempt in 0..2 {
            let (lease, file) = (taken.lease.clone(), taken.file.clone());
            let allocation = Flight::start(async move {
                let from = lease.bytes();
                file.allocate(from, bytes - from).await.inspect(|()| lease.set_bytes(bytes))
            });
            match allocation.await {
                Ok(()) => return Ok(()),
                Err(error) if is_out_of_space(&error) && attempt == 0 => self.reclaim().await,
                Err(error) => {
                    taken.lease.set_broken();
                    return Err(error.into());
                }
            }
        }
        unreachable!("the second attempt returns")
    }

    pub async fn truncate(&self, taken: &Taken<D>, bytes: u64) -> Result<(), BlobError> {
        let (lease, file) = (taken.lease.clone(), taken.file.clone());
        let cut = Flight::start(async move {
            file.truncate(bytes).await.inspect(|()| lease.set_bytes(bytes))
        });
        Ok(cut.await.inspect_err(|_| taken.lease.set_broken())?)
    }

    /// Files that came home become free, or wait for removal when they are not worth keeping.
    pub fn collect_returns(&self) {
        while let Some(freed) = self.home.next_return() {
            let file = FreeFile { id: freed.id, bytes: freed.bytes };
            if freed.reusable && freed.bytes > 0 && freed.id.generation < u32::MAX {
                self.recycle.borrow_mut().add(file);
            } else {
                self.discards.borrow_mut().push(file);
            }
        }
        self.trim(self.config.recycle_bytes_max);
    }

    /// Free files above the bound wait for removal, the oldest first.
    fn trim(&self, bytes_max: u64) {
        let mut recycle = self.recycle.borrow_mut();
        while recycle.bytes() > bytes_max
            && let Some(oldest) = recycle.take_oldest()
        {
            self.discards.borrow_mut().push(oldest);
        }
        if !self.discards.borrow().is_empty() {
            self.home.waker.wake();
        }
    }

    /// A free file from an earlier run; the oldest ones beyond the bound are removed.
    pub fn adopt(&self, file: FreeFile) {
        self.home.free_bytes.fetch_add(file.bytes, Ordering::Relaxed);
        self.recycle.borrow_mut().add(file);
        self.trim(self.config.recycle_bytes_max);
    }

    pub async fn reclaim(&self) {
        self.reclaim_own().await;
        for other in self.homes.others(&self.home) {
            if other.free_bytes.load(Ordering::Relaxed) > 0 {
                other.pressed.store(true, Ordering::Release);
                other.waker.wake();
            }
        }
        // The others answer within a turn of their loop; a shard that has stopped never does.
        for _ in 0..PRESSURE_WAITS {
            if self.homes.others(&self.home).all(|other| !other.pressed.load(Ordering::Acquire)) {
                break;
            }
            openlake_io::runtime::sleep(PRESSURE_WAIT).await;
        }
    }

    async fn reclaim_own(&self) {
        self.collect_returns();
        self.trim(0);
        self.remove_discards().await;
    }

    async fn remove_discards(&self) {
        loop {
            let next = self.discards.borrow_mut().pop();
            let Some(file) = next else { return };
            self.home.free_bytes.fetch_sub(file.bytes, Ordering::Relaxed);
            let removed = self.remove(file).await;
            let mut stats = self.stats.borrow_mut();
            match removed {
                Ok(()) => stats.files_discarded += 1,
                Err(_) => stats.discards_failed += 1,
            }
        }
    }

    /// Cuts the file first: another shard may still hold a descriptor that keeps its space.
    pub async fn remove(&self, file: FreeFile) -> std::io::Result<()> {
        let number = file.id.file;
        self.files.open(number).await?.truncate(0).await?;
        self.files.forget(number);
        self.files.disk.remove_file(&self.files.path(number)).await
    }

    async fn tidy(self: &Rc<Self>) {
        self.collect_returns();
        self.remove_discards().await;
        if self.home.pressed.load(Ordering::Acquire) {
            self.reclaim_own().await;
            self.home.pressed.store(false, Ordering::Release);
        }
        if self.spares_wanted.take() && (self.spares.borrow().len() as u64) < BATCH / 2 {
            // A failure is met again, and told, by the writer that finds no spare.
            let _ = self.make_spares().await;
        }
    }

    fn has_work(&self) -> bool {
        self.home.has_returns()
            || self.home.pressed.load(Ordering::Acquire)
            || self.spares_wanted.get()
            || !self.discards.borrow().is_empty()
    }
}

/// Turns of waiting for other shards to give space back: half a second together.
const PRESSURE_WAITS: u32 = 250;
const PRESSURE_WAIT: std::time::Duration = std::time::Duration::from_millis(2);

impl<D: Disk> Drop for PoolInner<D> {
    fn drop(&mut self) {
        self.home.waker.wake();
    }
}

/// Runs beside the requests until the pool is gone.
async fn tidy_forever<D: Disk>(pool: Weak<PoolInner<D>>, home: Arc<Home>) {
    loop {
        std::future::poll_fn(|context| {
            home.waker.register(context.waker());
            match pool.upgrade() {
                Some(pool) if !pool.has_work() => std::task::Poll::Pending,
                _ => std::task::Poll::Ready(()),
            }
        })
        .await;
        let Some(pool) = pool.upgrade() else { return };
        pool.tidy().await;
    }
}
