//! Page-aligned buffers that travel from socket to drive to cache without a copy.
//! A slot belongs to one `BufferMut` or to the clones of one `Buffer`, and goes back to its pool
//! when the last of them drops; an operation in flight is such an owner, so nothing is reused early.

mod filling;
mod free_list;
mod pool;
mod pools;
mod shared;
mod wait;

#[cfg(test)]
mod tests;

pub use filling::BufferMut;
pub use pools::{BufferConfig, BufferStats, Buffers, LARGE_BYTES, SMALL_BYTES};
pub use shared::Buffer;
