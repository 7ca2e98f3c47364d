//! Reads of a sealed blob: only the pages that hold the wanted bytes, each checked before a byte
//! of it is handed out. A reader keeps its blob from being recycled.

use std::ops::Range;
use std::rc::Rc;

use futures_util::future::try_join;
use openlake_coding::page_crcs;
use openlake_format::blob_layout::BlobLayout;
use openlake_io::{Buffer, Disk, LARGE_BYTES};
use openlake_types::limits::PAGE_BYTES;

use super::error::{BlobError, CorruptPart};
use super::files::BlobFiles;
use super::lease::Blob;

const PAGE: u64 = PAGE_BYTES as u64;

/// Bytes that one read hands out at most, so that the pages around them fit a buffer.
pub const READ_BYTES_MAX: usize = LARGE_BYTES;

pub struct BlobReader<D: Disk> {
    files: Rc<BlobFiles<D>>,
    blob: Blob,
    layout: BlobLayout,
}

impl<D: Disk> Clone for BlobReader<D> {
    fn clone(&self) -> Self {
        Self { files: self.files.clone(), blob: self.blob.clone(), layout: self.layout }
    }
}

impl<D: Disk> BlobReader<D> {
    pub(super) fn new(files: Rc<BlobFiles<D>>, blob: Blob) -> Self {
        let layout = BlobLayout::new(blob.length());
        Self { files, blob, layout }
    }

    pub fn blob(&self) -> &Blob {
        &self.blob
    }

    /// The 1 MiB block of the blob with this number; the last one may be short.
    pub async fn read_block(&self, block: u32) -> Result<Buffer, BlobError> {
        let start = u64::from(block) * LARGE_BYTES as u64;
        let end = (start + LARGE_BYTES as u64).min(self.blob.length());
        self.read(start..end).await
    }

    /// Exactly these bytes: at least one, inside the blob, inside one 1 MiB block of it.
    pub async fn read(&self, range: Range<u64>) -> Result<Buffer, BlobError> {
        assert!(range.start < range.end && range.end <= self.blob.length(), "{range:?}");
        let pages = range.start / PAGE..range.end.div_ceil(PAGE);
        let len = (pages.end - pages.start) as usize * PAGE_BYTES;
        assert!(len <= READ_BYTES_MAX, "{range:?} needs {len} bytes, more than a buffer holds");
        self.files.open_for_reads(self.blob.id()).await?;
        let data = self.files.read(self.blob.id(), pages.start * PAGE, len);
        let (buffer, crcs) = try_join(data, self.stored_crcs(pages.clone())).await?;
        self.check(&buffer, pages.start, &crcs)?;
        let start = (range.start - pages.start * PAGE) as usize;
        Ok(buffer.view(start..start + (range.end - range.start) as usize))
    }

    async fn stored_crcs(&self, pages: Range<u64>) -> Result<Vec<u32>, BlobError> {
        let mut crcs = Vec::with_capacity((pages.end - pages.start) as usize);
        let mut page = pages.start;
        while page < pages.end {
            let block = self.layout.table_place(page).block;
            let held = self.layout.block_pages(block);
            let entries = self.files.table_block(self.blob.location(), block).await?;
            let end = pages.end.min(held.end);
            let within = (page - held.start) as usize..(end - held.start) as usize;
            crcs.extend_from_slice(&entries[within]);
            page = end;
        }
        Ok(crcs)
    }

    fn check(&self, buffer: &[u8], first_page: u64, crcs: &[u32]) -> Result<(), BlobError> {
        // A last page of the blob counts only up to the blob's end.
        let length = (self.layout.length() - first_page * PAGE).min(buffer.len() as u64);
        let mut found = Vec::with_capacity(crcs.len());
        page_crcs(&buffer[..length as usize], &mut found);
        match found.iter().zip(crcs).position(|(found, stored)| found != stored) {
            None => Ok(()),
            Some(at) => {
                let part = CorruptPart::Data { page: first_page + at as u64 };
                Err(self.files.corrupt(self.blob.id(), part, &"wrong page checksum"))
            }
        }
    }
}
