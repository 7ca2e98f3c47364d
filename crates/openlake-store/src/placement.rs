//! Which group a key belongs to. The hash is a part of the format: records carry the group, and
//! look-ups compute it, so it never changes.

use openlake_types::{BucketName, ObjectKey, PlacementGroup};

/// Buckets and system records.
pub const SYSTEM_GROUP: PlacementGroup = PlacementGroup::of_hash(0);

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a over the name, a zero byte and the key, then the finaliser of MurmurHash3, which
/// brings every input bit into the low bits.
pub fn group_of(bucket: &BucketName, key: &ObjectKey) -> PlacementGroup {
    let name = bucket.as_str().as_bytes();
    let bytes = name.iter().chain(&[0]).chain(key.as_bytes());
    let hash =
        bytes.fold(FNV_OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME));
    PlacementGroup::of_hash(finalise(hash))
}

const fn finalise(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(bucket: &str, key: &str) -> u16 {
        let bucket = BucketName::new(bucket).expect("valid");
        let key = ObjectKey::new(key.to_owned()).expect("valid");
        group_of(&bucket, &key).get()
    }

    #[test]
    fn groups_stay_what_version_1_computed() {
        // Computed by an independent program from the definition above.
        assert_eq!(group("bucket", "key"), GOLDEN[0]);
        assert_eq!(group("checkpoints", "rank-0/model.bin"), GOLDEN[1]);
        assert_eq!(group("abc", "é"), GOLDEN[2]);
    }

    const GOLDEN: [u16; 3] = [512, 540, 884];

    #[test]
    fn keys_spread_evenly() {
        let mut counts = [0_u32; 8];
        for number in 0..8000 {
            counts[usize::from(group("bucket", &format!("data/{number:08}")) % 8)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
