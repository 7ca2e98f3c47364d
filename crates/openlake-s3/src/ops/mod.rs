//! The hot verbs, one a file: headers and parameters in, a call of the store, an answer out.

mod delete_object;
mod get_object;
mod head_object;
mod header_rules;
mod list;
mod object_attributes;
mod object_headers;
mod put_object;
mod request;
mod store_error;
mod upload;
mod upload_part;

pub use list::ListTokenKey;
pub(crate) use request::{HotRequest, run};
pub(crate) use store_error::s3_error;
