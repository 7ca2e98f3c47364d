//! The table of access keys that a shard verifies against. Immutable once made: a change of users
//! swaps in a new table. Secrets never appear in debug output.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A secret access key; never empty.
#[derive(Clone)]
pub struct SecretKey(Box<str>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptySecret;

impl fmt::Display for EmptySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a secret key is not empty")
    }
}

impl std::error::Error for EmptySecret {}

impl SecretKey {
    pub fn new(secret: &str) -> Result<Self, EmptySecret> {
        if secret.is_empty() { Err(EmptySecret) } else { Ok(Self(secret.into())) }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(hidden)")
    }
}

#[derive(Debug)]
struct KeyEntry {
    access_key: Box<str>,
    secret: SecretKey,
    user_id: Box<str>,
    is_root: bool,
}

/// The user behind a verified request; cheap to clone and to send to another shard.
#[derive(Clone, Debug)]
pub struct Identity(Arc<KeyEntry>);

impl Identity {
    pub fn access_key(&self) -> &str {
        &self.0.access_key
    }

    pub fn user_id(&self) -> &str {
        &self.0.user_id
    }

    pub fn is_root(&self) -> bool {
        self.0.is_root
    }

    pub(super) fn secret(&self) -> &SecretKey {
        &self.0.secret
    }

    /// Whether both stand for the same entry of the same table.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

#[derive(Clone, Debug, Default)]
pub struct KeyTable {
    entries: HashMap<Box<str>, Identity>,
}

impl KeyTable {
    /// Adds a key; a key added before under the same name is replaced.
    pub fn insert(&mut self, access_key: &str, secret: SecretKey, user_id: &str, is_root: bool) {
        let (name, user_id) = (access_key.into(), user_id.into());
        let entry = KeyEntry { access_key: name, secret, user_id, is_root };
        self.entries.insert(access_key.into(), Identity(Arc::new(entry)));
    }

    pub fn get(&self, access_key: &str) -> Option<&Identity> {
        self.entries.get(access_key)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec1_an_empty_secret_is_no_secret() {
        assert_eq!(SecretKey::new("").err(), Some(EmptySecret));
    }

    #[test]
    fn sec33_debug_output_hides_the_secret() {
        let mut table = KeyTable::default();
        table.insert("AK", SecretKey::new("hush").expect("not empty"), "user", false);
        let text = format!("{table:?}");
        assert!(text.contains("user") && !text.contains("hush"), "{text}");
    }
}
