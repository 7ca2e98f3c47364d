//! Signing keys: derived from a secret for one day and region, and kept while they are in use.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::claim::{SERVICE, TERMINATOR};
use super::keys::Identity;

pub(super) type HmacSha256 = Hmac<Sha256>;

/// An HMAC that has taken in its key; a clone begins a signature.
pub(super) type SigningKey = HmacSha256;

/// Slots of the cache; a power of two. Deriving again costs about 2 µs, so a collision is cheap.
const SLOTS: usize = 256;

pub(super) fn keyed(key: &[u8]) -> HmacSha256 {
    HmacSha256::new_from_slice(key).expect("HMAC takes keys of any length")
}

fn hmac(key: &[u8], data: &[u8]) -> [u8; 32] {
    keyed(key).chain_update(data).finalize().into_bytes().into()
}

fn derive(identity: &Identity, date: &str, region: &str) -> SigningKey {
    let mut secret = Vec::with_capacity(4 + 64);
    secret.extend_from_slice(b"AWS4");
    secret.extend_from_slice(identity.secret().as_bytes());
    let date_key = hmac(&secret, date.as_bytes());
    let region_key = hmac(&date_key, region.as_bytes());
    let service_key = hmac(&region_key, SERVICE.as_bytes());
    keyed(&hmac(&service_key, TERMINATOR.as_bytes()))
}

struct Slot {
    /// Holding the identity keeps its address from being given to another one.
    identity: Identity,
    date: [u8; 8],
    region: usize,
    key: SigningKey,
}

/// Bounded: each key has one slot, and a newcomer takes it over.
pub(super) struct SigningKeyCache {
    slots: Vec<Option<Box<Slot>>>,
}

impl SigningKeyCache {
    pub fn new() -> Self {
        Self { slots: (0..SLOTS).map(|_| None).collect() }
    }

    /// `date` has eight digits; `region` is `region_name`'s position in the verifier's list.
    pub fn get(
        &mut self,
        identity: &Identity,
        date: &str,
        (region, region_name): (usize, &str),
    ) -> &SigningKey {
        let mut day = [0; 8];
        day.copy_from_slice(date.as_bytes());
        let mixed = (identity.address() >> 4) as u64 ^ u64::from_le_bytes(day) ^ region as u64;
        let place = (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % SLOTS;
        let slot = &mut self.slots[place];
        let is_hit = slot.as_ref().is_some_and(|slot| {
            slot.identity.is_same(identity) && slot.date == day && slot.region == region
        });
        if !is_hit {
            *slot = None;
        }
        let fresh = || {
            let key = derive(identity, date, region_name);
            Box::new(Slot { identity: identity.clone(), date: day, region, key })
        };
        &slot.get_or_insert_with(fresh).key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::keys::{KeyTable, SecretKey};

    fn identity(secret: &str) -> Identity {
        let mut table = KeyTable::default();
        table.insert("AK", SecretKey::new(secret).expect("not empty"), "user", false);
        table.get("AK").expect("just inserted").clone()
    }

    /// AWS General Reference, "Examples of how to derive a signing key": the hexadecimal value for
    /// IAM is published; for S3 the chain is checked by the signatures in `auth/tests.rs`.
    #[test]
    fn hmac_agrees_with_rfc_4231_case_2() {
        let mac = hmac(b"Jefe", b"what do ya want for nothing?");
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex::encode(mac), expected);
    }

    #[test]
    fn a_changed_secret_of_the_same_access_key_is_another_key() {
        let mut cache = SigningKeyCache::new();
        let sign = |key: &SigningKey| key.clone().finalize().into_bytes();
        let region = (0, "us-east-1");
        let (old, new) = (identity("old"), identity("new"));
        let first = sign(cache.get(&old, "20130524", region));
        assert_eq!(sign(cache.get(&old, "20130524", region)), first);
        assert_ne!(sign(cache.get(&new, "20130524", region)), first);
        assert_ne!(sign(cache.get(&old, "20130525", region)), first);
        assert_ne!(sign(cache.get(&old, "20130524", (1, "eu-west-1"))), first);
    }
}
