//! Numbers that name things; newtypes so that none is taken for another.

use std::fmt;
use std::str::FromStr;

use crate::limits::{PART_NUMBER_MAX, PLACEMENT_GROUPS};

/// Which group of keys a record belongs to; ownership moves by group, never by key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlacementGroup(u16);

impl PlacementGroup {
    /// Takes the low bits, so any hash value is a valid source.
    pub const fn of_hash(hash: u64) -> Self {
        Self((hash % PLACEMENT_GROUPS as u64) as u16)
    }

    pub const fn get(self) -> u16 {
        self.0
    }

    /// The shard that owns this group when `shards` of them run.
    pub const fn shard(self, shards: u16) -> ShardIndex {
        ShardIndex(self.0 % shards)
    }
}

/// Version of the cluster map under which a record was written; 1 on a single node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch(pub u32);

/// Order of commits on a drive: a higher number was committed later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sequence(pub u64);

/// Position of a shard (a pinned thread) among the running ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShardIndex(pub u16);

/// Names a blob: the file that holds it and which use of that file this is. A recycled file keeps
/// its number and gets the next generation, so a stale reference never reads new bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId {
    pub file: u64,
    pub generation: u32,
}

/// Names a multipart upload; 32 hexadecimal digits on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UploadId(pub u128);

impl fmt::Display for UploadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for UploadId {
    type Err = InvalidUploadId;

    fn from_str(text: &str) -> Result<Self, InvalidUploadId> {
        let lower_hex = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if text.len() != 32 || !lower_hex {
            return Err(InvalidUploadId);
        }
        u128::from_str_radix(text, 16).map(Self).map_err(|_| InvalidUploadId)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an upload id is 32 lower-case hexadecimal digits")]
pub struct InvalidUploadId;

/// Number of a part, 1..=10,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartNumber(u16);

impl PartNumber {
    pub fn new(number: u16) -> Result<Self, InvalidPartNumber> {
        if (1..=PART_NUMBER_MAX).contains(&number) {
            Ok(Self(number))
        } else {
            Err(InvalidPartNumber)
        }
    }

    pub const fn get(self) -> u16 {
        self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a part number is a whole number from 1 to 10000")]
pub struct InvalidPartNumber;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upload_ids_are_exactly_their_own_spelling() {
        let id = UploadId(0x0123_4567_89ab_cdef);
        assert_eq!(id.to_string(), "00000000000000000123456789abcdef");
        assert_eq!(id.to_string().parse(), Ok(id));
        for bad in [
            "",
            "123",
            "+0000000000000000123456789abcdef",
            "0000000000000000012345678_abcdef",
            "00000000000000000123456789ABCDEF",
            "000000000000000000123456789abcdef",
        ] {
            assert_eq!(bad.parse::<UploadId>(), Err(InvalidUploadId), "{bad:?}");
        }
    }

    #[test]
    fn part_numbers_have_the_range_that_s3_gives() {
        assert!(PartNumber::new(0).is_err());
        assert_eq!(PartNumber::new(1).map(PartNumber::get), Ok(1));
        assert_eq!(PartNumber::new(10_000).map(PartNumber::get), Ok(10_000));
        assert!(PartNumber::new(10_001).is_err());
    }
}
