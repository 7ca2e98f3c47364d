//! The lanes agree with the `md-5` crate and RFC 1321, for any lengths, cuts and mixes.

use md5::{Digest, Md5};
use proptest::prelude::*;

use super::{Lanes, Md5State};

fn reference(data: &[u8]) -> [u8; 16] {
    Md5::digest(data).into()
}

/// Distinct bytes a stream, so that swapped lanes show.
fn message(stream: usize, length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 131 + stream * 7 + (i >> 8)) as u8).collect()
}

#[test]
fn the_suite_of_rfc_1321() {
    let cases = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f",
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a",
        ),
    ];
    let messages: Vec<&[u8]> = cases.iter().map(|(text, _)| text.as_bytes()).collect();
    for lanes in Lanes::all() {
        let digests = lanes.digest_many(&messages);
        for ((text, want), digest) in cases.iter().zip(digests) {
            assert_eq!(hex::encode(digest), *want, "{text:?} with {lanes:?}");
        }
    }
}

#[test]
fn every_length_around_the_padding_is_right() {
    let messages: Vec<_> = (0..200).map(|length| message(length, length)).collect();
    let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    for lanes in Lanes::all() {
        let digests = lanes.digest_many(&slices);
        for (data, digest) in slices.iter().zip(digests) {
            assert_eq!(digest, reference(data), "length {} with {lanes:?}", data.len());
        }
    }
}

#[test]
fn streams_longer_than_a_slice_advance_beside_short_ones() {
    let lengths = [300_000, 64 << 10, (64 << 10) + 1, 5, 0, 131_071, 200_000, 64, 1 << 20];
    let messages: Vec<_> = lengths.iter().enumerate().map(|(i, n)| message(i, *n)).collect();
    let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    for lanes in Lanes::all() {
        for (data, digest) in slices.iter().zip(lanes.digest_many(&slices)) {
            assert_eq!(digest, reference(data), "length {} with {lanes:?}", data.len());
        }
    }
}

/// Each number of streams up to one more than the widest kernel takes.
#[test]
fn any_number_of_streams_fills_the_lanes_rightly() {
    for count in 1..=33 {
        let messages: Vec<_> = (0..count).map(|i| message(i, 1000 + i)).collect();
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        for lanes in Lanes::all() {
            for (data, digest) in slices.iter().zip(lanes.digest_many(&slices)) {
                assert_eq!(digest, reference(data), "one of {count} with {lanes:?}");
            }
        }
    }
}

#[test]
fn no_streams_are_no_work() {
    assert_eq!(Lanes::new().digest_many(&[]), [[0; 16]; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random numbers of streams, each fed in random pieces, all interleaved.
    #[test]
    fn any_cut_of_any_mix_is_the_digest_of_the_whole(
        streams in prop::collection::vec(prop::collection::vec(0usize..700, 0..6), 0..40),
    ) {
        for lanes in Lanes::all() {
            let messages: Vec<_> = streams
                .iter()
                .enumerate()
                .map(|(i, pieces)| message(i, pieces.iter().sum()))
                .collect();
            let mut states = vec![Md5State::new(); streams.len()];
            let mut at = vec![0; streams.len()];
            for round in 0..6 {
                let mut updates = Vec::new();
                for (i, state) in states.iter_mut().enumerate() {
                    if let Some(length) = streams[i].get(round) {
                        updates.push((state, &messages[i][at[i]..at[i] + length]));
                        at[i] += length;
                    }
                }
                lanes.update_many(&mut updates);
            }
            let want: Vec<_> = messages.iter().map(|data| reference(data)).collect();
            let alone: Vec<_> = states.iter().cloned().map(Md5State::finish).collect();
            prop_assert_eq!(&alone, &want);
            prop_assert_eq!(&lanes.finish_many(states), &want);
        }
    }

    #[test]
    fn one_stream_alone_takes_any_cut(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..8),
    ) {
        let mut state = Md5State::new();
        for piece in &pieces {
            state.update(piece);
        }
        prop_assert_eq!(state.finish(), reference(&pieces.concat()));
    }
}
