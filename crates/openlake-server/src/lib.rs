//! Composition root: shard threads, their listeners, the ring to the control plane, shutdown.
//! Decides nothing: it starts what the other crates provide, in order, and stops it in order.

pub mod config;
pub mod control;
mod counters;
pub mod engine;
pub mod ring;
mod seats;
pub mod server;
mod shard;

pub use config::ServerConfig;
pub use engine::{Engine, Refused};
pub use ring::{PendingRequest, Ring, RingItem};
pub use server::{Server, StartError};
