//! The S3 protocol over HTTP/1.1: request heads, signatures, bodies, conditions, errors.

pub mod access;
pub mod auth;
pub mod body;
pub mod conditions;
pub mod control;
pub mod error;
mod exchange;
mod hashing;
pub mod http;
mod metrics;
mod ops;
pub mod request_head;
mod request_id;
pub mod router;
pub mod service;
pub mod target;
pub mod timeouts;
pub mod xml;

pub use access::AccessTables;
pub use control::{ControlAnswer, ControlPlane, ControlRequest};
pub use error::{ErrorAnswer, S3Error, S3ErrorCode};
pub use http::date as http_date;
pub use metrics::ServiceMetrics;
pub use ops::ListTokenKey;
pub use request_head::{HeaderMap, Method, RequestHead};
pub use service::{Service, ServiceConfig};
pub use timeouts::Timeouts;
