//! The engine's promises, one a module. One program, so that it is linked once.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod buckets;
mod compaction;
mod conditions;
mod copy;
mod crash;
mod damage;
mod deployment;
mod forgery;
mod full_drive;
mod listing;
mod multipart;
mod readers;
mod restart;
mod sync_failure;
mod system_records;

mod support;
