//! What an object is to a caller: its facts, and the conditions under which it may be replaced.

use openlake_format::ObjectAttributes;
use openlake_types::{Checksum, ETag, ObjectKey, PartNumber, Timestamp};

/// An object as a reader sees it; whole and unchanging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectInfo {
    pub size: u64,
    pub last_modified: Timestamp,
    /// With the ETag and the checksum.
    pub attributes: ObjectAttributes,
    /// 0 for an object that was put in one piece.
    pub parts_count: u16,
}

impl ObjectInfo {
    pub const fn etag(&self) -> ETag {
        self.attributes.etag
    }

    pub const fn checksum(&self) -> Option<Checksum> {
        self.attributes.checksum
    }
}

/// Checked by the owner of the key together with the commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteCondition {
    #[default]
    None,
    /// `If-None-Match: *`: there is no object.
    IfNoneMatchAny,
    /// `If-Match: *`: there is an object.
    IfMatchAny,
    /// `If-Match: etag`.
    IfMatch(ETag),
}

impl WriteCondition {
    /// `current` is the ETag of the object that is there. S3 answers 404, not 412, to `If-Match`
    /// on a key without object.
    pub(crate) fn check(self, current: Option<ETag>) -> Result<(), crate::StoreError> {
        match (self, current) {
            (Self::IfMatch(_) | Self::IfMatchAny, None) => Err(crate::StoreError::NoSuchKey),
            (Self::IfMatch(wanted), Some(found)) if wanted != found => {
                Err(crate::StoreError::PreconditionFailed)
            }
            (Self::IfNoneMatchAny, Some(_)) => Err(crate::StoreError::PreconditionFailed),
            _ => Ok(()),
        }
    }
}

/// One line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedObject {
    pub key: ObjectKey,
    pub size: u64,
    pub etag: ETag,
    pub last_modified: Timestamp,
    pub checksum: Option<Checksum>,
}

/// A part that was uploaded, as ListParts shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartInfo {
    pub number: PartNumber,
    pub size: u64,
    pub etag: ETag,
    pub checksum: Option<Checksum>,
    pub last_modified: Timestamp,
}
