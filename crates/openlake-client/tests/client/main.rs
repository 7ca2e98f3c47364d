//! The client against a scripted server: one file an operation or a behaviour.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod get_object;
mod listing;
mod load;
mod put_object;
mod repeats;
mod retries;
mod server;
mod transfers;
