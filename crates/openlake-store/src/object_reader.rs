//! The bytes of an object: from memory what is there, from the drive the rest, in order, every
//! byte checked. The blobs stay as long as the handle or a reader of it lives.

use std::collections::VecDeque;
use std::ops::Range;

use openlake_io::{Buffer, Disk, LARGE_BYTES};
use openlake_types::{BlobId, ByteRange, PartNumber, ShardIndex};

use crate::blob::{Piece, READ_DEPTH, ReadAhead};
use crate::body::BlobRef;
use crate::error::StoreError;
use crate::message::{Content, Found, Request};
use crate::object::ObjectInfo;
use crate::store::Store;

/// An object as it was when it was looked up.
pub struct ObjectHandle<D: Disk> {
    pub info: ObjectInfo,
    store: Store<D>,
    /// Whose cache holds its blocks.
    owner: ShardIndex,
    content: Content,
}

/// Blocks that are asked of the cache together.
const WINDOW_BLOCKS: u32 = 16;
const BLOCK: u64 = LARGE_BYTES as u64;
/// Below this share of free buffers a reader holds little ahead of its client: many slow ones
/// would leave none to anybody else.
const FREE_SHARE_MIN: usize = 8;
const SCARCE_READ_DEPTH: usize = 1;
const SCARCE_WINDOW_BLOCKS: u32 = 2;

impl<D: Disk> ObjectHandle<D> {
    pub(crate) fn new(store: Store<D>, owner: ShardIndex, found: Found) -> Self {
        Self { info: found.info, store, owner, content: found.content }
    }

    /// The bytes of a part of a multipart object; of one put in one piece, part 1 is all of it.
    pub fn part_range(&self, number: PartNumber) -> Result<ByteRange, StoreError> {
        let Content::Parts(manifest) = &self.content else {
            let whole = ByteRange { start: 0, end: self.info.size };
            return if number.get() == 1 { Ok(whole) } else { Err(StoreError::NoSuchPart) };
        };
        let mut start = 0;
        for part in &manifest.parts {
            if part.number == number {
                return Ok(ByteRange { start, end: start + part.size });
            }
            start += part.size;
        }
        Err(StoreError::NoSuchPart)
    }

    /// The bytes, if the object is a small one: those came along with its facts.
    pub fn body_in_memory(&self, range: ByteRange) -> Option<Buffer> {
        match &self.content {
            Content::Inline(bytes) => Some(bytes.view(range.start as usize..range.end as usize)),
            Content::Blob(_) | Content::Parts(_) => None,
        }
    }

    pub fn body(&self, range: ByteRange) -> ObjectReader<D> {
        assert!(range.start <= range.end && range.end <= self.info.size, "{range:?} is inside");
        let mut spans = VecDeque::new();
        match &self.content {
            _ if range.is_empty() => {}
            Content::Inline(bytes) => {
                let inside = range.start as usize..range.end as usize;
                spans.push_back(Span::Memory(bytes.view(inside)));
            }
            Content::Blob(blob) => {
                spans.push_back(Span::Blob(blob.clone(), range.start..range.end));
            }
            Content::Parts(manifest) => {
                let mut start = 0;
                for part in &manifest.parts {
                    let end = start + part.size;
                    let from = range.start.max(start);
                    let to = range.end.min(end);
                    if let Some(blob) = part.blob.as_ref().filter(|_| from < to) {
                        spans.push_back(Span::Blob(blob.clone(), from - start..to - start));
                    }
                    start = end;
                }
            }
        }
        ObjectReader {
            store: self.store.clone(),
            owner: self.owner,
            spans,
            planned: VecDeque::new(),
            reads: VecDeque::new(),
            read_ahead: ReadAhead::new(),
        }
    }
}

enum Span {
    Memory(Buffer),
    Blob(BlobRef, Range<u64>),
}

/// A block that comes whole from the drive, and so belongs into the cache.
type WholeBlock = Option<(BlobId, u32)>;

pub struct ObjectReader<D: Disk> {
    store: Store<D>,
    owner: ShardIndex,
    /// Not planned yet.
    spans: VecDeque<Span>,
    planned: VecDeque<(Piece<D>, WholeBlock)>,
    /// What the pieces on their way are, in order.
    reads: VecDeque<WholeBlock>,
    read_ahead: ReadAhead,
}

impl<D: Disk> ObjectReader<D> {
    /// The next bytes, checked; none after the last.
    pub async fn next(&mut self) -> Result<Option<Buffer>, StoreError> {
        while self.planned.len() < read_depth(&self.store, 0)
            && let Some(span) = self.spans.pop_front()
        {
            self.plan(span).await?;
        }
        let (planned, reads, store) = (&mut self.planned, &mut self.reads, &self.store);
        let mut started = 0;
        let next = self.read_ahead.next(|| {
            if reads.len() >= read_depth(store, started) {
                return None;
            }
            let (piece, block) = planned.pop_front()?;
            started += usize::from(matches!(piece, Piece::Read(..)));
            reads.push_back(block);
            Some(piece)
        });
        let bytes = next.await.map_err(|error| self.store.0.blob_failed(error))?;
        if let (Some(bytes), Some(Some(block))) = (&bytes, self.reads.pop_front()) {
            self.keep(block, bytes.clone());
        }
        Ok(bytes)
    }

    async fn plan(&mut self, span: Span) -> Result<(), StoreError> {
        let (blob, range) = match span {
            Span::Memory(bytes) => {
                self.planned.push_back((Piece::Ready(bytes), None));
                return Ok(());
            }
            Span::Blob(blob, range) => (blob, range),
        };
        let first = (range.start / BLOCK) as u32;
        let last = range.end.div_ceil(BLOCK) as u32;
        let is_scarce = are_buffers_scarce(&self.store, 0);
        let blocks = if is_scarce { SCARCE_WINDOW_BLOCKS } else { WINDOW_BLOCKS };
        let window = first..last.min(first + blocks);
        let window_end = (u64::from(window.end) * BLOCK).min(range.end);
        let cached = self.cached(blob.blob().id(), window.clone()).await?;
        let reader = self.store.0.blobs.reader(blob.blob().clone());
        for (number, cached) in window.zip(cached) {
            let start = u64::from(number) * BLOCK;
            let end = (start + BLOCK).min(blob.blob().length());
            let wanted = range.start.max(start)..range.end.min(end);
            let planned = if let Some(block) = cached {
                let inside = (wanted.start - start) as usize..(wanted.end - start) as usize;
                (Piece::Ready(block.view(inside)), None)
            } else {
                let block = (wanted == (start..end)).then_some((blob.blob().id(), number));
                (Piece::Read(reader.clone(), wanted), block)
            };
            self.planned.push_back(planned);
        }
        if window_end < range.end {
            self.spans.push_front(Span::Blob(blob, window_end..range.end));
        }
        Ok(())
    }

    async fn cached(
        &self,
        blob: BlobId,
        window: Range<u32>,
    ) -> Result<Vec<Option<Buffer>>, StoreError> {
        if self.store.is_here(self.owner) {
            return Ok(self.store.0.cache.window(blob, window));
        }
        let ask = |reply| Request::CachedBlocks(blob, window.clone(), reply);
        match self.store.ask(self.owner, ask).await {
            // The cache is a help, not a need.
            Err(StoreError::TooBusy) => Ok(vec![None; window.len()]),
            result => result,
        }
    }

    fn keep(&self, (blob, number): (BlobId, u32), bytes: Buffer) {
        let blocks = vec![(number, bytes)];
        if self.store.is_here(self.owner) {
            self.store.0.keep_blocks(blob, blocks);
        } else {
            self.store.tell(self.owner, Request::KeepBlocks(blob, blocks));
        }
    }
}

/// Pieces on their way at once, where `started` reads have yet to take their buffers.
fn read_depth<D: Disk>(store: &Store<D>, started: usize) -> usize {
    if are_buffers_scarce(store, started) { SCARCE_READ_DEPTH } else { READ_DEPTH }
}

fn are_buffers_scarce<D: Disk>(store: &Store<D>, started: usize) -> bool {
    let stats = store.0.buffers.stats();
    stats.large_free.saturating_sub(started) * FREE_SHARE_MIN < stats.large_total
}
