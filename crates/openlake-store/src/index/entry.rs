//! The current object of a key.

use std::cell::Cell;

use openlake_format::ObjectAttributes;
use openlake_format::record_header::RECORD_HEADER_BYTES;
use openlake_format::record_header::RecordHeader;
use openlake_format::wire::{Decoder, Encoder};
use openlake_types::{ETag, Sequence, Timestamp};

use crate::body::Body;
use crate::journal::{Appended, Location};
use crate::object::ObjectInfo;

/// The record that counts for an entry; compaction moves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub sequence: Sequence,
    pub location: Location,
}

impl Place {
    /// What the record takes in its segment.
    pub const fn stride(&self) -> u64 {
        RecordHeader::stride(self.location.bytes as usize - RECORD_HEADER_BYTES) as u64
    }
}

impl From<Appended> for Place {
    fn from(appended: Appended) -> Self {
        Self { sequence: appended.sequence, location: appended.location }
    }
}

pub struct Object {
    pub place: Cell<Place>,
    pub size: u64,
    pub last_modified: Timestamp,
    pub etag: ETag,
    /// Encoded: a third of the memory of the decoded form.
    attributes: Box<[u8]>,
    pub body: Body,
}

impl Object {
    pub fn new(
        place: Place,
        size: u64,
        last_modified: Timestamp,
        attributes: &ObjectAttributes,
        body: Body,
    ) -> Self {
        let mut encoded = Vec::new();
        attributes.encode(&mut Encoder(&mut encoded));
        Self {
            place: Cell::new(place),
            size,
            last_modified,
            etag: attributes.etag,
            attributes: encoded.into_boxed_slice(),
            body,
        }
    }

    pub fn attributes(&self) -> ObjectAttributes {
        ObjectAttributes::decode(&mut Decoder(&self.attributes)).expect("encoded by new")
    }

    pub fn info(&self) -> ObjectInfo {
        ObjectInfo {
            size: self.size,
            last_modified: self.last_modified,
            attributes: self.attributes(),
            parts_count: self.body.parts_count(),
        }
    }
}
