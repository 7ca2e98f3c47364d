//! The storage engine: journal, blobs, index, cache; one store a shard.

pub mod blob;
pub mod cache;
pub mod config;
pub mod error;
pub mod object;
pub mod ops;

pub use config::{Clock, StoreConfig};
pub use error::{OpenError, StoreError};
pub use object::{ListedObject, ObjectInfo, PartInfo, WriteCondition};
pub use openlake_format::ObjectAttributes;
