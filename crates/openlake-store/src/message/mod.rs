//! Between shards: what one asks another, and how it is answered.

mod dispatch;
mod request;

pub(crate) use request::{Answered, Blocks, Content, Found, ObjectCommit, PartCommit, Request};
