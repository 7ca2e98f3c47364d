//! Shard runtime, buffers, disks and sockets: the only crate that names compio.
//! Everything a shard waits for (drive, socket, another shard, a buffer) is awaited through here.

pub mod buffer;
pub mod disk;
pub mod inbox;
pub mod net;
pub mod oneshot;
pub mod probe;
mod ring_turn;
pub mod runtime;

pub use buffer::{Buffer, BufferConfig, BufferMut, BufferStats, Buffers, LARGE_BYTES, SMALL_BYTES};
pub use disk::{DirEntry, Disk, DiskFile, FaultDisk, OpenOptions, UringDisk};
pub use ring_turn::ring_turn;
