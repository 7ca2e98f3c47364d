//! Percent encoding as Signature Version 4 demands it, and its inverse.

use std::fmt::Write;

/// Encodes all but unreserved characters (RFC 3986) and, in a path, slashes.
pub fn encode(out: &mut String, text: &str, keep_slash: bool) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            b'/' if keep_slash => out.push('/'),
            _ => write!(out, "%{byte:02X}").expect("writing to a String cannot fail"),
        }
    }
}

/// `/bucket/key`, encoded. An empty bucket is the service itself.
pub fn path(bucket: &str, key: &str) -> String {
    let mut path = String::with_capacity(2 + bucket.len() + key.len());
    path.push('/');
    encode(&mut path, bucket, false);
    if !key.is_empty() {
        path.push('/');
        encode(&mut path, key, true);
    }
    path
}

/// The query with names in order, as it is both sent and signed.
pub fn query(parameters: &[(&str, &str)]) -> String {
    let mut sorted = parameters.to_vec();
    sorted.sort_unstable();
    let mut query = String::new();
    for (name, value) in sorted {
        if !query.is_empty() {
            query.push('&');
        }
        encode(&mut query, name, false);
        query.push('=');
        encode(&mut query, value, false);
    }
    query
}

/// Undoes percent encoding; `+` is a space, as S3 writes keys with `encoding-type=url`. `None` for
/// broken escapes and for what is not UTF-8.
pub fn decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
                (high * 16 + low) as u8
            }
            _ => byte,
        });
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_and_queries_are_as_the_signature_needs_them() {
        assert_eq!(path("b", "a b/é+~"), "/b/a%20b/%C3%A9%2B~");
        assert_eq!(path("b", "../x//"), "/b/../x//");
        assert_eq!(path("b", ""), "/b");
        assert_eq!(path("", ""), "/");
        assert_eq!(query(&[("uploads", ""), ("a/", "x y")]), "a%2F=x%20y&uploads=");
        assert_eq!(decode("%4"), None);
        assert_eq!(decode("%zz"), None);
        assert_eq!(decode("a+b%2B").as_deref(), Some("a b+"));
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(text: String) {
            let mut encoded = String::new();
            encode(&mut encoded, &text, false);
            prop_assert_eq!(decode(&encoded), Some(text));
        }
    }
}
