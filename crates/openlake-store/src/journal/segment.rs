//! Segment files: made full of zeros, so that later writes change no file-system metadata.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};

use openlake_format::{SegmentHeader, SegmentId};
use openlake_io::{BufferConfig, Buffers, Disk, DiskFile, LARGE_BYTES, OpenOptions};
use openlake_types::limits::PAGE_BYTES;

/// Where a record lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    pub segment: SegmentId,
    pub offset: u32,
    /// Header and payload.
    pub bytes: u32,
}

pub struct SegmentFile<D: Disk> {
    pub number: u64,
    pub path: PathBuf,
    pub file: D::File,
    pub bytes: u64,
}

/// A segment that holds batches.
pub struct Segment<D: Disk> {
    pub file: SegmentFile<D>,
    pub header: SegmentHeader,
    /// Where the next batch goes.
    pub tail: Cell<u64>,
    pub batches: Cell<u32>,
}

impl<D: Disk> Segment<D> {
    pub fn new(file: SegmentFile<D>, header: SegmentHeader) -> Self {
        Self { file, header, tail: Cell::new(PAGE_BYTES as u64), batches: Cell::new(0) }
    }

    pub const fn id(&self) -> SegmentId {
        self.header.id
    }
}

/// The directory of the segments; each shard has a handle of its own.
pub struct SegmentFiles<D: Disk> {
    disk: D,
    directory: PathBuf,
    /// Apart from the buffers of bodies: a commit never waits for memory that waits for a commit.
    buffers: Buffers,
    segment_bytes: u64,
    next_number: Cell<u64>,
    number_step: u64,
}

const EXTENSION: &str = "segment";
/// A batch fills, one is written, two are read for compaction, one is zeros; never all at once.
const LARGE_BUFFERS: usize = 8;
const SMALL_BUFFERS: usize = 2;

impl<D: Disk> SegmentFiles<D> {
    pub fn new(disk: D, directory: &Path, segment_bytes: u64) -> io::Result<Self> {
        let config = BufferConfig { large_count: LARGE_BUFFERS, small_count: SMALL_BUFFERS };
        Ok(Self {
            disk,
            directory: directory.to_owned(),
            buffers: Buffers::new(config)?,
            segment_bytes,
            next_number: Cell::new(0),
            number_step: 1,
        })
    }

    /// New files get `first`, `first + step`, and so on; no two shards share a number.
    pub fn number_from(&mut self, first: u64, step: u64) {
        self.next_number.set(first);
        self.number_step = step;
    }

    pub const fn segment_bytes(&self) -> u64 {
        self.segment_bytes
    }

    pub const fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes the directory if it is missing; shards may do so at the same time.
    pub async fn prepare(&self) -> io::Result<()> {
        match self.disk.create_dir(&self.directory).await {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => result?,
        }
        match self.directory.parent() {
            Some(parent) => self.disk.sync_dir(parent).await,
            None => Ok(()),
        }
    }

    /// Number and size of each segment file, in order of the numbers.
    pub async fn list(&self) -> io::Result<Vec<(u64, u64)>> {
        let entries = self.disk.list_dir(&self.directory).await?;
        let numbered = entries.iter().filter_map(|entry| {
            let digits = entry.name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
            Some((u64::from_str_radix(digits, 16).ok()?, entry.size_bytes))
        });
        let mut found: Vec<_> = numbered.collect();
        found.sort_unstable();
        Ok(found)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.directory.join(format!("{number:016x}.{EXTENSION}"))
    }

    pub async fn open(&self, number: u64, bytes: u64) -> io::Result<SegmentFile<D>> {
        let path = self.path(number);
        let options = OpenOptions { create: false, direct: true, truncate: false };
        let file = self.disk.open(&path, options).await?;
        Ok(SegmentFile { number, path, file, bytes })
    }

    /// A new file, written in full; leaves nothing behind when it fails.
    pub async fn create(&self) -> io::Result<SegmentFile<D>> {
        let number = self.next_number.get();
        self.next_number.set(number + self.number_step);
        let path = self.path(number);
        let options = OpenOptions { create: true, direct: true, truncate: true };
        let file = self.disk.open(&path, options).await?;
        match self.fill(&file).await {
            Ok(()) => Ok(SegmentFile { number, path, file, bytes: self.segment_bytes }),
            Err(error) => {
                // The first failure is the one to tell; a leftover is removed at the next start.
                let _ = self.disk.remove_file(&path).await;
                Err(error)
            }
        }
    }

    async fn fill(&self, file: &D::File) -> io::Result<()> {
        file.allocate(0, self.segment_bytes).await?;
        let mut zeros = self.buffers.large().await;
        zeros.as_mut_slice().fill(0);
        zeros.set_filled(LARGE_BYTES);
        let zeros = zeros.freeze();
        let mut offset = 0;
        while offset < self.segment_bytes {
            let len = (self.segment_bytes - offset).min(LARGE_BYTES as u64);
            file.write_at(zeros.view(0..len as usize), offset, false).await?;
            offset += len;
        }
        file.sync_data().await?;
        self.disk.sync_dir(&self.directory).await
    }

    pub async fn remove(&self, file: SegmentFile<D>) -> io::Result<()> {
        self.disk.remove_file(&file.path).await?;
        self.disk.sync_dir(&self.directory).await
    }

    pub async fn read_header(&self, file: &SegmentFile<D>) -> io::Result<[u8; PAGE_BYTES]> {
        let page = file.file.read_at(self.buffers.small().await, PAGE_BYTES, 0).await?;
        Ok(page.filled().try_into().expect("a page was read"))
    }

    /// On disk when it returns.
    pub async fn write_header(
        &self,
        file: &SegmentFile<D>,
        header: &SegmentHeader,
    ) -> io::Result<()> {
        let mut page = self.buffers.small().await;
        page.as_mut_slice()[..PAGE_BYTES].copy_from_slice(&header.encode());
        page.set_filled(PAGE_BYTES);
        file.file.write_at(page.freeze(), 0, true).await
    }
}
