//! The promises of blobs, on the disk that loses what was not synced and on a real one.

mod bounds;
mod corruption;
mod durability;
mod recycling;
mod round_trip;
mod space;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openlake_coding::pattern;
use openlake_io::disk::fault::{Action, Operation, Rule};
use openlake_io::runtime::run_shard;
use openlake_io::{Buffer, BufferConfig, Buffers, Disk, FaultDisk, LARGE_BYTES, UringDisk};
use openlake_types::{Epoch, PlacementGroup, ShardIndex};

use super::*;

const GROUP: PlacementGroup = PlacementGroup::of_hash(7);
const MIB: u64 = 1 << 20;

fn config(root: &Path) -> BlobConfig {
    BlobConfig {
        root: root.to_path_buf(),
        shard: ShardIndex(0),
        shards: 1,
        recycle_bytes_max: 256 * MIB,
        epoch: Epoch(1),
    }
}

fn buffers() -> Buffers {
    Buffers::new(BufferConfig { large_count: 64, small_count: 64 }).expect("address space")
}

/// Runs a shard's future to its end on this thread.
fn run<F: Future<Output = ()>>(test: impl FnOnce() -> F) {
    run_shard(None, test).expect("the runtime starts");
}

async fn open<D: Disk>(disk: &D, config: BlobConfig) -> BlobPool<D> {
    let homes = Homes::new(config.shards);
    open_with(disk, &homes, config).await
}

async fn open_with<D: Disk>(disk: &D, homes: &Arc<Homes>, config: BlobConfig) -> BlobPool<D> {
    let pool = BlobPool::open(disk.clone(), buffers(), homes.clone(), config).await;
    pool.expect("the pool opens")
}

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

fn root() -> &'static Path {
    Path::new("/d/blobs")
}

/// A drive in memory that forgets what was not synced.
async fn fault_disk() -> FaultDisk {
    let disk = FaultDisk::new();
    disk.create_dir(Path::new("/d")).await.expect("made");
    disk.sync_dir(Path::new("/")).await.expect("synced");
    disk
}

/// Operations of this kind fail, `times` times.
fn failing(operation: Operation, path: &'static str, times: u64, code: i32) -> Rule {
    Rule { operation, path, skip: 0, times, action: Action::Fail(code) }
}

/// A directory of this machine that is removed again.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("openlake-blob-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a scratch directory");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("the scratch directory is there");
    }
}

/// Names and sizes of all blob files on the disk.
async fn blob_files<D: Disk>(disk: &D, root: &Path) -> Vec<(String, u64)> {
    let mut files = Vec::new();
    for directory in 0..=u8::MAX {
        let entries = disk.list_dir(&root.join(format!("{directory:02x}"))).await.expect("listed");
        files.extend(entries.into_iter().map(|entry| (entry.name, entry.size_bytes)));
    }
    files
}

/// The bytes that a test writes: `seed` tells one blob's from another's.
fn data(seed: u64, length: u64) -> Vec<u8> {
    let mut data = vec![0; length as usize];
    pattern::fill(&mut data, seed, 0);
    data
}

async fn buffer_of(bytes: &[u8]) -> Buffer {
    thread_local!(static BUFFERS: Buffers = buffers());
    let mut buffer = BUFFERS.with(Clone::clone).large().await;
    buffer.as_mut_slice()[..bytes.len()].copy_from_slice(bytes);
    buffer.set_filled(bytes.len());
    buffer.freeze()
}

async fn write<D: Disk>(pool: &BlobPool<D>, seed: u64, length: u64) -> Result<Blob, BlobError> {
    let mut writer = pool.writer(Some(length), GROUP).await?;
    for chunk in data(seed, length).chunks(LARGE_BYTES) {
        writer.write(buffer_of(chunk).await).await?;
    }
    writer.finish().await
}

/// The whole blob, through the read-ahead.
async fn read_all<D: Disk>(pool: &BlobPool<D>, blob: &Blob) -> Result<Vec<u8>, BlobError> {
    let reader = pool.reader(blob.clone());
    let mut ahead = ReadAhead::new();
    let (mut at, mut out) = (0, Vec::new());
    loop {
        let next = ahead.next(|| {
            let end = (at + MIB).min(blob.length());
            let range = std::mem::replace(&mut at, end)..end;
            (!range.is_empty()).then(|| Piece::Read(reader.clone(), range))
        });
        match next.await? {
            Some(piece) => out.extend_from_slice(&piece),
            None => return Ok(out),
        }
    }
}

/// Waits until the pool's own task has done its work.
async fn settled<D: Disk>(pool: &BlobPool<D>, wanted: impl Fn(&BlobStats) -> bool) {
    for _ in 0..10_000 {
        if wanted(&pool.stats()) {
            return;
        }
        openlake_io::runtime::sleep(std::time::Duration::from_millis(1)).await;
    }
    panic!("never reached: {:?}", pool.stats());
}
