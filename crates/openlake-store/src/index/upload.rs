//! An open multipart upload and its parts so far.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use openlake_format::ObjectAttributes;
use openlake_types::{ChecksumAlgorithm, ChecksumKind, ObjectKey, PartNumber, Timestamp, UploadId};

use super::entry::Place;
use crate::body::StoredPart;
use crate::object::PartInfo;

pub struct UploadedPart {
    pub part: StoredPart,
    pub last_modified: Timestamp,
    pub place: Cell<Place>,
}

impl UploadedPart {
    pub fn info(&self) -> PartInfo {
        PartInfo {
            number: self.part.number,
            size: self.part.size,
            etag: self.part.etag,
            checksum: self.part.checksum,
            last_modified: self.last_modified,
        }
    }
}

pub struct Upload {
    pub key: ObjectKey,
    pub id: UploadId,
    pub initiated: Timestamp,
    pub checksum: Option<(ChecksumAlgorithm, ChecksumKind)>,
    pub attributes: ObjectAttributes,
    pub place: Cell<Place>,
    pub parts: RefCell<BTreeMap<PartNumber, Rc<UploadedPart>>>,
}

impl Upload {
    pub fn part(&self, number: PartNumber) -> Option<Rc<UploadedPart>> {
        self.parts.borrow().get(&number).cloned()
    }

    /// What all its records take in their segments.
    pub fn stride(&self) -> u64 {
        let parts = self.parts.borrow();
        let of_parts: u64 = parts.values().map(|part| part.place.get().stride()).sum();
        of_parts + self.place.get().stride()
    }
}
