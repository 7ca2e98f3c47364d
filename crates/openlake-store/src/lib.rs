//! The storage engine: journal, blobs, index, cache; one store a shard.

pub mod blob;
mod body;
pub mod cache;
mod commit;
mod compaction;
pub mod config;
pub mod deployment;
pub mod error;
mod index;
mod journal;
mod message;
pub mod object;
pub mod object_reader;
pub mod ops;
mod placement;
mod recovery;
pub mod staging;
pub mod stats;
pub mod store;
mod wait;

pub use config::{Clock, Random, StoreConfig};
pub use deployment::Deployment;
pub use error::{OpenError, StoreError};
pub use object::{ListedObject, ObjectInfo, PartInfo, WriteCondition};
pub use object_reader::{ObjectHandle, ObjectReader};
pub use openlake_format::ObjectAttributes;
pub use ops::buckets::{BucketInfo, CreateBucket};
pub use ops::copy_object::CopyObject;
pub use ops::delete_object::{DeleteObject, DeleteOutcome};
pub use ops::get_object::GetObject;
pub use ops::list_objects::{ListObjects, ListPage, ListPosition};
pub use ops::multipart::{
    AbortMultipartUpload, CompleteMultipartUpload, CompletedPart, CreateMultipartUpload,
    ListMultipartUploads, ListParts, ListedUpload, PartsPage, UploadListPage, UploadListPosition,
    UploadPart,
};
pub use ops::put_object::PutObject;
pub use staging::{StageRequest, StagedBody, Staging};
pub use stats::StoreStats;
pub use store::Store;
