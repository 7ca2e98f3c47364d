//! Buckets: made and deleted on shard 0, known to every shard before the call returns.

use bytes::Bytes;
use openlake_types::{BucketName, Timestamp};

#[derive(Clone, Debug)]
pub struct CreateBucket {
    pub name: BucketName,
    pub owner: String,
    /// Opaque to the engine.
    pub config: Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketInfo {
    pub name: BucketName,
    pub owner: String,
    pub created: Timestamp,
    pub config: Bytes,
}
