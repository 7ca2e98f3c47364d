//! Opens one shard, step by step.

use std::cell::{Cell, RefCell};
use std::io::ErrorKind;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use openlake_format::{SegmentId, SegmentState};
use openlake_io::{Buffers, Disk};
use openlake_types::{Epoch, Sequence, ShardIndex};

use super::replay::Replay;
use super::{attach, scan};
use crate::blob::{BlobConfig, BlobError, BlobPool};
use crate::cache::BlockCache;
use crate::deployment::Deployment;
use crate::error::OpenError;
use crate::index::{Buckets, SystemIndex};
use crate::journal::{
    FoundSegment, Journal, JournalStart, SegmentFiles, StreamIdentity, StreamPlan, find_segments,
};
use crate::store::Shard;

/// Of a single node.
const EPOCH: Epoch = Epoch(1);

pub(crate) async fn open<D: Disk>(
    deployment: Arc<Deployment>,
    shard: ShardIndex,
    disk: D,
    buffers: Buffers,
) -> Result<Shard<D>, OpenError> {
    let config = &deployment.config;
    let directory = config.data_dir.join("journal");
    let io_error = |source| OpenError::Io { path: directory.display().to_string(), source };
    let files = SegmentFiles::new(disk.clone(), &directory, config.journal_segment_bytes);
    let files = files.map_err(io_error)?;
    files.prepare().await.map_err(io_error)?;
    let found = Segments::sort(find_segments(&files, deployment.id).await?);
    let plan = StreamPlan::new(&found.in_use, found.free_layout, config.shards);
    deployment.has_foreign.store(plan.has_foreign, Ordering::Release);
    let mut replay = Replay::new(shard, config.shards);
    scan::replay_segments(&files, &found.in_use, &mut replay).await?;

    let blobs = open_blobs(&deployment, shard, disk, buffers.clone()).await?;
    let found_blobs = attach::agree(&deployment, shard, &blobs, replay.live_blobs()).await?;
    // From here on every shard has read everything, so files may be made and removed.
    let opening = Opening { deployment: &deployment, shard, plan, buffers: &buffers };
    let next_sequence = Sequence(replay.max_sequence.0 + 1);
    let journal = opening.start_journal(files, found, next_sequence, &blobs).await?;
    let opened = Shard {
        index: shard,
        deployment: deployment.clone(),
        journal,
        blobs,
        cache: BlockCache::new(config.cache_bytes / u64::from(config.shards), buffers.clone()),
        buffers,
        buckets: Buckets::default(),
        system: SystemIndex::default(),
        locks: Rc::default(),
        compactions_failed: Cell::new(0),
        objects: Cell::new(0),
        uploads_begun: Cell::new(0),
        inbox: RefCell::new(Some(deployment.take_inbox(shard))),
    };
    replay.fill(&opened, &found_blobs);
    Ok(opened)
}

async fn open_blobs<D: Disk>(
    deployment: &Deployment,
    shard: ShardIndex,
    disk: D,
    buffers: Buffers,
) -> Result<BlobPool<D>, OpenError> {
    let config = &deployment.config;
    let blob_config = BlobConfig {
        root: config.data_dir.join("blobs"),
        shard,
        shards: config.shards,
        recycle_bytes_max: config.recycle_bytes_max / u64::from(config.shards),
        epoch: EPOCH,
    };
    let homes = deployment.homes.clone();
    BlobPool::open(disk, buffers, homes, blob_config).await.map_err(blob_error)
}

struct Opening<'a> {
    deployment: &'a Deployment,
    shard: ShardIndex,
    plan: StreamPlan,
    buffers: &'a Buffers,
}

impl Opening<'_> {
    async fn start_journal<D: Disk>(
        &self,
        mut files: SegmentFiles<D>,
        found: Segments<D>,
        next_sequence: Sequence,
        blobs: &BlobPool<D>,
    ) -> Result<Journal<D>, OpenError> {
        let shards = self.deployment.config.shards;
        let segment_bytes = files.segment_bytes();
        let path = files.directory().display().to_string();
        let io_error = |source: std::io::Error| match source.kind() {
            ErrorKind::StorageFull => OpenError::OutOfSpace { needed_bytes: segment_bytes },
            _ => OpenError::Io { path: path.clone(), source },
        };
        let mine = usize::from(self.shard.0);
        files.number_from(found.next_number + mine as u64, shards.into());
        if mine == 0 {
            for unfinished in found.unfinished {
                files.remove(unfinished).await.map_err(io_error)?;
            }
        }
        let turns = (0..).zip(found.free);
        let of_mine = turns.filter(|(turn, _)| turn % usize::from(shards) == mine);
        let free = of_mine.map(|(_, file)| file).filter(|file| file.bytes == segment_bytes);
        let pool = blobs.clone();
        let stream = StreamIdentity {
            deployment: self.deployment.id,
            layout: self.plan.layout,
            stream: self.shard.0,
            stream_count: shards,
            epoch: EPOCH,
        };
        // The other shards of this layout go on with theirs.
        let of_others = |id: SegmentId| id.layout == stream.layout && id.stream != stream.stream;
        let segments = found.in_use.into_iter().filter(|segment| !of_others(segment.id()));
        let start = JournalStart {
            stream,
            free: free.collect(),
            segments: segments.collect(),
            files,
            read_buffers: self.buffers.clone(),
            next_sequence,
            make_space: Box::new(move || {
                let pool = pool.clone();
                Box::pin(async move { pool.reclaim().await })
            }),
            random: self.deployment.config.random.clone(),
        };
        Journal::start(start).await.map_err(io_error)
    }
}

pub(super) fn blob_error(error: BlobError) -> OpenError {
    match error {
        BlobError::OutOfSpace => OpenError::OutOfSpace { needed_bytes: 0 },
        other => OpenError::Io { path: "blobs".to_owned(), source: std::io::Error::other(other) },
    }
}

struct Segments<D: Disk> {
    in_use: Vec<Rc<crate::journal::Segment<D>>>,
    free: Vec<crate::journal::SegmentFile<D>>,
    unfinished: Vec<crate::journal::SegmentFile<D>>,
    free_layout: Option<u16>,
    next_number: u64,
}

impl<D: Disk> Segments<D> {
    fn sort(found: Vec<FoundSegment<D>>) -> Self {
        let mut sorted = Self {
            in_use: Vec::new(),
            free: Vec::new(),
            unfinished: Vec::new(),
            free_layout: None,
            next_number: 0,
        };
        for segment in found {
            let number = match &segment {
                FoundSegment::InUse(segment) => segment.file.number,
                FoundSegment::Free(file, _) | FoundSegment::Unfinished(file) => file.number,
            };
            sorted.next_number = sorted.next_number.max(number + 1);
            match segment {
                FoundSegment::InUse(segment) => {
                    debug_assert_eq!(segment.header.state, SegmentState::InUse);
                    sorted.in_use.push(segment);
                }
                FoundSegment::Free(file, id) => {
                    sorted.free_layout = sorted.free_layout.max(Some(id.layout));
                    sorted.free.push(file);
                }
                FoundSegment::Unfinished(file) => sorted.unfinished.push(file),
            }
        }
        sorted.in_use.sort_by_key(|segment| segment.id());
        sorted
    }
}
