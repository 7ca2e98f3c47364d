//! The storage engine: journal, blobs, index, cache; one store a shard.

pub mod cache;
