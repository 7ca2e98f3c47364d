//! The S3 operations, one file each or each small family.

pub mod bucket;
pub mod get_object;
pub mod list_objects;
pub mod multipart;
pub mod object;
pub mod transfer;
