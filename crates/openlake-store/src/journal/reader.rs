//! Reading a segment from its start, batch by batch, each batch whole or not at all.

use std::io;
use std::rc::Rc;

use openlake_format::batch_header::BATCH_HEADER_BYTES;
use openlake_format::record_header::RECORD_HEADER_BYTES;
use openlake_format::{BatchHeader, RecordHeader};
use openlake_io::{Buffer, Buffers, Disk, DiskFile, LARGE_BYTES};
use openlake_types::limits::PAGE_BYTES;

use super::segment::{Location, Segment};

pub struct RecordView {
    pub header: RecordHeader,
    pub location: Location,
    pub payload: Buffer,
}

pub type BatchView = Vec<RecordView>;

/// What comes after the last whole batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentEnd {
    /// Nothing, or one batch whose write was cut.
    Tail,
    /// A later batch: what lies before it was acknowledged, and is damaged.
    Damaged,
}

pub struct SegmentReader<D: Disk> {
    segment: Rc<Segment<D>>,
    buffers: Buffers,
    at: u64,
    number: u32,
    window_start: u64,
    window: Option<Buffer>,
}

const PAGE: u64 = PAGE_BYTES as u64;

impl<D: Disk> SegmentReader<D> {
    pub const fn new(segment: Rc<Segment<D>>, buffers: Buffers) -> Self {
        Self { segment, buffers, at: PAGE, number: 0, window_start: 0, window: None }
    }

    /// Where the next batch would begin.
    pub const fn position(&self) -> u64 {
        self.at
    }

    /// Whole batches so far.
    pub const fn batches(&self) -> u32 {
        self.number
    }

    /// The next whole batch.
    pub async fn next_batch(&mut self) -> io::Result<Option<BatchView>> {
        let header = self.header_at(self.at).await?;
        let Some(header) = header.filter(|header| header.number == self.number) else {
            return Ok(None);
        };
        let bytes = self.bytes_at(self.at, u64::from(header.bytes)).await?;
        let records = self.split(&header, &bytes);
        if records.is_some() {
            self.at += u64::from(header.bytes);
            self.number += 1;
        }
        Ok(records)
    }

    /// To be asked when `next_batch` has none. Only one batch is ever on its way to the disk, so
    /// a later one proves that this one had arrived.
    pub async fn end(&mut self) -> io::Result<SegmentEnd> {
        let mut at = self.at;
        while at + PAGE <= self.segment.file.bytes {
            let header = self.header_at(at).await?;
            if header.is_some_and(|header| header.number > self.number) {
                return Ok(SegmentEnd::Damaged);
            }
            at += PAGE;
        }
        Ok(SegmentEnd::Tail)
    }

    /// A batch head of this use of the file; the nonce tells it from what a user stored.
    async fn header_at(&mut self, at: u64) -> io::Result<Option<BatchHeader>> {
        if at + PAGE > self.segment.file.bytes {
            return Ok(None);
        }
        let page = self.bytes_at(at, PAGE).await?;
        let header = BatchHeader::decode(&page[..BATCH_HEADER_BYTES]).ok();
        Ok(header.filter(|header| {
            header.segment == self.segment.id()
                && header.nonce == self.segment.header.nonce
                && header.bytes as usize <= LARGE_BYTES
                && at + u64::from(header.bytes) <= self.segment.file.bytes
        }))
    }

    async fn bytes_at(&mut self, at: u64, len: u64) -> io::Result<Buffer> {
        let window = match self.window.take() {
            Some(window)
                if at >= self.window_start
                    && at + len <= self.window_start + window.len() as u64 =>
            {
                window
            }
            outside => {
                drop(outside);
                let count = (self.segment.file.bytes - at).min(LARGE_BYTES as u64);
                let buffer = self.buffers.large().await;
                self.window_start = at;
                self.segment.file.file.read_at(buffer, count as usize, at).await?.freeze()
            }
        };
        let start = (at - self.window_start) as usize;
        let bytes = window.view(start..start + len as usize);
        self.window = Some(window);
        Ok(bytes)
    }

    /// None unless every record of the batch is whole.
    fn split(&self, batch: &BatchHeader, bytes: &Buffer) -> Option<BatchView> {
        let mut records = Vec::new();
        let mut at = BATCH_HEADER_BYTES;
        for _ in 0..batch.records {
            let (header, payload) = RecordHeader::read(bytes.get(at..)?).ok()?;
            if header.segment != batch.segment {
                return None;
            }
            let start = at + RECORD_HEADER_BYTES;
            let location = Location {
                segment: batch.segment,
                offset: (self.at + at as u64) as u32,
                bytes: (RECORD_HEADER_BYTES + payload.len()) as u32,
            };
            at += RecordHeader::stride(payload.len());
            let payload = bytes.view(start..start + payload.len());
            records.push(RecordView { header, location, payload });
        }
        Some(records)
    }
}
