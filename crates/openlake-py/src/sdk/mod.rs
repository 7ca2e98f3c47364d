//! The SDK's half of the module: the native client, the load generator, the seeded pattern.

mod answers;
mod buffer;
mod client;
mod errors;
mod load;
mod null_server;
mod pattern;
mod probe;
mod registration;
mod settings;

pub use registration::register;
