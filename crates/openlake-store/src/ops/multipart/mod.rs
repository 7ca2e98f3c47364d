//! Multipart uploads: each part is a blob, completion is one record, nothing is copied.

mod abort_multipart_upload;
mod complete_multipart_upload;
mod create_multipart_upload;
mod list_multipart_uploads;
mod list_parts;

pub use abort_multipart_upload::AbortMultipartUpload;
pub use complete_multipart_upload::{CompleteMultipartUpload, CompletedPart};
pub use create_multipart_upload::CreateMultipartUpload;
pub use list_multipart_uploads::{
    ListMultipartUploads, ListedUpload, UploadListPage, UploadListPosition,
};
pub use list_parts::{ListParts, PartsPage};
