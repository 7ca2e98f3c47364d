//! What can go wrong with a blob, by what the caller has to do about it.

use std::io;
use std::sync::Arc;

use openlake_types::BlobId;

/// What of a blob did not match its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorruptPart {
    /// A page of data, counted from the start of the blob.
    Data { page: u64 },
    /// A block of page checksums.
    Table { block: u32 },
    /// The footer, or the page checksums beside it.
    Footer,
    /// The file is missing or shorter than the blob.
    File,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum BlobError {
    /// Nothing was changed; deleting objects makes room.
    #[error("no space is left for blobs on the drive")]
    OutOfSpace,
    /// The bytes on the drive are not those that were written; none was handed out.
    #[error("blob file {:#x} generation {} is corrupt: {part:?}: {reason}", id.file, id.generation)]
    Corrupt { id: BlobId, part: CorruptPart, reason: String },
    /// The drive may have lost writes that it had accepted: it must not acknowledge any more.
    #[error("sync of blob file {file:#x} failed")]
    SyncFailed { file: u64, source: Arc<io::Error> },
    #[error("{0}")]
    Io(Arc<io::Error>),
}

/// The disk names the path and what was tried.
impl From<io::Error> for BlobError {
    fn from(error: io::Error) -> Self {
        if is_out_of_space(&error) { Self::OutOfSpace } else { Self::Io(Arc::new(error)) }
    }
}

pub(super) fn is_out_of_space(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
