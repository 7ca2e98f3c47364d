//! Writes one blob: several O_DIRECT writes on their way while the next bytes arrive, page
//! checksums on the side, then the tail and one sync. Dropped unfinished, its file is free again.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use openlake_coding::{PageSums, page_crcs};
use openlake_format::blob_layout::BlobLayout;
use openlake_format::blob_tail::{BlobTail, table_crc};
use openlake_io::{Buffer, Disk, DiskFile, LARGE_BYTES, SMALL_BYTES};
use openlake_types::PlacementGroup;
use openlake_types::limits::PAGE_BYTES;

use super::error::{BlobError, is_out_of_space};
use super::flight::Flight;
use super::lease::Blob;
use super::pool::{PoolInner, Taken};

/// Writes of up to 1 MiB on their way at once for one blob.
pub const WRITE_DEPTH: usize = 4;
/// A blob of unknown length is allocated in steps of this.
const STEP_BYTES: u64 = 32 << 20;

pub struct BlobWriter<D: Disk> {
    pool: Rc<PoolInner<D>>,
    taken: Taken<D>,
    placement_group: PlacementGroup,
    page_crcs: Vec<u32>,
    /// Whole pages handed to the drive.
    written: u64,
    /// Data after the last whole page; nothing may follow it.
    partial_page: Vec<u8>,
    flights: VecDeque<Flight<Result<(), BlobError>>>,
}

impl<D: Disk> BlobWriter<D> {
    pub(super) async fn new(
        pool: Rc<PoolInner<D>>,
        size_hint: Option<u64>,
        placement_group: PlacementGroup,
    ) -> Result<Self, BlobError> {
        let length = size_hint.unwrap_or(STEP_BYTES);
        let taken = pool.take(BlobLayout::new(length).file_bytes()).await?;
        Ok(Self {
            pool,
            taken,
            placement_group,
            page_crcs: Vec::with_capacity(length.div_ceil(PAGE_BYTES as u64) as usize),
            written: 0,
            partial_page: Vec::new(),
            flights: VecDeque::new(),
        })
    }

    /// Bytes of data so far.
    pub fn length(&self) -> u64 {
        self.written + self.partial_page.len() as u64
    }

    /// Appends the buffer. Waits only while the drive is `WRITE_DEPTH` writes behind. Every
    /// buffer but the last is whole pages, none is larger than 1 MiB.
    pub async fn write(&mut self, buffer: Buffer) -> Result<(), BlobError> {
        self.write_summed(buffer, &PageSums::default()).await
    }

    /// The same, where the sums of the buffer's first pages are known.
    pub async fn write_summed(&mut self, buffer: Buffer, sums: &PageSums) -> Result<(), BlobError> {
        assert!(self.partial_page.is_empty(), "only the last buffer may end inside a page");
        self.page_crcs.extend_from_slice(sums.as_slice());
        page_crcs(&buffer[sums.covered_bytes()..], &mut self.page_crcs);
        let whole = buffer.len() / PAGE_BYTES * PAGE_BYTES;
        self.partial_page.extend_from_slice(&buffer[whole..]);
        if whole > 0 {
            let offset = self.written;
            self.written += whole as u64;
            self.reserve(self.written, STEP_BYTES).await?;
            let buffer = self.aligned(buffer.view(0..whole)).await;
            self.start_write(buffer, offset).await?;
        }
        Ok(())
    }

    /// O_DIRECT takes page-aligned memory, as every slot is; other bytes are copied to a slot.
    async fn aligned(&self, bytes: Buffer) -> Buffer {
        if bytes.as_ptr().addr().is_multiple_of(PAGE_BYTES) {
            return bytes;
        }
        let mut slot = self.pool.files.buffers.large().await;
        slot.as_mut_slice()[..bytes.len()].copy_from_slice(&bytes);
        slot.set_filled(bytes.len());
        slot.freeze()
    }

    /// Makes the blob whole and durable.
    pub async fn finish(mut self) -> Result<Blob, BlobError> {
        let layout = BlobLayout::new(self.length());
        let bytes = layout.file_bytes();
        self.reserve(bytes, 0).await?;
        let table_crc = table_crc(&self.page_crcs);
        self.write_tail(layout).await?;
        while let Some(flight) = self.flights.pop_front() {
            flight.await?;
        }
        if self.taken.lease.bytes() > bytes {
            self.pool.truncate(&self.taken, bytes).await?;
        }
        self.sync().await?;
        let mut stats = self.pool.stats.borrow_mut();
        stats.blobs_sealed += 1;
        stats.bytes_sealed += layout.length();
        drop(stats);
        Ok(Blob::new(self.taken.lease.clone(), layout.length(), table_crc))
    }

    /// The file has room for this many bytes; if it had not, for so many more as well.
    async fn reserve(&mut self, bytes: u64, more_bytes: u64) -> Result<(), BlobError> {
        if bytes > self.taken.lease.bytes() {
            self.pool.allocate(&self.taken, bytes + more_bytes).await?;
        }
        Ok(())
    }

    async fn write_tail(&mut self, layout: BlobLayout) -> Result<(), BlobError> {
        let partial_page = std::mem::take(&mut self.partial_page);
        let crcs = std::mem::take(&mut self.page_crcs);
        let tail = BlobTail {
            id: self.taken.lease.id,
            placement_group: self.placement_group,
            epoch: self.pool.config.epoch,
            layout,
            page_crcs: &crcs,
            partial_page: &partial_page,
        };
        let mut offset = layout.tail_offset();
        while offset < layout.file_bytes() {
            let left = layout.file_bytes() - offset;
            let buffers = &self.pool.files.buffers;
            let mut buffer = if left <= SMALL_BYTES as u64 {
                buffers.small().await
            } else {
                buffers.large().await
            };
            let len = left.min(LARGE_BYTES as u64) as usize;
            let (pages, _) = buffer.as_mut_slice()[..len].as_chunks_mut::<PAGE_BYTES>();
            for (page, number) in pages.iter_mut().zip(0_u64..) {
                tail.fill_page(offset + number * PAGE_BYTES as u64, page);
            }
            buffer.set_filled(len);
            self.start_write(buffer.freeze(), offset).await?;
            offset += len as u64;
        }
        Ok(())
    }

    async fn start_write(&mut self, buffer: Buffer, offset: u64) -> Result<(), BlobError> {
        while self.flights.len() >= WRITE_DEPTH
            && let Some(flight) = self.flights.pop_front()
        {
            flight.await?;
        }
        let (pool, lease, file) =
            (self.pool.clone(), self.taken.lease.clone(), self.taken.file.clone());
        self.flights.push_back(Flight::start(async move {
            let mut result = file.write_at(buffer.clone(), offset, false).await;
            if result.as_ref().is_err_and(is_out_of_space) {
                pool.reclaim().await;
                result = file.write_at(buffer, offset, false).await;
            }
            Ok(result.inspect_err(|_| lease.set_broken())?)
        }));
        Ok(())
    }

    async fn sync(&self) -> Result<(), BlobError> {
        let (lease, file) = (self.taken.lease.clone(), self.taken.file.clone());
        let number = lease.id.file;
        let sync =
            Flight::start(
                async move { file.sync_data().await.inspect_err(|_| lease.set_broken()) },
            );
        sync.await.map_err(|error| BlobError::SyncFailed { file: number, source: Arc::new(error) })
    }
}
