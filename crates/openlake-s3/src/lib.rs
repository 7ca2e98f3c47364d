//! The S3 protocol over HTTP/1.1: request heads, signatures, bodies, conditions, errors.

pub mod auth;
pub mod body;
pub mod control;
pub mod error;
pub mod http_date;
pub mod request_head;

pub use error::{ErrorAnswer, S3Error, S3ErrorCode};
pub use request_head::{HeaderMap, Method, RequestHead};
