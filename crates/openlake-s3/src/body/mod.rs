//! What arrives as the body of a request, checked against everything that its head promised.
//! Incremental and without I/O: bytes go in as they come, in pieces of any size.

mod payload_mode;

pub use payload_mode::PayloadMode;
