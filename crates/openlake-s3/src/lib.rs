//! The S3 protocol over HTTP/1.1: request heads, signatures, bodies, conditions, errors.

pub mod access;
pub mod auth;
pub mod body;
pub mod conditions;
pub mod control;
pub mod error;
pub mod http;
pub mod http_date;
pub mod request_head;
pub mod router;
pub mod target;
pub mod xml;

pub use error::{ErrorAnswer, S3Error, S3ErrorCode};
pub use request_head::{HeaderMap, Method, RequestHead};
