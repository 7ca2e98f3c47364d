//! Framing in every mode, cut into pieces at any place; then each way of being wrong by case id.

use openlake_types::ChecksumAlgorithm;
use proptest::prelude::*;

use super::*;
use crate::auth::tests::published::{streaming_context, streaming_request};
use crate::body::{BodyVerifier, PayloadMode, checksum_text};
use crate::request_head::HeaderMap;

/// The body that AWS publishes: 65,536 and 1,024 letters `a`, with the signatures printed there.
fn published_body(has_trailer: bool) -> Vec<u8> {
    let signatures = if has_trailer {
        [
            "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
            "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
            "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
        ]
    } else {
        [
            "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
            "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
            "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
        ]
    };
    let mut body = Vec::new();
    for (bytes, signature) in [65_536, 1024, 0].into_iter().zip(signatures) {
        body.extend(format!("{bytes:x};chunk-signature={signature}\r\n").bytes());
        body.resize(body.len() + bytes, b'a');
        if bytes > 0 {
            body.extend(b"\r\n");
        }
    }
    if has_trailer {
        let signature = "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435";
        body.extend(b"x-amz-checksum-crc32c:sOO8/Q==\n\r\n");
        body.extend(format!("x-amz-trailer-signature:{signature}\n\r\n").bytes());
    }
    body.extend(b"\r\n");
    body
}

fn signed_decoder(has_trailer: bool) -> ChunkDecoder {
    let context = streaming_context(has_trailer);
    let head = streaming_request(has_trailer);
    let plan = BodyPlan::for_object(&head.headers, context.payload).expect("valid");
    ChunkDecoder::new(&plan, context.chunk_signer)
}

fn unsigned_plan(size: usize, trailer: Option<&str>) -> BodyPlan {
    let size = size.to_string();
    let mut pairs = vec![("transfer-encoding", &b"chunked"[..])];
    pairs.push(("x-amz-decoded-content-length", size.as_bytes()));
    pairs.extend(trailer.map(|name| ("x-amz-trailer", name.as_bytes())));
    let headers = HeaderMap::from_pairs(pairs);
    BodyPlan::for_object(&headers, PayloadMode::UnsignedChunks).expect("valid")
}

fn unsigned_decoder(size: usize, trailer: Option<&str>) -> ChunkDecoder {
    ChunkDecoder::new(&unsigned_plan(size, trailer), None)
}

type Outcome = Result<(Vec<u8>, Option<Checksum>), S3Error>;

/// Feeds the wire in pieces as long as `pieces` says (in a circle) into outputs of `room` bytes;
/// payload in the middle of a chunk goes the direct way every other time.
fn run(mut decoder: ChunkDecoder, wire: &[u8], pieces: &[usize], room: usize) -> Outcome {
    let (mut payload, mut rest) = (Vec::new(), wire);
    for (turn, piece) in pieces.iter().cycle().enumerate() {
        if rest.is_empty() {
            break;
        }
        let (mut now, later) = rest.split_at((*piece).clamp(1, rest.len()));
        rest = later;
        if turn % 2 == 1 {
            let direct = (decoder.payload_remaining() as usize).min(now.len());
            decoder.payload_received(&now[..direct])?;
            payload.extend_from_slice(&now[..direct]);
            now = &now[direct..];
        }
        while !now.is_empty() {
            let mut output = vec![0; room];
            let decoded = decoder.decode(now, &mut output)?;
            assert!(decoded.consumed == now.len() || decoded.produced == room, "no progress");
            payload.extend_from_slice(&output[..decoded.produced]);
            now = &now[decoded.consumed..];
        }
    }
    decoder.finish().map(|checksum| (payload, checksum))
}

fn code(decoder: ChunkDecoder, wire: &[u8]) -> S3ErrorCode {
    run(decoder, wire, &[wire.len().max(1)], 4096).expect_err("must be refused").code
}

#[test]
fn published_signed_body_decodes() {
    let wire = published_body(false);
    assert_eq!(wire.len(), 66_824);
    let (payload, checksum) = run(signed_decoder(false), &wire, &[9000], 4096).expect("published");
    assert_eq!((payload.len(), checksum), (66_560, None));
    assert!(payload.iter().all(|&byte| byte == b'a'));
}

#[test]
fn st3_published_body_with_trailer_decodes() {
    let wire = published_body(true);
    let (payload, checksum) = run(signed_decoder(true), &wire, &[9000], 4096).expect("published");
    assert_eq!(payload.len(), 66_560);
    assert_eq!(checksum.map(|value| checksum_text(&value)).as_deref(), Some("sOO8/Q=="));
}

#[test]
fn sec4_a_changed_chunk_signature_is_refused_in_every_chunk() {
    for has_trailer in [false, true] {
        let wire = published_body(has_trailer);
        let places = wire.windows(17).enumerate().filter(|(_, text)| text == b";chunk-signature=");
        let places: Vec<_> = places.map(|(at, _)| at + 17).collect();
        assert_eq!(places.len(), 3);
        for at in places {
            let mut changed = wire.clone();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            let code = code(signed_decoder(has_trailer), &changed);
            assert_eq!(code, S3ErrorCode::SignatureDoesNotMatch);
        }
    }
}

#[test]
fn sec2_a_changed_payload_byte_is_refused_when_chunks_are_signed() {
    for at in [100, 66_000] {
        let mut wire = published_body(false);
        wire[at] = b'b';
        assert_eq!(code(signed_decoder(false), &wire), S3ErrorCode::SignatureDoesNotMatch);
    }
}

#[test]
fn a_chunk_without_signature_is_refused() {
    let wire = published_body(false);
    let text = b"10000\r\n".iter().chain(&wire[88..]).copied().collect::<Vec<_>>();
    assert_eq!(code(signed_decoder(false), &text), S3ErrorCode::SignatureDoesNotMatch);
}

/// Replaces the one occurrence of `from` after the payload.
fn with_end(from: &str, to: &str) -> Vec<u8> {
    let wire = published_body(true);
    let (payload, end) = wire.split_at(66_700);
    let end = String::from_utf8(end.to_vec()).expect("ASCII");
    assert!(end.contains(from), "{end}");
    [payload, end.replacen(from, to, 1).as_bytes()].concat()
}

#[test]
fn sec5_st11_signed_trailers_are_exact() {
    for (from, to, expected) in [
        ("sOO8/Q==", "sOO8/A==", S3ErrorCode::SignatureDoesNotMatch),
        ("signature:d", "signature:e", S3ErrorCode::SignatureDoesNotMatch),
        ("signature:d8", "signature:zz", S3ErrorCode::SignatureDoesNotMatch),
        ("x-amz-checksum-crc32c:sOO8/Q==\n\r\n", "", S3ErrorCode::SignatureDoesNotMatch),
        ("x-amz-checksum-crc32c", "x-amz-checksum-crc32", S3ErrorCode::MalformedTrailerError),
        ("x-amz-trailer-signature", "x-amz-meta", S3ErrorCode::MalformedTrailerError),
        ("x-amz-trailer", "x-a:b\r\nx-amz-trailer", S3ErrorCode::MalformedTrailerError),
        ("\r\n\r\n", "\r\nx-a:b\r\n\r\n", S3ErrorCode::MalformedTrailerError),
        (
            "sOO8/Q==\n",
            "sOO8/Q==\r\nx-amz-checksum-crc32c:sOO8/Q==",
            S3ErrorCode::MalformedTrailerError,
        ),
    ] {
        assert_eq!(code(signed_decoder(true), &with_end(from, to)), expected, "{from:?} {to:?}");
    }
    let wire = published_body(true);
    let end = wire.len() - 2 - 2 - 1 - 24 - 64;
    let gone = [&wire[..end], b"\r\n"].concat();
    assert_eq!(code(signed_decoder(true), &gone), S3ErrorCode::SignatureDoesNotMatch);
}

#[test]
fn st2_unsigned_bodies_carry_their_trailer() {
    let wire = b"9\r\n123456789\r\n0\r\nx-amz-checksum-crc32:y/Q5Jg==\r\n\r\n";
    let decoder = || unsigned_decoder(9, Some("x-amz-checksum-crc32"));
    let (payload, checksum) = run(decoder(), wire, &[1], 1).expect("valid");
    assert_eq!(payload, b"123456789");
    let checksum = checksum.expect("announced");
    assert_eq!(checksum.algorithm, ChecksumAlgorithm::Crc32);
    assert_eq!(checksum.value(), 0xcbf4_3926_u32.to_be_bytes());
    let plan = unsigned_plan(9, Some("x-amz-checksum-crc32"));
    for (payload, expected) in [(b"123456789", None), (b"123456780", Some(S3ErrorCode::BadDigest))]
    {
        let mut verifier = BodyVerifier::new(plan);
        verifier.update(payload);
        let outcome = verifier.finish(Some([0; 16]), Some(checksum));
        assert_eq!(outcome.err().map(|error| error.code), expected);
    }
}

#[test]
fn sec5_st11_unsigned_trailers_are_exact() {
    for (end, expected) in [
        ("\r\n", S3ErrorCode::MalformedTrailerError),
        ("x-amz-checksum-crc32c:4waSgw==\r\n\r\n", S3ErrorCode::MalformedTrailerError),
        ("x-amz-checksum-crc32 y/Q5Jg==\r\n\r\n", S3ErrorCode::MalformedTrailerError),
        ("x-amz-checksum-crc32:y/Q5\r\n\r\n", S3ErrorCode::InvalidRequest),
        ("x-amz-checksum-crc32:y/Q5Jg==\r\n", S3ErrorCode::IncompleteBody),
        ("x-amz-checksum-crc32:y/Q5Jg==\r\nx-a:b\r\n\r\n", S3ErrorCode::MalformedTrailerError),
        (
            "x-amz-checksum-crc32:y/Q5Jg==\r\nx-amz-trailer-signature:00\r\n\r\n",
            S3ErrorCode::MalformedTrailerError,
        ),
        ("x-amz-checksum-crc32:y/Q5Jg==\r\n\r\nmore", S3ErrorCode::IncompleteBody),
    ] {
        let wire = format!("9\r\n123456789\r\n0\r\n{end}");
        let decoder = unsigned_decoder(9, Some("x-amz-checksum-crc32"));
        assert_eq!(code(decoder, wire.as_bytes()), expected, "{end:?}");
    }
    let unannounced = "9\r\n123456789\r\n0\r\nx-amz-checksum-crc32:y/Q5Jg==\r\n\r\n";
    let code = code(unsigned_decoder(9, None), unannounced.as_bytes());
    assert_eq!(code, S3ErrorCode::MalformedTrailerError);
}

#[test]
fn st6_st8_framing_that_does_not_fit_is_an_incomplete_body() {
    for wire in [
        "",
        "9",
        "9\r\n12345678",
        "9\r\n123456789",
        "9\r\n123456789\r\n",
        "9\r\n123456789\r\n0\r\n",
        "9\r\n1234567890\r\n0\r\n\r\n",
        "9\n123456789\r\n0\r\n\r\n",
        "8\r\n12345678\r\n0\r\n\r\n",
        "a\r\n1234567890\r\n0\r\n\r\n",
        "9;x=y\r\n123456789\r\n0\r\n\r\n",
        "-9\r\n123456789\r\n0\r\n\r\n",
        "+9\r\n123456789\r\n0\r\n\r\n",
        "0x9\r\n123456789\r\n0\r\n\r\n",
        " 9\r\n123456789\r\n0\r\n\r\n",
        "\r\n123456789\r\n0\r\n\r\n",
        "ffffffffffffffff\r\n",
        "10000000000000000\r\n",
        "00000000000000009\r\n123456789\r\n0\r\n\r\n",
    ] {
        let code = code(unsigned_decoder(9, None), wire.as_bytes());
        assert_eq!(code, S3ErrorCode::IncompleteBody, "{wire:?}");
    }
    let endless = "9".repeat(100_000);
    assert_eq!(code(unsigned_decoder(9, None), endless.as_bytes()), S3ErrorCode::IncompleteBody);
}

#[test]
fn st9_only_the_last_chunk_may_be_small() {
    let chunk = |bytes: usize| format!("{bytes:x}\r\n{}\r\n", "a".repeat(bytes));
    let wire = [chunk(8191), chunk(1), "0\r\n\r\n".to_owned()].concat();
    let small = code(unsigned_decoder(8192, None), wire.as_bytes());
    assert_eq!(small, S3ErrorCode::InvalidChunkSizeError);
    let wire = [chunk(8192), chunk(1), "0\r\n\r\n".to_owned()].concat();
    run(unsigned_decoder(8193, None), wire.as_bytes(), &[50], 64).expect("large enough");
}

#[test]
fn st15_a_body_may_be_empty() {
    let (payload, _) = run(unsigned_decoder(0, None), b"0\r\n\r\n", &[1], 1).expect("valid");
    assert_eq!(payload, [] as [u8; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_segmentation_of_the_published_bodies_decodes(
        has_trailer in any::<bool>(),
        pieces in proptest::collection::vec(1usize..9000, 1..40),
        room in 512usize..70_000,
    ) {
        let wire = published_body(has_trailer);
        let (payload, _) = run(signed_decoder(has_trailer), &wire, &pieces, room)
            .expect("published");
        prop_assert!(payload.len() == 66_560 && payload.iter().all(|&byte| byte == b'a'));
    }

    #[test]
    fn any_cut_of_a_published_body_is_incomplete(has_trailer in any::<bool>(), cut in 0usize..66_800) {
        let wire = published_body(has_trailer);
        let refused = run(signed_decoder(has_trailer), &wire[..cut], &[7000], 4096);
        prop_assert_eq!(refused.expect_err("cut").code, S3ErrorCode::IncompleteBody);
    }

    #[test]
    fn any_segmentation_of_an_unsigned_body_decodes(
        chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 8192..9000), 0..4),
        last in proptest::collection::vec(any::<u8>(), 0..300),
        pieces in proptest::collection::vec(1usize..3000, 1..40),
        room in 1usize..5000,
    ) {
        let (mut wire, mut expected) = (Vec::new(), Vec::new());
        for chunk in chunks.iter().chain([&last]).filter(|chunk| !chunk.is_empty()) {
            wire.extend(format!("{:X}\r\n", chunk.len()).bytes());
            wire.extend_from_slice(chunk);
            wire.extend(b"\r\n");
            expected.extend_from_slice(chunk);
        }
        wire.extend(b"0\r\n\r\n");
        let decoder = unsigned_decoder(expected.len(), None);
        let (payload, _) = run(decoder, &wire, &pieces, room).expect("valid");
        prop_assert!(payload == expected);
    }

    #[test]
    fn no_input_panics(
        wire in "[0-9a-f;=\r\nx:-]{0,64}",
        size in 0usize..40,
        pieces in proptest::collection::vec(1usize..9, 1..9),
    ) {
        let trailer = Some("x-amz-checksum-crc32");
        let _ = run(unsigned_decoder(size, trailer), wire.as_bytes(), &pieces, 3);
        let _ = run(signed_decoder(true), wire.as_bytes(), &pieces, 3);
    }
}
