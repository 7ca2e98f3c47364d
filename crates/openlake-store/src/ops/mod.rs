//! The engine's operations, one a file; each may be called on any shard.

pub mod buckets;
pub mod copy_object;
pub mod delete_object;
pub mod get_object;
pub mod list_objects;
pub mod merge;
pub mod multipart;
pub mod put_object;
pub mod system_records;
