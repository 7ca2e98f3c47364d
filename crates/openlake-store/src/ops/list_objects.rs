//! ListObjects: one page of a bucket in byte order, merged from all shards.

use std::ops::Bound;

use bytes::Bytes;
use openlake_io::Disk;
use openlake_types::{BucketName, ObjectKey, ShardIndex};

use super::merge::{Line, Slice, after_prefix, common_prefix, merge};
use crate::error::StoreError;
use crate::index::Object;
use crate::message::Request;
use crate::object::ListedObject;
use crate::store::{Shard, Store};

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

/// What one shard is asked for.
#[derive(Clone)]
pub struct ListSlice {
    pub request: ListObjects,
    pub count: usize,
}

#[derive(Clone)]
pub enum ObjectLine {
    Object(ListedObject),
    CommonPrefix(Bytes),
}

pub type ObjectSlice = Slice<ObjectLine>;

impl Line for ObjectLine {
    type Position = ListPosition;

    fn order(&self) -> (&[u8], u128) {
        match self {
            Self::Object(object) => (object.key.as_bytes(), 0),
            Self::CommonPrefix(prefix) => (prefix, 0),
        }
    }

    fn common_prefix(&self) -> Option<&Bytes> {
        match self {
            Self::Object(_) => None,
            Self::CommonPrefix(prefix) => Some(prefix),
        }
    }

    fn position(&self) -> ListPosition {
        match self {
            Self::Object(object) => {
                ListPosition::Key(Bytes::copy_from_slice(object.key.as_bytes()))
            }
            Self::CommonPrefix(prefix) => ListPosition::CommonPrefix(prefix.clone()),
        }
    }
}

impl<D: Disk> Store<D> {
    pub async fn list_objects(&self, request: ListObjects) -> Result<ListPage, StoreError> {
        self.0.buckets.find(&request.bucket)?;
        if request.max_keys == 0 {
            return Ok(ListPage::default());
        }
        let (count, after) = (request.max_keys, request.after.clone());
        let fetch = |shard: ShardIndex, after: Option<ListPosition>, count: usize| {
            let slice = ListSlice { request: ListObjects { after, ..request.clone() }, count };
            async move {
                if self.is_here(shard) {
                    return self.0.list_slice(&slice);
                }
                self.ask(shard, |reply| Request::ListObjects(slice, reply)).await
            }
        };
        let (lines, has_more) = merge(self.0.all_shards(), after, count, fetch).await?;
        let next = lines.last().filter(|_| has_more).map(Line::position);
        let mut page = ListPage { next, ..ListPage::default() };
        for line in lines {
            match line {
                ObjectLine::Object(object) => page.objects.push(object),
                ObjectLine::CommonPrefix(prefix) => page.common_prefixes.push(prefix),
            }
        }
        Ok(page)
    }
}

fn listed(key: &ObjectKey, object: &Object) -> ListedObject {
    ListedObject {
        key: key.clone(),
        size: object.size,
        etag: object.etag,
        last_modified: object.last_modified,
        checksum: object.attributes().checksum,
    }
}

/// The first key that may be listed.
fn lower_bound(prefix: &[u8], after: Option<&ListPosition>) -> Option<Bound<Vec<u8>>> {
    let bound = match after {
        Some(ListPosition::Key(key)) if key[..] >= *prefix => Bound::Excluded(key.to_vec()),
        Some(ListPosition::CommonPrefix(common)) => {
            let next = after_prefix(common)?;
            Bound::Included(if next.as_slice() > prefix { next } else { prefix.to_vec() })
        }
        _ => Bound::Included(prefix.to_vec()),
    };
    Some(bound)
}

impl<D: Disk> Shard<D> {
    /// Common prefixes are passed by seeking: a slice costs what it shows.
    pub fn list_slice(&self, slice: &ListSlice) -> Result<ObjectSlice, StoreError> {
        let request = &slice.request;
        let bucket = self.buckets.find(&request.bucket)?;
        let objects = bucket.objects.borrow();
        let prefix = &request.prefix[..];
        let mut lines = Vec::new();
        let mut from = lower_bound(prefix, request.after.as_ref());
        'seek: while let Some(bound) = from.take() {
            let range = (bound.as_ref().map(Vec::as_slice), Bound::Unbounded);
            for (key, object) in objects.range::<[u8], _>(range) {
                if !key.as_bytes().starts_with(prefix) {
                    break 'seek;
                }
                if lines.len() == slice.count {
                    return Ok(Slice { lines, is_last: false });
                }
                let common = common_prefix(key.as_bytes(), prefix, request.delimiter.as_ref());
                if let Some(common) = common {
                    lines.push(ObjectLine::CommonPrefix(Bytes::copy_from_slice(common)));
                    from = after_prefix(common).map(Bound::Included);
                    continue 'seek;
                }
                lines.push(ObjectLine::Object(listed(key, object)));
            }
        }
        Ok(Slice { lines, is_last: true })
    }
}
