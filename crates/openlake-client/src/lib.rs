//! A native S3 client: blocking sockets, the caller's threads, the caller's buffers, and every byte
//! checked end to end with CRC-64/NVME.

mod call;
mod client;
mod config;
mod error;
mod http;
pub mod load;
mod net;
mod null_server;
mod ops;
mod request;
mod retry;
mod sign;
mod uri;
mod xml;

pub use client::Client;
pub use config::{ClientConfig, Credentials, PartETag};
pub use error::{ClientError, ErrorDetails, ErrorKind};
pub use null_server::NullServer;
pub use ops::bucket::Bucket;
pub use ops::get_object::{GotObject, GotRange};
pub use ops::list_objects::{ListOptions, ListPage, ListedObject};
pub use ops::multipart::UploadedPart;
pub use ops::object::{ObjectInfo, PutOptions, PutOutcome};
pub use ops::transfer::Transfer;
