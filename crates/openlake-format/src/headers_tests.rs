//! The heads of files, segments and batches: round trip, cuts, flips, and version 1 as written.

use openlake_types::limits::PAGE_BYTES;
use openlake_types::{Epoch, Sequence, Timestamp};

use crate::batch_header::{BATCH_HEADER_BYTES, BatchHeader};
use crate::error::DecodeError;
use crate::identity::{DeploymentId, IDENTITY_BYTES, Identity};
use crate::segment_header::{SegmentHeader, SegmentId, SegmentState};

const DEPLOYMENT: DeploymentId = DeploymentId(0x0123_4567_89ab_cdef_0011_2233_4455_6677);
const NONCE: u64 = 0xfedc_ba98_7654_3210;
const SEGMENT: SegmentId = SegmentId { layout: 1, stream: 2, ordinal: 3 };

fn identity() -> Identity {
    Identity { deployment: DEPLOYMENT, created: Timestamp(1_700_000_000_123) }
}

fn segment() -> SegmentHeader {
    SegmentHeader {
        state: SegmentState::InUse,
        id: SEGMENT,
        stream_count: 4,
        deployment: DEPLOYMENT,
        epoch: Epoch(1),
        previous_batches: 77,
        first_sequence: Sequence(1000),
        segment_bytes: 64 << 20,
        nonce: NONCE,
    }
}

fn batch() -> BatchHeader {
    BatchHeader { segment: SEGMENT, number: 9, bytes: 8192, records: 2, nonce: NONCE }
}

#[test]
fn what_was_encoded_is_decoded() {
    assert_eq!(Identity::decode(&identity().encode()), Ok(identity()));
    assert_eq!(SegmentHeader::decode(&segment().encode()), Ok(segment()));
    let free = SegmentHeader { state: SegmentState::Free, ..segment() };
    assert_eq!(SegmentHeader::decode(&free.encode()), Ok(free));
    assert_eq!(BatchHeader::decode(&batch().encode()), Ok(batch()));
    assert_eq!(SegmentId::of_u64(SEGMENT.to_u64()), SEGMENT);
}

fn check(good: &[u8], used: usize, is_err: impl Fn(&[u8]) -> bool) {
    for len in 0..used {
        assert!(is_err(&good[..len]), "cut at {len}");
    }
    for bit in 0..used * 8 {
        let mut bad = good.to_vec();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert!(is_err(&bad), "bit {bit}");
    }
}

#[test]
fn cuts_and_flipped_bits_are_noticed() {
    check(&identity().encode(), IDENTITY_BYTES, |bytes| Identity::decode(bytes).is_err());
    // The rest of the page is zeros that nobody reads.
    check(&segment().encode(), 76, |bytes| SegmentHeader::decode(bytes).is_err());
    check(&batch().encode(), BATCH_HEADER_BYTES, |bytes| BatchHeader::decode(bytes).is_err());
}

#[test]
fn a_newer_version_is_named_before_anything_else_is_read() {
    let mut newer = identity().encode();
    newer[8] = 2;
    assert_eq!(Identity::decode(&newer), Err(DecodeError::Version(2)));
    let mut newer = segment().encode();
    newer[8] = 2;
    assert_eq!(SegmentHeader::decode(&newer), Err(DecodeError::Version(2)));
    let never_written = [0; PAGE_BYTES];
    assert_eq!(SegmentHeader::decode(&never_written), Err(DecodeError::Magic));
}

#[test]
fn version_1_stays_as_it_was_written() {
    let golden = |name: &str| {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/src/golden");
        std::fs::read(format!("{directory}/{name}_v1.bin")).expect("it is in the repository")
    };
    assert_eq!(identity().encode()[..], golden("identity"));
    assert_eq!(segment().encode()[..76], golden("segment_header"));
    assert_eq!(batch().encode()[..], golden("batch_header"));
}
