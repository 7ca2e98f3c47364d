//! Who may do what, compiled: the table of keys and the owner of each bucket. Immutable once made;
//! the control plane swaps in a new one when a user or a bucket changes.

use std::collections::HashMap;

use openlake_types::BucketName;

use crate::auth::{Identity, KeyTable};
use crate::error::{S3Error, S3ErrorCode};

#[derive(Clone, Debug, Default)]
pub struct AccessTables {
    pub keys: KeyTable,
    /// Bucket name to the user id of its owner.
    pub owners: HashMap<BucketName, Box<str>>,
}

impl AccessTables {
    /// Whether this user may use a bucket and all that is in it. A bucket of someone else and one
    /// that does not exist get the same answer, so a refusal reveals nothing.
    pub fn check(&self, identity: &Identity, bucket: &BucketName) -> Result<(), S3Error> {
        let is_owner = || {
            let owner = self.owners.get(bucket.as_str());
            owner.is_some_and(|owner| **owner == *identity.user_id())
        };
        if identity.is_root() || is_owner() {
            Ok(())
        } else {
            Err(S3ErrorCode::AccessDenied.into())
        }
    }

    /// `x-amz-expected-bucket-owner`: the request is only meant for that owner's bucket.
    pub fn check_expected_owner(&self, bucket: &BucketName, expected: &str) -> Result<(), S3Error> {
        match self.owners.get(bucket.as_str()) {
            Some(owner) if **owner != *expected => Err(S3ErrorCode::AccessDenied.into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::SecretKey;

    fn tables() -> AccessTables {
        let mut tables = AccessTables::default();
        for (key, user, is_root) in [("AK-ROOT", "root", true), ("AK-ANN", "ann", false)] {
            let secret = SecretKey::new("secret").expect("not empty");
            tables.keys.insert(key, secret, user, is_root);
        }
        tables.owners.insert(bucket("anns"), "ann".into());
        tables.owners.insert(bucket("bobs"), "bob".into());
        tables
    }

    fn bucket(name: &str) -> BucketName {
        BucketName::new(name).expect("valid")
    }

    #[test]
    fn root_may_everything_and_a_user_its_own_buckets() {
        let tables = tables();
        let root = tables.keys.get("AK-ROOT").expect("present");
        let ann = tables.keys.get("AK-ANN").expect("present");
        assert_eq!(tables.check(root, &bucket("bobs")), Ok(()));
        assert_eq!(tables.check(ann, &bucket("anns")), Ok(()));
        let denied = Err(S3Error::new(S3ErrorCode::AccessDenied));
        assert_eq!(tables.check(ann, &bucket("bobs")), denied);
        assert_eq!(tables.check(ann, &bucket("nobodys")), denied, "existence is not revealed");
    }

    #[test]
    fn an_expected_owner_must_be_the_owner() {
        let tables = tables();
        assert_eq!(tables.check_expected_owner(&bucket("anns"), "ann"), Ok(()));
        assert!(tables.check_expected_owner(&bucket("anns"), "bob").is_err());
    }
}
