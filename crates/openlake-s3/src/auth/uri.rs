//! Percent-encoding by S3's rules. Decoded exactly once; nothing is resolved, merged or normalised,
//! so `//`, `..`, `%2F` and `%2525` are what they say.

use crate::error::{S3Error, S3ErrorCode};

/// RFC 3986 unreserved characters stand for themselves; S3 encodes every other byte.
const UNRESERVED: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        table[byte] =
            character.is_ascii_alphanumeric() || matches!(character, b'-' | b'.' | b'_' | b'~');
        byte += 1;
    }
    table
};

const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";

fn invalid_uri() -> S3Error {
    S3Error::new(S3ErrorCode::InvalidURI)
}

/// Appends the decoded path to `out`.
pub fn decode_path(raw: &[u8], out: &mut Vec<u8>) -> Result<(), S3Error> {
    decode(raw, false, |byte| out.push(byte))
}

/// Appends a decoded name or value of a query to `out`; `+` is a space there, as in forms.
pub fn decode_query(raw: &[u8], out: &mut Vec<u8>) -> Result<(), S3Error> {
    decode(raw, true, |byte| out.push(byte))
}

/// Appends the path as it stands in a canonical request.
pub(super) fn canonical_path(raw: &[u8], out: &mut Vec<u8>) -> Result<(), S3Error> {
    decode(raw, false, |byte| {
        if byte == b'/' {
            out.push(byte);
        } else {
            push_encoded(byte, out);
        }
    })
}

/// Appends a name or value of a query as it stands in a canonical request.
pub(super) fn canonical_query(raw: &[u8], out: &mut Vec<u8>) -> Result<(), S3Error> {
    decode(raw, true, |byte| push_encoded(byte, out))
}

/// Appends `raw` with every byte but the unreserved ones encoded, `/` included.
pub fn encode(raw: &[u8], out: &mut Vec<u8>) {
    for &byte in raw {
        push_encoded(byte, out);
    }
}

fn push_encoded(byte: u8, out: &mut Vec<u8>) {
    if UNRESERVED[byte as usize] {
        out.push(byte);
    } else {
        let (high, low) = (byte >> 4, byte & 15);
        out.extend_from_slice(&[b'%', HEX_UPPER[high as usize], HEX_UPPER[low as usize]]);
    }
}

fn decode(raw: &[u8], plus_is_space: bool, mut push: impl FnMut(u8)) -> Result<(), S3Error> {
    let mut rest = raw;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match *byte {
            b'%' => {
                let [high, low, tail @ ..] = rest else { return Err(invalid_uri()) };
                push(hex_digit(*high)? << 4 | hex_digit(*low)?);
                rest = tail;
            }
            b'+' if plus_is_space => push(b' '),
            other => push(other),
        }
    }
    Ok(())
}

fn hex_digit(digit: u8) -> Result<u8, S3Error> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        b'A'..=b'F' => Ok(digit - b'A' + 10),
        _ => Err(invalid_uri()),
    }
}

/// The raw `name=value` pairs of a query in order; a name alone has an empty value.
pub fn query_pairs(query: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    query.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()).map(|pair| {
        match pair.iter().position(|&byte| byte == b'=') {
            Some(at) => (&pair[..at], &pair[at + 1..]),
            None => (pair, &pair[pair.len()..]),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(raw: &str) -> String {
        let mut out = Vec::new();
        canonical_path(raw.as_bytes(), &mut out).expect("valid");
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn ky4_ky7_paths_are_decoded_once_and_never_resolved() {
        assert_eq!(canonical("/b/a//b/../c/./"), "/b/a//b/../c/./");
        assert_eq!(canonical("/b/%2525"), "/b/%2525");
        assert_eq!(canonical("/b/a%2fb"), "/b/a/b");
        assert_eq!(canonical("/b/a+b $\u{e9}~"), "/b/a%2Bb%20%24%C3%A9~");
    }

    #[test]
    fn sec14_broken_percent_sequences_are_refused() {
        for bad in ["%", "%2", "a%zz", "%%20"] {
            let error = decode_path(bad.as_bytes(), &mut Vec::new()).expect_err("invalid");
            assert_eq!(error.code, S3ErrorCode::InvalidURI, "{bad}");
        }
    }

    #[test]
    fn a_plus_is_a_space_in_a_query_only() {
        let mut out = Vec::new();
        decode_query(b"a+b%2B", &mut out).expect("valid");
        decode_path(b"a+b", &mut out).expect("valid");
        assert_eq!(out, b"a b+a+b");
    }

    #[test]
    fn pairs_keep_their_order_and_empty_values() {
        let pairs: Vec<_> = query_pairs(b"uploads&a=1=2&&b=").collect();
        let expected: [(&[u8], &[u8]); 3] = [(b"uploads", b""), (b"a", b"1=2"), (b"b", b"")];
        assert_eq!(pairs, expected);
    }

    proptest! {
        #[test]
        fn whatever_is_encoded_reads_back(raw in proptest::collection::vec(any::<u8>(), 0..64)) {
            let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
            encode(&raw, &mut encoded);
            decode_path(&encoded, &mut decoded).expect("just encoded");
            prop_assert_eq!(&decoded, &raw);
            decoded.clear();
            decode_query(&encoded, &mut decoded).expect("just encoded");
            prop_assert_eq!(&decoded, &raw);
        }

        #[test]
        fn no_input_panics(raw in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = canonical_path(&raw, &mut Vec::new());
            let _ = query_pairs(&raw).count();
        }
    }
}
