//! A body on its way in, before it is an object: small ones stay in memory, others become blobs.
//! Dropped at any point before its commit, it leaves nothing behind.

use std::time::Duration;

use openlake_coding::PageSums;
use openlake_io::{Buffer, BufferMut, Disk, LARGE_BYTES, SMALL_BYTES};
use openlake_types::{BucketName, ObjectKey, PlacementGroup};

use crate::blob::{BlobError, BlobWriter};
use crate::body::BlobRef;
use crate::error::StoreError;
use crate::message::{Blocks, Content};
use crate::placement::group_of;
use crate::store::Store;

#[derive(Clone, Debug)]
pub struct StageRequest {
    pub bucket: BucketName,
    pub key: ObjectKey,
    /// The length of the body, when it is known.
    pub size_hint: Option<u64>,
}

pub struct Staging<D: Disk> {
    store: Store<D>,
    group: PlacementGroup,
    size_hint: Option<u64>,
    size: u64,
    state: State<D>,
    /// What was written and is still in memory, for the cache.
    blocks: Blocks,
}

enum State<D: Disk> {
    /// Nothing yet, or a first buffer that may be all.
    Undecided(Option<(Buffer, PageSums)>),
    Blob(Box<BlobWriter<D>>),
}

/// A body that is whole: in memory if it is small, durable otherwise.
pub struct StagedBody {
    pub(crate) size: u64,
    pub(crate) content: Content,
    pub(crate) blocks: Blocks,
}

impl StagedBody {
    pub const fn size(&self) -> u64 {
        self.size
    }
}

/// Below this share of free buffers nothing is kept for the cache on the way in. A full cache of
/// default size leaves a fifth free: it must not keep new blocks out.
const FREE_SHARE_MIN: usize = 8;

impl<D: Disk> Store<D> {
    pub fn stage(&self, request: &StageRequest) -> Staging<D> {
        Staging {
            store: self.clone(),
            group: group_of(&request.bucket, &request.key),
            size_hint: request.size_hint,
            size: 0,
            state: State::Undecided(None),
            blocks: Blocks::new(),
        }
    }
}

impl<D: Disk> Staging<D> {
    /// Memory for the next bytes; waits until there is some. `TooBusy` if there is none in time:
    /// those that hold it may be waiting for clients of their own.
    pub async fn buffer(&mut self, limit: Duration) -> Result<BufferMut, StoreError> {
        let buffers = self.store.0.buffers.clone();
        let left = self.size_hint.map(|hint| hint.saturating_sub(self.size));
        if left.is_some_and(|left| left <= SMALL_BYTES as u64) {
            return buffers.small_within(limit).await.ok_or(StoreError::TooBusy);
        }
        if let Some(buffer) = buffers.try_large() {
            return Ok(buffer);
        }
        // What is only kept for the cache must not stand in the way of bodies.
        self.blocks.clear();
        self.store.0.cache.evict(LARGE_BYTES as u64);
        buffers.large_within(limit).await.ok_or(StoreError::TooBusy)
    }

    /// Whether the pages of buffers are summed when they are written.
    pub fn sums_pages(&self) -> bool {
        let inline_bytes_max = self.store.0.deployment.config.inline_bytes_max as u64;
        self.size_hint.is_none_or(|hint| hint > inline_bytes_max)
    }

    /// Appends the buffer; every one but the last is full.
    pub async fn write(&mut self, buffer: Buffer) -> Result<(), StoreError> {
        self.write_summed(buffer, PageSums::default()).await
    }

    /// The same, where the sums of the buffer's first pages are known.
    pub async fn write_summed(&mut self, buffer: Buffer, sums: PageSums) -> Result<(), StoreError> {
        self.size += buffer.len() as u64;
        let inline_bytes_max = self.store.0.deployment.config.inline_bytes_max as u64;
        match &mut self.state {
            State::Undecided(first @ None) if self.size <= inline_bytes_max => {
                *first = Some((buffer, sums));
                Ok(())
            }
            State::Undecided(first) => {
                let first = first.take();
                let hint = self.size_hint.map(|hint| hint.max(self.size));
                let writer = self.store.0.blobs.writer(hint, self.group).await;
                let writer = writer.map_err(|error| self.store.0.blob_failed(error))?;
                self.state = State::Blob(Box::new(writer));
                if let Some((first, sums)) = first {
                    self.write_blob(first, &sums).await?;
                }
                self.write_blob(buffer, &sums).await
            }
            State::Blob(_) => self.write_blob(buffer, &sums).await,
        }
    }

    async fn write_blob(&mut self, buffer: Buffer, sums: &PageSums) -> Result<(), StoreError> {
        let State::Blob(writer) = &mut self.state else {
            unreachable!("called for blobs only");
        };
        let shard = &self.store.0;
        let block = writer.length() / LARGE_BYTES as u64;
        let whole = writer.length().is_multiple_of(LARGE_BYTES as u64);
        let written = writer.write_summed(buffer.clone(), sums).await;
        written.map_err(|error| shard.blob_failed(error))?;
        let free = shard.buffers.stats();
        if free.large_free * FREE_SHARE_MIN < free.large_total {
            self.blocks.clear();
        } else if whole {
            self.blocks.push((block as u32, buffer));
        }
        Ok(())
    }

    pub async fn finish(self) -> Result<StagedBody, StoreError> {
        let shard = &self.store.0;
        let content = match self.state {
            State::Undecided(None) => Content::Inline(Buffer::from(bytes::Bytes::new())),
            State::Undecided(Some((only, _))) => Content::Inline(only),
            State::Blob(writer) => {
                let blob = writer.finish().await.map_err(|error| shard.blob_failed(error))?;
                Content::Blob(BlobRef::new(blob))
            }
        };
        Ok(StagedBody { size: self.size, content, blocks: self.blocks })
    }
}

impl<D: Disk> crate::store::Shard<D> {
    /// A failed sync may have lost what the drive had accepted, so nothing is acknowledged after.
    pub fn blob_failed(&self, error: BlobError) -> StoreError {
        if matches!(error, BlobError::SyncFailed { .. }) {
            self.journal.poison();
        }
        StoreError::from(error)
    }

    /// A part is always a blob, so that completion copies nothing. An empty one has none.
    pub async fn to_blob(
        &self,
        body: StagedBody,
        group: PlacementGroup,
    ) -> Result<(Option<BlobRef>, Blocks), StoreError> {
        let bytes = match body.content {
            Content::Blob(blob) => return Ok((Some(blob), body.blocks)),
            Content::Parts(_) => unreachable!("staging makes no manifest"),
            Content::Inline(bytes) if bytes.is_empty() => return Ok((None, Blocks::new())),
            Content::Inline(bytes) => bytes,
        };
        let writer = self.blobs.writer(Some(body.size), group).await;
        let mut writer = writer.map_err(|error| self.blob_failed(error))?;
        writer.write(bytes).await.map_err(|error| self.blob_failed(error))?;
        let blob = writer.finish().await.map_err(|error| self.blob_failed(error))?;
        Ok((Some(BlobRef::new(blob)), Blocks::new()))
    }
}
