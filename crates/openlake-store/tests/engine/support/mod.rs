//! One life of a server's engine after another on the same drive: real or one that forgets.

pub mod dice;
pub mod multipart;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::try_join_all;
use openlake_coding::Md5State;
use openlake_io::{BufferConfig, Buffers, Disk, FaultDisk};
use openlake_store::{
    Clock, CreateBucket, DeleteObject, Deployment, GetObject, ObjectAttributes, ObjectInfo,
    OpenError, PutObject, StageRequest, StagedBody, Store, StoreConfig, StoreError, WriteCondition,
};
use openlake_types::{BucketName, ByteRange, ETag, ObjectKey, ShardIndex, Timestamp};

/// A directory that is gone when the test ends, on a file system that has O_DIRECT.
pub struct Directory(PathBuf);

static DIRECTORIES: AtomicU32 = AtomicU32::new(0);

impl Directory {
    pub fn new() -> Self {
        let parent = std::env::var_os("TMPDIR").map_or("/var/tmp".into(), PathBuf::from);
        let number = DIRECTORIES.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("openlake-store-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn config(&self, shards: u16) -> StoreConfig {
        let milliseconds = AtomicU64::new(1_700_000_000_000);
        let clock = move || Timestamp(milliseconds.fetch_add(1, Ordering::Relaxed));
        StoreConfig {
            journal_segment_bytes: 4 << 20,
            cache_bytes: 8 << 20,
            recycle_bytes_max: 32 << 20,
            clock: Clock::new(clock),
            ..StoreConfig::new(&self.0, shards)
        }
    }

    /// An empty drive in memory on which the directory's path exists.
    pub fn fault_disk(&self) -> FaultDisk {
        let disk = FaultDisk::new();
        let made = disk.clone();
        let mut paths: Vec<PathBuf> = self.0.ancestors().map(Path::to_owned).collect();
        paths.reverse();
        run(async move {
            for path in &paths[1..] {
                made.create_dir(path).await.unwrap();
                made.sync_dir(path.parent().unwrap()).await.unwrap();
            }
        });
        disk
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn run<T>(test: impl Future<Output = T>) -> T {
    openlake_io::runtime::run_shard(None, || test).unwrap()
}

/// Opens all shards on this thread, runs the test, and drops everything without a word, as a
/// killed process does.
pub fn live<D: Disk, T, F: Future<Output = T>>(
    config: StoreConfig,
    disk: D,
    test: impl FnOnce(Vec<Store<D>>) -> F,
) -> T {
    run(async move { test(open(config, disk).await.unwrap()).await })
}

pub async fn open<D: Disk>(config: StoreConfig, disk: D) -> Result<Vec<Store<D>>, OpenError> {
    let buffers = Buffers::new(BufferConfig { large_count: 48, small_count: 48 }).unwrap();
    open_with(config, disk, buffers).await
}

pub async fn open_with<D: Disk>(
    config: StoreConfig,
    disk: D,
    buffers: Buffers,
) -> Result<Vec<Store<D>>, OpenError> {
    let shards = config.shards;
    let deployment = Deployment::open(config)?;
    let open = |shard| {
        Store::open(deployment_of(&deployment), ShardIndex(shard), disk.clone(), buffers.clone())
    };
    let stores = try_join_all((0..shards).map(open)).await?;
    for store in &stores {
        openlake_io::runtime::spawn(store.clone().run_inbox()).detach();
    }
    Ok(stores)
}

fn deployment_of(deployment: &Arc<Deployment>) -> Arc<Deployment> {
    deployment.clone()
}

pub async fn shutdown<D: Disk>(stores: &[Store<D>]) {
    for store in stores {
        store.shutdown().await;
    }
}

pub fn bucket() -> BucketName {
    BucketName::new("bucket").unwrap()
}

pub fn key(key: &str) -> ObjectKey {
    ObjectKey::new(key.to_owned()).unwrap()
}

pub async fn create_bucket<D: Disk>(store: &Store<D>) {
    let request = CreateBucket { name: bucket(), owner: "me".to_owned(), config: Bytes::new() };
    store.create_bucket(request).await.unwrap();
}

/// Bytes that name their own place, so that any mix-up shows.
pub fn content(seed: u64, size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    openlake_coding::pattern::fill(&mut bytes, seed, 0);
    bytes
}

pub async fn stage<D: Disk>(
    store: &Store<D>,
    name: &ObjectKey,
    bytes: &[u8],
) -> Result<StagedBody, StoreError> {
    let size_hint = Some(bytes.len() as u64);
    let request = StageRequest { bucket: bucket(), key: name.clone(), size_hint };
    let mut staging = store.stage(&request);
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut buffer = staging.buffer(Duration::from_secs(30)).await?;
        let (now, later) = rest.split_at(rest.len().min(buffer.capacity()));
        buffer.as_mut_slice()[..now.len()].copy_from_slice(now);
        buffer.set_filled(now.len());
        staging.write(buffer.freeze()).await?;
        rest = later;
    }
    staging.finish().await
}

pub fn etag(bytes: &[u8]) -> ETag {
    let mut md5 = Md5State::new();
    md5.update(bytes);
    ETag::of_md5(md5.finish())
}

pub async fn put<D: Disk>(
    store: &Store<D>,
    name: &str,
    bytes: &[u8],
) -> Result<ObjectInfo, StoreError> {
    put_if(store, name, bytes, WriteCondition::None).await
}

pub async fn put_if<D: Disk>(
    store: &Store<D>,
    name: &str,
    bytes: &[u8],
    condition: WriteCondition,
) -> Result<ObjectInfo, StoreError> {
    let key = key(name);
    let body = stage(store, &key, bytes).await?;
    let attributes = ObjectAttributes::new(etag(bytes));
    store.put_object(PutObject { bucket: bucket(), key, body, attributes, condition }).await
}

pub async fn get<D: Disk>(store: &Store<D>, name: &str) -> Result<Vec<u8>, StoreError> {
    let handle = store.get_object(GetObject { bucket: bucket(), key: key(name) }).await?;
    let mut reader = handle.body(ByteRange { start: 0, end: handle.info.size });
    let mut bytes = Vec::new();
    while let Some(piece) = reader.next().await? {
        bytes.extend_from_slice(&piece);
    }
    assert_eq!(bytes.len() as u64, handle.info.size);
    assert!(handle.info.parts_count > 0 || handle.info.etag() == etag(&bytes), "{name}");
    Ok(bytes)
}

/// None when there is no such key; any other failure ends the test.
pub async fn find<D: Disk>(store: &Store<D>, name: &str) -> Option<Vec<u8>> {
    match get(store, name).await {
        Ok(bytes) => Some(bytes),
        Err(StoreError::NoSuchKey | StoreError::NoSuchBucket) => None,
        Err(error) => panic!("{name}: {error}"),
    }
}

pub async fn delete<D: Disk>(store: &Store<D>, name: &str) -> Result<bool, StoreError> {
    let condition = WriteCondition::None;
    let request = DeleteObject { bucket: bucket(), key: key(name), condition };
    store.delete_object(request).await.map(|outcome| outcome.existed)
}
