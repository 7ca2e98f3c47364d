//! Records of shard 0 alone: where the bucket records lie, and the control plane's own records.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;

use super::entry::Place;

#[derive(Default)]
pub struct SystemIndex {
    /// By the bucket's identity.
    pub buckets: RefCell<HashMap<u64, Place>>,
    /// By kind, then name.
    pub records: RefCell<BTreeMap<(String, String), (Place, Bytes)>>,
}
