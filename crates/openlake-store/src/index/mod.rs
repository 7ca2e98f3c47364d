//! What a shard knows in memory, rebuilt from the journal at each start: buckets with their
//! objects and uploads in key order, and the control plane's records.

mod bucket;
mod buckets;
mod entry;
mod system;
mod upload;

pub use bucket::Bucket;
pub use buckets::Buckets;
pub use entry::{Object, Place};
pub use system::SystemIndex;
pub use upload::{Upload, UploadedPart};
