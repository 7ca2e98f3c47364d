//! Multipart uploads: each part is a blob, completion is one record, nothing is copied.

mod abort_multipart_upload;
mod complete_multipart_upload;
mod create_multipart_upload;
mod list_multipart_uploads;
mod list_parts;
mod open_upload;
mod upload_part;

pub use abort_multipart_upload::AbortMultipartUpload;
pub use complete_multipart_upload::{CompleteMultipartUpload, CompletedPart};
pub use create_multipart_upload::CreateMultipartUpload;
pub use list_multipart_uploads::{
    ListMultipartUploads, ListedUpload, UploadListPage, UploadListPosition,
};
pub(crate) use list_multipart_uploads::{UploadListSlice, UploadSlice};
pub use list_parts::{ListParts, PartsPage};
pub use upload_part::UploadPart;
