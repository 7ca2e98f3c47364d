//! From what is on the drive to a shard that serves: find the segments, replay them, agree with
//! the other shards on the blobs that records name, go on with the journal.

mod attach;
mod gather;
mod open;
mod replay;
mod scan;

pub use attach::{FoundBlobs, LiveBlobs};
pub use gather::Gather;
pub(crate) use open::open;
