//! The server as the control plane sees it: start, drain, answer, engine calls.

mod calls;
mod completion;
mod config;
mod errors;
mod registration;
mod request;
mod running;
mod values;

pub use registration::register;
pub use running::Server;
