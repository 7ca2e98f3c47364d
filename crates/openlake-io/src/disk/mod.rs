//! What the engine asks of a drive: files, directories and their durability.
//! `UringDisk` is the real one; tests use one that forgets what was not synced.

pub mod fault;
mod interface;
mod operations;
mod uring;

pub use fault::{FaultDisk, FaultFile};
pub use interface::{DirEntry, Disk, DiskFile, OpenOptions};
pub use uring::{UringDisk, UringFile};
