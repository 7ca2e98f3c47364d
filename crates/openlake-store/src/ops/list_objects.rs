//! ListObjects: one page of a bucket in byte order, merged from all shards.

use bytes::Bytes;
use openlake_types::BucketName;

use crate::object::ListedObject;

/// Where a page begins: strictly after this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListPosition {
    Key(Bytes),
    /// Skips every key that starts with these bytes.
    CommonPrefix(Bytes),
}

#[derive(Clone, Debug)]
pub struct ListObjects {
    pub bucket: BucketName,
    pub prefix: Bytes,
    /// None or not empty.
    pub delimiter: Option<Bytes>,
    pub after: Option<ListPosition>,
    /// Keys and common prefixes together.
    pub max_keys: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPage {
    pub objects: Vec<ListedObject>,
    pub common_prefixes: Vec<Bytes>,
    /// Set exactly when there is more.
    pub next: Option<ListPosition>,
}

impl ListPage {
    pub const fn is_truncated(&self) -> bool {
        self.next.is_some()
    }
}
