//! All that a server is told; made by the control plane, never changed.

use std::net::SocketAddr;

use openlake_s3::Timeouts;
use openlake_store::StoreConfig;

#[derive(Clone)]
pub struct ServerConfig {
    /// Port 0 takes a free one.
    pub listen: SocketAddr,
    pub region: String,
    pub store: StoreConfig,
    /// Memory for bodies in flight, all shards together; the store's cache comes on top.
    pub buffer_bytes: u64,
    /// How much of it is touched before the server is ready; new memory is slow in a virtual
    /// machine, and somebody pays for it.
    pub prefault_bytes: u64,
    pub timeouts: Timeouts,
    /// Control requests that may wait for the control plane; more are told to slow down.
    pub control_requests_max: usize,
}
