//! From what is on the drive to a shard that serves: find the segments, replay them, agree with
//! the other shards on the blobs that records name, go on with the journal.

mod attach;
mod replay;
mod scan;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use openlake_format::SegmentState;
use openlake_io::{Buffers, Disk};
use openlake_types::{Epoch, Sequence, ShardIndex};

pub use attach::{FoundBlobs, LiveBlobs};

use crate::blob::{BlobConfig, BlobError, BlobPool};
use crate::cache::BlockCache;
use crate::deployment::Deployment;
use crate::error::OpenError;
use crate::index::{Buckets, SystemIndex};
use crate::journal::{
    FoundSegment, Journal, JournalStart, SegmentFiles, StreamIdentity, StreamPlan, find_segments,
};
use crate::store::Shard;
use replay::Replay;

/// Of a single node.
const EPOCH: Epoch = Epoch(1);

pub(crate) async fn open<D: Disk>(
    deployment: Arc<Deployment>,
    shard: ShardIndex,
    disk: D,
    buffers: Buffers,
) -> Result<Shard<D>, OpenError> {
    let config = &deployment.config;
    let shards = config.shards;
    let directory = config.data_dir.join("journal");
    let io_error = |source| OpenError::Io { path: directory.display().to_string(), source };
    let mut files = SegmentFiles::new(disk.clone(), &directory, config.journal_segment_bytes)
        .map_err(io_error)?;
    files.prepare().await.map_err(io_error)?;
    let found = Segments::sort(find_segments(&files, deployment.id).await?);
    let plan = StreamPlan::new(&found.in_use, shards);
    deployment.has_foreign.store(plan.has_foreign, Ordering::Release);
    let mut replay = Replay::new(shard, shards);
    scan::replay_segments(&files, &found.in_use, &mut replay).await?;

    let blob_config = BlobConfig {
        root: config.data_dir.join("blobs"),
        shard,
        shards,
        recycle_bytes_max: config.recycle_bytes_max / u64::from(shards),
        epoch: EPOCH,
    };
    let blobs = BlobPool::open(disk, buffers.clone(), deployment.homes.clone(), blob_config);
    let blobs = blobs.await.map_err(blob_error)?;
    let found_blobs = attach::agree(&deployment, shard, &blobs, replay.live_blobs()).await?;

    // From here on every shard has read everything, so files may be made and removed.
    let mine = usize::from(shard.0);
    files.number_from(found.next_number + mine as u64, shards.into());
    if mine == 0 {
        for unfinished in found.unfinished {
            files.remove(unfinished).await.map_err(io_error)?;
        }
    }
    let segment_bytes = config.journal_segment_bytes;
    let of_mine = (0..).zip(found.free).filter(|(turn, _)| turn % usize::from(shards) == mine);
    let free = of_mine.map(|(_, file)| file).filter(|file| file.bytes == segment_bytes);
    let pool = blobs.clone();
    let journal = Journal::start(JournalStart {
        stream: StreamIdentity {
            deployment: deployment.id,
            layout: plan.layout,
            stream: shard.0,
            stream_count: shards,
            epoch: EPOCH,
        },
        free: free.collect(),
        segments: found.in_use,
        files,
        read_buffers: buffers.clone(),
        next_sequence: Sequence(replay.max_sequence.0 + 1),
        make_space: Box::new(move || {
            let pool = pool.clone();
            Box::pin(async move { pool.reclaim().await })
        }),
    });
    let journal = journal.await.map_err(|source| match source.kind() {
        std::io::ErrorKind::StorageFull => OpenError::OutOfSpace { needed_bytes: segment_bytes },
        _ => io_error(source),
    })?;
    let cache_bytes = config.cache_bytes / u64::from(shards);
    let inbox = deployment.take_inbox(shard);
    let opened = Shard {
        index: shard,
        deployment: deployment.clone(),
        journal,
        blobs,
        buffers,
        cache: BlockCache::new(cache_bytes),
        buckets: Buckets::default(),
        system: SystemIndex::default(),
        locks: Rc::default(),
        live_bytes: Cell::new(0),
        objects: Cell::new(0),
        uploads_begun: Cell::new(0),
        inbox: RefCell::new(Some(inbox)),
    };
    replay.fill(&opened, &found_blobs);
    Ok(opened)
}

fn blob_error(error: BlobError) -> OpenError {
    match error {
        BlobError::OutOfSpace => OpenError::OutOfSpace { needed_bytes: 0 },
        other => OpenError::Io { path: "blobs".to_owned(), source: std::io::Error::other(other) },
    }
}

struct Segments<D: Disk> {
    in_use: Vec<Rc<crate::journal::Segment<D>>>,
    free: Vec<crate::journal::SegmentFile<D>>,
    unfinished: Vec<crate::journal::SegmentFile<D>>,
    next_number: u64,
}

impl<D: Disk> Segments<D> {
    fn sort(found: Vec<FoundSegment<D>>) -> Self {
        let mut sorted =
            Self { in_use: Vec::new(), free: Vec::new(), unfinished: Vec::new(), next_number: 0 };
        for segment in found {
            let number = match &segment {
                FoundSegment::InUse(segment) => segment.file.number,
                FoundSegment::Free(file) | FoundSegment::Unfinished(file) => file.number,
            };
            sorted.next_number = sorted.next_number.max(number + 1);
            match segment {
                FoundSegment::InUse(segment) => {
                    debug_assert_eq!(segment.header.state, SegmentState::InUse);
                    sorted.in_use.push(segment);
                }
                FoundSegment::Free(file) => sorted.free.push(file),
                FoundSegment::Unfinished(file) => sorted.unfinished.push(file),
            }
        }
        sorted.in_use.sort_by_key(|segment| segment.id());
        sorted
    }
}
