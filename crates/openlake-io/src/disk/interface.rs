//! The traits that a drive implements, and their small values.

use std::io;
use std::path::Path;

use crate::buffer::{Buffer, BufferMut};

/// How to open a file; every file is readable and writable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Make it if it does not exist.
    pub create: bool,
    /// Bypass the page cache: offsets, lengths and memory are multiples of 4,096.
    pub direct: bool,
    /// Empty it first.
    pub truncate: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    pub name: String,
    pub size_bytes: u64,
    pub is_dir: bool,
}

/// Directory operations. What they change is durable only after `sync_dir` of the directory.
#[allow(async_fn_in_trait, reason = "futures stay on their shard, so no Send bound is wanted")]
pub trait Disk: Clone + 'static {
    type File: DiskFile;

    async fn open(&self, path: &Path, options: OpenOptions) -> io::Result<Self::File>;
    async fn create_dir(&self, path: &Path) -> io::Result<()>;
    async fn remove_file(&self, path: &Path) -> io::Result<()>;
    async fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Entries in no particular order.
    async fn list_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>>;
    async fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Bytes that can still be written on the file system of `path`.
    async fn free_bytes(&self, path: &Path) -> io::Result<u64>;
}

/// An open file; clones share it, and it closes with the last.
#[allow(async_fn_in_trait, reason = "as for Disk")]
pub trait DiskFile: Clone + 'static {
    /// Fills the first `len` bytes of `buffer`; a file that ends before is `UnexpectedEof`.
    async fn read_at(&self, buffer: BufferMut, len: usize, offset: u64) -> io::Result<BufferMut>;
    /// Writes all of `buffer`. `durable`: it and what is needed to find it are on stable storage
    /// when this resolves (`RWF_DSYNC`).
    async fn write_at(&self, buffer: Buffer, offset: u64, durable: bool) -> io::Result<()>;
    /// Content and the metadata needed to read it are on stable storage (`fdatasync`).
    async fn sync_data(&self) -> io::Result<()>;
    /// Reserves space; bytes that were never written read as zeros, and the file grows to it.
    async fn allocate(&self, offset: u64, len: u64) -> io::Result<()>;
    async fn truncate(&self, len: u64) -> io::Result<()>;
    async fn size_bytes(&self) -> io::Result<u64>;
}
