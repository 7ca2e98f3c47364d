//! Payloads of journal records, one file each.

mod bucket;
mod bucket_deletion;
mod key;
mod object;
mod object_deletion;
mod part;
mod system;
mod system_deletion;
mod upload;
mod upload_end;

pub use bucket::BucketRecord;
pub use bucket_deletion::BucketDeletion;
pub use object::{BlobLocation, ManifestPart, ObjectBody, ObjectRecord};
pub use object_deletion::ObjectDeletion;
pub use part::PartRecord;
pub use system::SystemRecord;
pub use system_deletion::SystemDeletion;
pub use upload::UploadRecord;
pub use upload_end::UploadEnd;

#[cfg(test)]
mod tests;
