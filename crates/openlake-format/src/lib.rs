//! Bytes on disk: journal records and blob files, with their checks. Pure, no I/O.
//!
//! Every byte is drawn in `docs/design/on-disk-format.md`. Numbers are explicit, little-endian and
//! never used again for another meaning.
#![forbid(unsafe_code)]

pub mod attributes;
pub mod batch_header;
pub mod blob_footer;
pub mod blob_layout;
pub mod blob_tail;
mod crc;
pub mod error;
pub mod identity;
pub mod record_header;
pub mod records;
pub mod segment_header;
pub mod wire;

#[cfg(test)]
mod headers_tests;

pub use attributes::ObjectAttributes;
pub use batch_header::BatchHeader;
pub use error::DecodeError;
pub use identity::{DeploymentId, Identity};
pub use record_header::{RecordHeader, RecordType};
pub use records::{
    BlobLocation, BucketDeletion, BucketRecord, ManifestPart, ObjectBody, ObjectDeletion,
    ObjectRecord, PartRecord, SystemDeletion, SystemRecord, UploadEnd, UploadRecord,
};
pub use segment_header::{SegmentHeader, SegmentId, SegmentState};
