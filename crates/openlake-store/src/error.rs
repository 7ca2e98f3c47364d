//! Every way in which an engine operation ends without its result.

use std::io;
use std::sync::Arc;

use openlake_types::{ChecksumKind, PartNumber};

use crate::blob::BlobError;

#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the bucket does not exist")]
    NoSuchBucket,
    #[error("a bucket of this name exists and belongs to {owner}")]
    BucketExists { owner: String },
    #[error("the bucket still has objects")]
    BucketNotEmpty,
    #[error("the key does not exist")]
    NoSuchKey,
    #[error("the object has no part of this number")]
    NoSuchPart,
    #[error("the upload does not exist: it was completed or aborted, or never begun")]
    NoSuchUpload,
    #[error("part {} was not uploaded, or its ETag or checksum is another", number.get())]
    InvalidPart { number: PartNumber },
    #[error("the parts are not in ascending order of their numbers")]
    InvalidPartOrder,
    #[error("part {} has {size_bytes} bytes; only the last part may have less than 5 MiB", number.get())]
    PartTooSmall { number: PartNumber, size_bytes: u64 },
    #[error("an upload is completed from at least one part")]
    NoParts,
    #[error("the parts have {found} bytes together, not {expected}")]
    SizeMismatch { expected: u64, found: u64 },
    #[error("the checksum of the parts is not the one that was sent")]
    ChecksumMismatch,
    #[error("the upload was begun with another checksum algorithm")]
    ChecksumAlgorithmMismatch,
    #[error(
        "the upload was created using the {} checksum mode; the complete request must use the same \
         checksum mode",
        begun_with.name()
    )]
    ChecksumKindMismatch { begun_with: ChecksumKind },
    #[error("the object is not in the state that the condition asks for")]
    PreconditionFailed,
    #[error("the drive has no space left; delete objects, or free space outside of OpenLake")]
    OutOfSpace,
    #[error("stored bytes are damaged: {what}")]
    Corrupt { what: String },
    #[error("a sync of the drive failed; nothing is acknowledged until the server is restarted")]
    Poisoned,
    #[error("the shard has too many requests waiting")]
    TooBusy,
    #[error("the server is shutting down")]
    ShuttingDown,
    #[error("the drive failed: {0}")]
    Io(#[source] Arc<io::Error>),
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::OutOfSpace,
            _ => Self::Io(Arc::new(error)),
        }
    }
}

impl From<BlobError> for StoreError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::OutOfSpace => Self::OutOfSpace,
            BlobError::SyncFailed { .. } => Self::Poisoned,
            corrupt @ BlobError::Corrupt { .. } => Self::Corrupt { what: corrupt.to_string() },
            BlobError::Io(source) => Self::Io(source),
        }
    }
}

/// Why a data directory was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{what}; choose another value")]
    Config { what: String },
    #[error("cannot create or write the data directory {path}: {source}")]
    Directory { path: String, source: io::Error },
    #[error("{path} is in use by another server; stop it, or choose another data directory")]
    InUse { path: String },
    #[error("{path} has files that are not OpenLake's; choose an empty directory")]
    Foreign { path: String },
    #[error("{path} was written by a newer OpenLake (format {version}); use that release")]
    NewerFormat { path: String, version: u16 },
    #[error("{path} is damaged: {what}; restore the data directory from a copy")]
    Corrupt { path: String, what: String },
    #[error("the journal of {path} belongs to another deployment; mount the right drive")]
    OtherDeployment { path: String },
    #[error("the drive has no space for the journal: {needed_bytes} bytes are needed")]
    OutOfSpace { needed_bytes: u64 },
    #[error("another shard did not open")]
    OtherShard,
    #[error("cannot read or write {path}: {source}")]
    Io { path: String, source: io::Error },
}
