//! The journal of a shard: what it has acknowledged. Records are appended in order of their
//! sequence, many with one synced write; segments are written once in full and used again.

mod batch;
mod commit;
mod lifecycle;
mod reader;
mod reserve;
mod segment;
mod stream;
mod writer;

pub use batch::{Appended, NewRecord, Purpose, RECORD_BYTES_MAX};
pub use reader::{RecordView, SegmentEnd, SegmentReader};
pub use segment::{Location, Segment, SegmentFile, SegmentFiles};
pub use stream::{FoundSegment, StreamIdentity, StreamPlan, find_segments};
pub use writer::{Journal, JournalStart, JournalStats};
