//! Streams and layouts: which of the segments on disk this shard appends to, which it only reads.
//!
//! A layout is a period with one number of shards. When the number changes, a new layout begins
//! and all segments of the earlier ones are foreign: their live records are rewritten, then they
//! are freed, the oldest first.

use std::rc::Rc;

use openlake_format::{DecodeError, DeploymentId, SegmentHeader, SegmentId, SegmentState};
use openlake_io::Disk;
use openlake_types::Epoch;
use openlake_types::limits::PAGE_BYTES;

use super::segment::{Segment, SegmentFile, SegmentFiles};
use crate::error::OpenError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamIdentity {
    pub deployment: DeploymentId,
    pub layout: u16,
    pub stream: u16,
    pub stream_count: u16,
    pub epoch: Epoch,
}

impl StreamIdentity {
    pub const fn owns(&self, id: SegmentId) -> bool {
        id.layout == self.layout && id.stream == self.stream
    }
}

pub enum FoundSegment<D: Disk> {
    InUse(Rc<Segment<D>>),
    /// With its last id: no later use may have the same, or what is left in it would fit.
    Free(SegmentFile<D>, SegmentId),
    /// Its creation was cut: it never held anything.
    Unfinished(SegmentFile<D>),
}

/// Every segment on the drive, by the number of its file.
pub async fn find_segments<D: Disk>(
    files: &SegmentFiles<D>,
    deployment: DeploymentId,
) -> Result<Vec<FoundSegment<D>>, OpenError> {
    let io_error = |source| OpenError::Io { path: files.directory().display().to_string(), source };
    let mut found = Vec::new();
    for (number, bytes) in files.list().await.map_err(io_error)? {
        let file = files.open(number, bytes).await.map_err(io_error)?;
        if bytes < PAGE_BYTES as u64 {
            found.push(FoundSegment::Unfinished(file));
            continue;
        }
        let page = files.read_header(&file).await.map_err(io_error)?;
        found.push(classify(file, &page, deployment)?);
    }
    Ok(found)
}

fn classify<D: Disk>(
    file: SegmentFile<D>,
    page: &[u8; PAGE_BYTES],
    deployment: DeploymentId,
) -> Result<FoundSegment<D>, OpenError> {
    let path = file.path.display().to_string();
    let header = match SegmentHeader::decode(page) {
        Ok(header) => header,
        Err(DecodeError::Magic) if page.iter().all(|byte| *byte == 0) => {
            return Ok(FoundSegment::Unfinished(file));
        }
        Err(DecodeError::Version(version)) => return Err(OpenError::NewerFormat { path, version }),
        Err(error) => {
            return Err(OpenError::Corrupt { path, what: format!("segment header: {error}") });
        }
    };
    if header.deployment != deployment {
        return Err(OpenError::OtherDeployment { path });
    }
    if header.segment_bytes != file.bytes {
        let what = format!("{} bytes long, not {}", file.bytes, header.segment_bytes);
        return Err(OpenError::Corrupt { path, what });
    }
    Ok(match header.state {
        SegmentState::InUse => FoundSegment::InUse(Rc::new(Segment::new(file, header))),
        SegmentState::Free => FoundSegment::Free(file, header.id),
    })
}

/// What every shard concludes alike from the segments on the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPlan {
    pub layout: u16,
    /// Whether earlier layouts left segments.
    pub has_foreign: bool,
}

impl StreamPlan {
    /// Goes on with the newest layout if it has as many shards as run now. `free_layout` is the
    /// newest one of free segments.
    pub fn new<D: Disk>(in_use: &[Rc<Segment<D>>], free_layout: Option<u16>, shards: u16) -> Self {
        let newest = in_use.iter().max_by_key(|segment| segment.id().layout);
        let in_use_layout = newest.map(|newest| newest.id().layout);
        let layout = match newest {
            Some(newest)
                if newest.header.stream_count == shards && in_use_layout >= free_layout =>
            {
                newest.id().layout
            }
            _ => in_use_layout.max(free_layout).map_or(0, |layout| layout + 1),
        };
        let has_foreign = in_use.iter().any(|segment| segment.id().layout != layout);
        Self { layout, has_foreign }
    }
}
