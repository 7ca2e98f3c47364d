//! Reads every segment in the order of its stream, and tells a cut write from damage.

use std::rc::Rc;

use openlake_io::Disk;

use super::replay::Replay;
use crate::error::OpenError;
use crate::journal::{Segment, SegmentEnd, SegmentFiles, SegmentReader};

/// `segments` in order of their ids.
pub(super) async fn replay_segments<D: Disk>(
    files: &SegmentFiles<D>,
    segments: &[Rc<Segment<D>>],
    replay: &mut Replay,
) -> Result<(), OpenError> {
    for (position, segment) in segments.iter().enumerate() {
        let next = segments.get(position + 1);
        let next = next.filter(|next| {
            (next.id().layout, next.id().stream) == (segment.id().layout, segment.id().stream)
        });
        replay_segment(files, segment, next, replay).await?;
    }
    Ok(())
}

async fn replay_segment<D: Disk>(
    files: &SegmentFiles<D>,
    segment: &Rc<Segment<D>>,
    next: Option<&Rc<Segment<D>>>,
    replay: &mut Replay,
) -> Result<(), OpenError> {
    let path = || segment.file.path.display().to_string();
    let corrupt = |what: String| OpenError::Corrupt { path: path(), what };
    let io_error = |source| OpenError::Io { path: path(), source };
    let mut reader = SegmentReader::new(segment.clone(), files.buffers().clone());
    while let Some(batch) = reader.next_batch().await.map_err(io_error)? {
        for record in batch {
            let offset = record.location.offset;
            replay
                .apply(&record)
                .map_err(|error| corrupt(format!("record at {offset}: {error}")))?;
        }
    }
    segment.tail.set(reader.position());
    segment.batches.set(reader.batches());
    let damaged = match next {
        None => reader.end().await.map_err(io_error)? == SegmentEnd::Damaged,
        Some(next) if next.id().ordinal != segment.id().ordinal + 1 => {
            return Err(corrupt("the segment after it is missing".to_owned()));
        }
        Some(next) => next.header.previous_batches != reader.batches(),
    };
    if damaged {
        let offset = reader.position();
        return Err(corrupt(format!("the batch at {offset} was acknowledged and cannot be read")));
    }
    Ok(())
}
