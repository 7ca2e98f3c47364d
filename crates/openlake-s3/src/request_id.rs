//! Request ids: unique over shards and restarts, sixteen hexadecimal digits.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

/// One a shard; starts at a random place of the 64-bit cycle.
pub(crate) struct RequestIds {
    next: Cell<u64>,
}

#[derive(Clone, Copy)]
pub(crate) struct RequestId([u8; 16]);

impl Default for RequestIds {
    fn default() -> Self {
        // The standard library seeds its hash maps from the system's random source.
        Self { next: Cell::new(RandomState::new().hash_one(0)) }
    }
}

impl RequestIds {
    pub fn next(&self) -> RequestId {
        let number = self.next.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.next.set(number);
        // The finaliser of splitmix64: a bijection, so ids of one shard never repeat.
        let mixed = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = mixed ^ mixed >> 31;
        let mut text = [0; 16];
        for (place, digit) in text.iter_mut().enumerate() {
            *digit = b"0123456789ABCDEF"[(mixed >> (60 - 4 * place)) as usize & 15];
        }
        RequestId(text)
    }
}

impl RequestId {
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("hexadecimal digits are ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ() {
        let ids = RequestIds::default();
        let made: std::collections::HashSet<_> =
            (0..1000).map(|_| ids.next().as_str().to_owned()).collect();
        assert_eq!(made.len(), 1000);
        assert!(made.iter().all(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit())));
    }
}
