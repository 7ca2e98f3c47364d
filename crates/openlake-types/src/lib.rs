//! Words that every layer shares: names, ids, ranges, ETags, checksums, limits.
//! Pure values, no I/O; a value that exists is valid.
#![forbid(unsafe_code)]

pub mod bucket_name;
pub mod checksum;
pub mod etag;
pub mod ids;
pub mod limits;
pub mod object_key;
pub mod range;
pub mod timestamp;

pub use bucket_name::BucketName;
pub use checksum::{Checksum, ChecksumAlgorithm, ChecksumKind};
pub use etag::ETag;
pub use ids::{BlobId, Epoch, PartNumber, PlacementGroup, Sequence, ShardIndex, UploadId};
pub use object_key::ObjectKey;
pub use range::{ByteRange, RangeSpec};
pub use timestamp::Timestamp;
