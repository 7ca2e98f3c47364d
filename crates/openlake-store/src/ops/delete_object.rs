//! DeleteObject: the record first, then the space.

use openlake_types::{BucketName, ObjectKey};

use crate::object::WriteCondition;

#[derive(Clone, Debug)]
pub struct DeleteObject {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub condition: WriteCondition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeleteOutcome {
    pub existed: bool,
}
