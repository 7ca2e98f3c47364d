//! HTTP/1.1 on one blocking connection, and a pool of idle ones.

pub mod connection;
pub mod pool;
pub mod response;
