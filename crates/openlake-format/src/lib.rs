//! Bytes on disk: journal records and blob files, with their checks. Pure, no I/O.
#![forbid(unsafe_code)]

pub mod blob_footer;
pub mod blob_layout;
pub mod blob_tail;
