//! PutObject: a staged body becomes the object of a key.

use openlake_format::ObjectAttributes;
use openlake_types::{BucketName, ObjectKey};

use crate::object::WriteCondition;
use crate::staging::StagedBody;

pub struct PutObject {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub body: StagedBody,
    pub attributes: ObjectAttributes,
    pub condition: WriteCondition,
}
