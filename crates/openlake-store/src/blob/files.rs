//! Open blob files and checked page checksums, kept within bounds for all readers of a shard:
//! ten thousand blobs hold neither ten thousand descriptors nor all their checksum tables.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;

use futures_util::future::{FutureExt, LocalBoxFuture, Shared};
use openlake_format::BlobLocation;
use openlake_format::blob_footer::BlobFooter;
use openlake_format::blob_layout::BlobLayout;
use openlake_format::blob_tail::decode_block;
use openlake_io::{Buffer, Buffers, Disk, DiskFile, OpenOptions};
use openlake_types::BlobId;
use openlake_types::limits::PAGE_BYTES;

use super::error::{BlobError, CorruptPart};
use super::names::file_path;
use crate::cache::s3_fifo::S3Fifo;
use crate::cache::weight::{ENTRY_OVERHEAD_BYTES, Weigh, Weight};

/// Descriptors that a shard keeps open beside those in use.
const OPEN_FILES_MAX: Weight = 512;
/// Checked table blocks that a shard keeps; one covers 4 MiB of data.
const TABLE_BLOCKS_MAX: Weight = 2048;

struct OpenFile<F>(F);

impl<F> Weigh for OpenFile<F> {
    fn weight(&self) -> Weight {
        0
    }
}

/// The CRCs of one table block, perhaps still on their way from the drive.
#[derive(Clone)]
struct TableBlock(Shared<LocalBoxFuture<'static, Result<Rc<[u32]>, BlobError>>>);

impl Weigh for TableBlock {
    fn weight(&self) -> Weight {
        PAGE_BYTES as Weight
    }
}

pub(super) struct BlobFiles<D: Disk> {
    pub disk: D,
    pub buffers: Buffers,
    pub root: PathBuf,
    open: RefCell<S3Fifo<u64, OpenFile<D::File>>>,
    tables: RefCell<S3Fifo<(BlobId, u32), TableBlock>>,
    pub corrupt: Cell<u64>,
}

impl<D: Disk> BlobFiles<D> {
    pub fn new(disk: D, buffers: Buffers, root: PathBuf) -> Self {
        let block = PAGE_BYTES as Weight + ENTRY_OVERHEAD_BYTES;
        Self {
            disk,
            buffers,
            root,
            open: RefCell::new(S3Fifo::new(OPEN_FILES_MAX * ENTRY_OVERHEAD_BYTES)),
            tables: RefCell::new(S3Fifo::new(TABLE_BLOCKS_MAX * block)),
            corrupt: Cell::new(0),
        }
    }

    pub fn path(&self, number: u64) -> PathBuf {
        file_path(&self.root, number)
    }

    pub async fn open(&self, number: u64) -> std::io::Result<D::File> {
        if let Some(file) = self.open.borrow_mut().get(&number) {
            return Ok(file.0.clone());
        }
        self.open_with(number, false).await
    }

    pub async fn create(&self, number: u64) -> std::io::Result<D::File> {
        self.open_with(number, true).await
    }

    async fn open_with(&self, number: u64, create: bool) -> std::io::Result<D::File> {
        let options = OpenOptions { create, direct: true, truncate: create };
        let file = self.disk.open(&self.path(number), options).await?;
        self.open.borrow_mut().insert(number, OpenFile(file.clone()));
        Ok(file)
    }

    pub fn forget(&self, number: u64) {
        self.open.borrow_mut().remove(&number);
    }

    /// The CRCs of one table block, checked; read once however many ask.
    pub async fn table_block(
        self: &Rc<Self>,
        location: BlobLocation,
        block: u32,
    ) -> Result<Rc<[u32]>, BlobError> {
        let id = location.id;
        let known = self.tables.borrow_mut().get(&(id, block)).cloned();
        let table = known.unwrap_or_else(|| {
            let files = self.clone();
            let read = async move { files.read_table_block(location, block).await };
            let table = TableBlock(read.boxed_local().shared());
            self.tables.borrow_mut().insert((id, block), table.clone());
            table
        });
        let result = table.0.await;
        if result.is_err() {
            self.tables.borrow_mut().remove(&(id, block));
        }
        result
    }

    async fn read_table_block(
        &self,
        location: BlobLocation,
        block: u32,
    ) -> Result<Rc<[u32]>, BlobError> {
        let (id, layout) = (location.id, BlobLayout::new(location.size));
        let page = self.read(id, layout.block_offset(block), PAGE_BYTES).await?;
        if u64::from(block) < layout.whole_blocks() {
            return decode_block(id, block, &page)
                .map(Rc::from)
                .map_err(|error| self.corrupt(id, CorruptPart::Table { block }, &error));
        }
        let corrupt =
            |reason: &dyn std::fmt::Display| self.corrupt(id, CorruptPart::Footer, reason);
        let footer = BlobFooter::decode(&page).map_err(|error| corrupt(&error))?;
        if (footer.id, footer.length, footer.table_crc) != (id, location.size, location.crc) {
            return Err(corrupt(&"the footer is not of the blob that the record names"));
        }
        footer.entries(&page).map(Rc::from).map_err(|error| corrupt(&error))
    }

    /// Opens the file, so that reads that start together find it open.
    pub async fn open_for_reads(&self, id: BlobId) -> Result<(), BlobError> {
        self.open(id.file).await.map(drop).map_err(|error| self.read_error(id, error))
    }

    /// Reads whole pages of a blob's file.
    pub async fn read(&self, id: BlobId, offset: u64, len: usize) -> Result<Buffer, BlobError> {
        let failed = |error| self.read_error(id, error);
        let file = self.open(id.file).await.map_err(failed)?;
        let small = len <= openlake_io::SMALL_BYTES;
        let buffer = if small { self.buffers.small().await } else { self.buffers.large().await };
        let buffer = file.read_at(buffer, len, offset).await.map_err(failed)?;
        Ok(buffer.freeze())
    }

    fn read_error(&self, id: BlobId, error: std::io::Error) -> BlobError {
        match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::UnexpectedEof => {
                self.corrupt(id, CorruptPart::File, &error)
            }
            _ => error.into(),
        }
    }

    pub fn corrupt(
        &self,
        id: BlobId,
        part: CorruptPart,
        reason: &dyn std::fmt::Display,
    ) -> BlobError {
        self.corrupt.set(self.corrupt.get() + 1);
        BlobError::Corrupt { id, part, reason: reason.to_string() }
    }
}
