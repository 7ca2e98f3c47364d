//! What is on the drive when a shard starts: missing directories are made, files are listed, and
//! those that no record names become free again.

use std::io;

use openlake_format::blob_footer::BlobFooter;
use openlake_io::{Disk, DiskFile};
use openlake_types::BlobId;
use openlake_types::limits::PAGE_BYTES;

use super::error::BlobError;
use super::names::{directories_of, directory_path, number_of};
use super::pool::{BlobPool, PoolInner};
use super::recycle::FreeFile;

/// A file that was there at the start, in one of the shard's directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundFile {
    pub number: u64,
    pub bytes: u64,
}

/// What became of the files that were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    pub live: u64,
    /// No record names them; free for the next blobs.
    pub recycled: u64,
    /// No record names them and their last use is unknown, or they exceed the bound.
    pub removed: u64,
}

impl<D: Disk> BlobPool<D> {
    /// Sorts the files found at the start. `is_live` must know the blobs of *all* shards' records.
    pub async fn recover(&self, is_live: impl Fn(u64) -> bool) -> Result<Recovered, BlobError> {
        let found = self.0.found.take();
        let mut recovered = Recovered::default();
        let mut kept_bytes = 0;
        for file in found {
            if is_live(file.number) {
                recovered.live += 1;
                continue;
            }
            let fits = kept_bytes + file.bytes <= self.0.config.recycle_bytes_max;
            let last_use = if fits { self.0.last_use(file).await? } else { None };
            if let Some(id) = last_use {
                kept_bytes += file.bytes;
                self.0.adopt(FreeFile { id, bytes: file.bytes });
                recovered.recycled += 1;
            } else {
                let id = BlobId { file: file.number, generation: 0 };
                self.0.remove(FreeFile { id, bytes: file.bytes }).await?;
                recovered.removed += 1;
            }
        }
        Ok(recovered)
    }
}

impl<D: Disk> PoolInner<D> {
    pub(super) async fn prepare_directories(&self) -> Result<(), BlobError> {
        let (disk, root) = (&self.files.disk, &self.config.root);
        create_dir(disk, root).await?;
        if let Some(parent) = root.parent() {
            disk.sync_dir(parent).await?;
        }
        let present = disk.list_dir(root).await?;
        let names: Vec<&str> = present.iter().map(|entry| entry.name.as_str()).collect();
        for directory in 0..=u8::MAX {
            let path = directory_path(root, directory);
            if !names.contains(&format!("{directory:02x}").as_str()) {
                create_dir(disk, &path).await?;
            }
        }
        Ok(disk.sync_dir(root).await?)
    }

    pub(super) async fn list_files(&self) -> Result<(), BlobError> {
        for directory in directories_of(self.config.shard, self.config.shards) {
            let path = directory_path(&self.config.root, directory);
            for entry in self.files.disk.list_dir(&path).await? {
                if let Some(number) = number_of(directory, &entry.name) {
                    self.numbers.borrow_mut().reserve(number);
                    self.found.borrow_mut().push(FoundFile { number, bytes: entry.size_bytes });
                }
            }
        }
        Ok(())
    }

    /// The latest use of a file, if its footer tells.
    async fn last_use(&self, file: FoundFile) -> Result<Option<BlobId>, BlobError> {
        if file.bytes == 0 || !file.bytes.is_multiple_of(PAGE_BYTES as u64) {
            return Ok(None);
        }
        let handle = self.files.open(file.number).await?;
        let buffer = self.files.buffers.small().await;
        let at = file.bytes - PAGE_BYTES as u64;
        let page = handle.read_at(buffer, PAGE_BYTES, at).await?;
        let footer = BlobFooter::decode(page.filled()).ok();
        Ok(footer.map(|footer| footer.id).filter(|id| id.file == file.number))
    }
}

/// Another shard may make the same directory at the same time.
async fn create_dir<D: Disk>(disk: &D, path: &std::path::Path) -> io::Result<()> {
    match disk.create_dir(path).await {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
}
