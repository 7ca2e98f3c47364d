//! The real drive: reads, writes, syncs and allocations through the shard's ring; calls that only
//! touch names go to the blocking pool. Errors name the path.

use std::fs;
use std::future::ready;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use compio::BufResult;
use compio::buf::{IntoInner, IoBuf};
use compio::driver::op::{ReadAt, Sync};
use compio::runtime::submit;

use super::operations::{Fallocate, WriteFlags};
use super::{DirEntry, Disk, DiskFile, OpenOptions};
use crate::buffer::{Buffer, BufferMut};
use crate::runtime::blocking;

/// The smallest unit of O_DIRECT on any drive.
const SECTOR_BYTES: usize = 512;

/// File systems of this machine through io_uring.
#[derive(Clone, Copy, Debug, Default)]
pub struct UringDisk;

/// A file of this machine.
#[derive(Clone, Debug)]
pub struct UringFile {
    file: Arc<fs::File>,
    path: Arc<Path>,
    direct: bool,
}

fn named(error: &io::Error, doing: &str, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("cannot {doing} {}: {error}", path.display()))
}

/// Runs `work` on `path` off the shard, and names both in its error.
async fn at_path<T: Send + 'static>(
    path: &Path,
    doing: &'static str,
    work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let path: PathBuf = path.into();
    blocking(move || work(&path).map_err(|error| named(&error, doing, &path))).await
}

impl Disk for UringDisk {
    type File = UringFile;

    async fn open(&self, path: &Path, options: OpenOptions) -> io::Result<UringFile> {
        let file = at_path(path, "open", move |path| {
            fs::OpenOptions::new()
                .read(true)
                .write(true)
                .create(options.create)
                .truncate(options.truncate)
                .custom_flags(if options.direct { libc::O_DIRECT } else { 0 })
                .open(path)
        })
        .await?;
        Ok(UringFile { file: Arc::new(file), path: path.into(), direct: options.direct })
    }

    async fn create_dir(&self, path: &Path) -> io::Result<()> {
        at_path(path, "create", |path| fs::create_dir(path)).await
    }

    async fn remove_file(&self, path: &Path) -> io::Result<()> {
        at_path(path, "remove", |path| fs::remove_file(path)).await
    }

    async fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let to: PathBuf = to.into();
        at_path(from, "rename", move |from| {
            fs::rename(from, &to).map_err(|error| {
                io::Error::new(error.kind(), format!("to {}: {error}", to.display()))
            })
        })
        .await
    }

    async fn list_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        at_path(path, "list", |path| {
            fs::read_dir(path)?
                .map(|entry| {
                    let entry = entry?;
                    let metadata = entry.metadata()?;
                    Ok(DirEntry {
                        name: entry.file_name().to_string_lossy().into_owned(),
                        size_bytes: metadata.len(),
                        is_dir: metadata.is_dir(),
                    })
                })
                .collect()
        })
        .await
    }

    async fn sync_dir(&self, path: &Path) -> io::Result<()> {
        at_path(path, "sync", |path| fs::File::open(path)?.sync_all()).await
    }

    async fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        at_path(path, "stat", |path| {
            let path = std::ffi::CString::new(path.as_os_str().as_encoded_bytes())?;
            let mut facts = std::mem::MaybeUninit::<libc::statvfs>::uninit();
            // SAFETY: `path` ends with a NUL and `facts` has room for the answer.
            let status = unsafe { libc::statvfs(path.as_ptr(), facts.as_mut_ptr()) };
            if status != 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the call succeeded, so it filled `facts`.
            let facts = unsafe { facts.assume_init() };
            Ok(facts.f_bavail * facts.f_frsize)
        })
        .await
    }
}

impl UringFile {
    fn error(&self, error: &io::Error, doing: &str) -> io::Error {
        named(error, doing, &self.path)
    }
}

impl DiskFile for UringFile {
    async fn read_at(
        &self,
        mut buffer: BufferMut,
        len: usize,
        offset: u64,
    ) -> io::Result<BufferMut> {
        assert!(len <= buffer.capacity(), "a slot cannot hold {len} bytes");
        buffer.set_filled(0);
        let mut have = 0;
        while have < len {
            let range = IoBuf::slice(buffer, have..len);
            let read = ReadAt::new(self.file.clone(), offset + have as u64, range);
            let BufResult(result, read) = submit(read).await;
            buffer = read.into_inner().into_inner();
            let count = result.map_err(|error| self.error(&error, "read"))?;
            have += count;
            buffer.set_filled(have);
            // With O_DIRECT only the end of the file cuts a read within a sector; to go on from
            // there would be refused as unaligned instead of found to be the end.
            let within_sector = self.direct && !have.is_multiple_of(SECTOR_BYTES);
            if have < len && (count == 0 || within_sector) {
                return Err(self.error(&io::ErrorKind::UnexpectedEof.into(), "read"));
            }
        }
        Ok(buffer)
    }

    async fn write_at(&self, buffer: Buffer, offset: u64, durable: bool) -> io::Result<()> {
        let flags = if durable { libc::RWF_DSYNC } else { 0 };
        let mut rest = buffer;
        let mut at = offset;
        while !rest.is_empty() {
            let write =
                WriteFlags { file: self.file.clone(), offset: at, buffer: rest.clone(), flags };
            let BufResult(result, _) = submit(write).await;
            match result.map_err(|error| self.error(&error, "write"))? {
                0 => return Err(self.error(&io::ErrorKind::WriteZero.into(), "write")),
                count => {
                    rest = rest.view(count..rest.len());
                    at += count as u64;
                }
            }
        }
        Ok(())
    }

    async fn sync_data(&self) -> io::Result<()> {
        let BufResult(result, _) = submit(Sync::new(self.file.clone(), true)).await;
        result.map(drop).map_err(|error| self.error(&error, "sync"))
    }

    async fn allocate(&self, offset: u64, len: u64) -> io::Result<()> {
        let BufResult(result, _) = submit(Fallocate { file: self.file.clone(), offset, len }).await;
        result.map(drop).map_err(|error| self.error(&error, "allocate"))
    }

    async fn truncate(&self, len: u64) -> io::Result<()> {
        let file = self.file.clone();
        let result = blocking(move || file.set_len(len)).await;
        result.map_err(|error| self.error(&error, "truncate"))
    }

    fn size_bytes(&self) -> impl Future<Output = io::Result<u64>> {
        let result = self.file.metadata();
        ready(result.map(|facts| facts.len()).map_err(|error| self.error(&error, "stat")))
    }
}

#[cfg(test)]
mod tests;
