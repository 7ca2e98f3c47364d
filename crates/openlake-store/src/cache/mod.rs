//! What a shard keeps in memory of the bytes it owns: blob blocks and inline payloads, within a
//! budget of bytes held. A hit is always the latest value of its key.

mod block_cache;
mod ghost;
mod queue;
pub mod s3_fifo;
pub mod weight;

#[cfg(test)]
mod tests;

pub use block_cache::{BlockCache, InlinePlace};
pub use s3_fifo::CacheStats;
