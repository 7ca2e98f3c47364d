//! What a shard asks of the control plane: a verb that is not hot, with its signature verified and
//! its body collected; and what comes back. Values only, so that they cross threads.

use bytes::Bytes;

use crate::auth::Identity;
use crate::request_head::{HeaderMap, Method};

#[derive(Clone, Debug)]
pub struct ControlRequest {
    /// As in the answer's `x-amz-request-id`.
    pub request_id: String,
    pub method: Method,
    /// As it came: path and query, undecoded.
    pub target: Bytes,
    /// Lower-case names.
    pub headers: HeaderMap,
    /// At most `CONTROL_BODY_BYTES_MAX`; what the signature and the checksums cover.
    pub body: Bytes,
    pub identity: Identity,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlAnswer {
    pub status: u16,
    /// Without Content-Length, Date, Server and x-amz-request-id, which the connection adds.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

#[allow(async_fn_in_trait, reason = "futures stay on their shard, so no Send bound is wanted")]
pub trait ControlPlane: 'static {
    /// `None`: too many requests wait for it, or it has gone; the client is told to slow down.
    async fn call(&self, request: ControlRequest) -> Option<ControlAnswer>;
}
