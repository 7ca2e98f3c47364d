//! Large bodies: one file a blob, written once with O_DIRECT, sealed with checksums of every page,
//! durable when `finish` returns; read by page, every page checked; its file used again when the
//! last reader is gone.
//!
//! The life of a blob: `BlobPool::writer` → `write`… → `finish` gives a `Blob` whose space returns
//! when it is dropped. `Blob::set_live` *before* its record goes to the journal (so that a commit
//! of unknown outcome keeps the file), `Blob::release` when no record names it any more. At start:
//! `BlobPool::open`, `existing` for each blob that a record names, then `recover`.

mod error;
mod files;
mod flight;
mod lease;
mod names;
mod pool;
mod read_ahead;
mod reader;
mod recover;
mod recycle;
mod writer;

#[cfg(test)]
mod tests;

pub use error::{BlobError, CorruptPart};
pub use lease::{Blob, Homes};
pub use pool::{BlobConfig, BlobPool, BlobStats};
pub use read_ahead::{Piece, READ_DEPTH, ReadAhead};
pub use reader::{BlobReader, READ_BYTES_MAX};
pub use recover::Recovered;
pub use writer::{BlobWriter, WRITE_DEPTH};
