//! The load generator: many connections on few threads, closed or open loop, cheap enough to share
//! a machine with the server it measures.

mod body;
mod config;
mod connection;
mod histogram;
mod multipart;
mod pace;
mod report;
mod requests;
mod run;
mod worker;

pub use config::{LoadConfig, Verb};
pub use histogram::Histogram;
pub use report::LoadReport;
pub use run::run;
