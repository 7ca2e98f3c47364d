//! GetObject: the facts of an object at once, its bytes on demand.

use openlake_types::{BucketName, ObjectKey};

/// Conditions and ranges are the caller's: it sees the facts before it asks for bytes.
#[derive(Clone, Debug)]
pub struct GetObject {
    pub bucket: BucketName,
    pub key: ObjectKey,
}
