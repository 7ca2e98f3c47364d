//! Object keys: opaque UTF-8 of 1 to 1,024 bytes. Never resolved, normalised or used as a path.

use std::fmt;

use bytes::Bytes;

use crate::limits::KEY_BYTES_MAX;

/// A valid object key; clones share the bytes. Ordered by its UTF-8 bytes, as listings are.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey(Bytes);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidObjectKey {
    #[error("an object key is not empty")]
    Empty,
    #[error("an object key has at most 1024 bytes of UTF-8")]
    TooLong,
    #[error("an object key is valid UTF-8")]
    NotUtf8,
}

impl ObjectKey {
    pub fn new(key: impl Into<Bytes>) -> Result<Self, InvalidObjectKey> {
        let key = key.into();
        if key.is_empty() {
            return Err(InvalidObjectKey::Empty);
        }
        if key.len() > KEY_BYTES_MAX {
            return Err(InvalidObjectKey::TooLong);
        }
        if std::str::from_utf8(&key).is_err() {
            return Err(InvalidObjectKey::NotUtf8);
        }
        Ok(Self(key))
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("checked when made")
    }
}

impl std::borrow::Borrow<[u8]> for ObjectKey {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_bytes_and_nothing_is_resolved() {
        assert_eq!(ObjectKey::new(""), Err(InvalidObjectKey::Empty));
        assert!(ObjectKey::new("é".repeat(512)).is_ok());
        assert_eq!(ObjectKey::new("é".repeat(513)), Err(InvalidObjectKey::TooLong));
        assert_eq!(ObjectKey::new(&b"\xff"[..]), Err(InvalidObjectKey::NotUtf8));
        for literal in ["..", "a/../b", "//", "a//b", "dir/", " x "] {
            assert_eq!(ObjectKey::new(literal).expect("valid").as_str(), literal);
        }
    }
}
