//! The canonical request of Signature Version 4, written into buffers that are used again.

use std::ops::Range;

use super::uri::{canonical_path, canonical_query, query_pairs};
use crate::error::S3Error;
use crate::request_head::{HeaderMap, RequestHead};

#[derive(Debug, Default)]
pub(super) struct CanonicalRequest {
    text: Vec<u8>,
    query: Vec<u8>,
    pairs: Vec<(Range<usize>, Range<usize>)>,
}

/// What of a head is signed, and the payload hash that stands in the last line.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignedParts<'a> {
    pub method: &'a str,
    pub signed_headers: &'a str,
    pub payload_hash: &'a str,
}

impl CanonicalRequest {
    pub fn build(&mut self, head: &RequestHead, parts: SignedParts) -> Result<&[u8], S3Error> {
        self.text.clear();
        self.text.extend_from_slice(parts.method.as_bytes());
        self.text.push(b'\n');
        match head.path() {
            b"" => self.text.push(b'/'),
            path => canonical_path(path, &mut self.text)?,
        }
        self.text.push(b'\n');
        self.push_query(head.query())?;
        self.text.push(b'\n');
        for name in parts.signed_headers.split(';') {
            self.push_header(name, &head.headers);
        }
        self.text.push(b'\n');
        self.text.extend_from_slice(parts.signed_headers.as_bytes());
        self.text.push(b'\n');
        self.text.extend_from_slice(parts.payload_hash.as_bytes());
        Ok(&self.text)
    }

    /// Every parameter but the signature itself, encoded, then in byte order of name and value.
    fn push_query(&mut self, query: &[u8]) -> Result<(), S3Error> {
        let (encoded, pairs) = (&mut self.query, &mut self.pairs);
        encoded.clear();
        pairs.clear();
        for (name, value) in query_pairs(query) {
            if name == b"X-Amz-Signature" {
                continue;
            }
            let start = encoded.len();
            canonical_query(name, encoded)?;
            let middle = encoded.len();
            canonical_query(value, encoded)?;
            pairs.push((start..middle, middle..encoded.len()));
        }
        let place = |range: &Range<usize>| &encoded[range.clone()];
        pairs.sort_unstable_by(|(name, value), (other_name, other_value)| {
            (place(name), place(value)).cmp(&(place(other_name), place(other_value)))
        });
        for (position, (name, value)) in pairs.iter().enumerate() {
            if position > 0 {
                self.text.push(b'&');
            }
            self.text.extend_from_slice(place(name));
            self.text.push(b'=');
            self.text.extend_from_slice(place(value));
        }
        Ok(())
    }

    /// A header that is listed but was not sent counts as empty (AU13).
    fn push_header(&mut self, name: &str, headers: &HeaderMap) {
        self.text.extend_from_slice(name.as_bytes());
        self.text.push(b':');
        for (position, value) in headers.get_all(name).enumerate() {
            if position > 0 {
                self.text.push(b',');
            }
            push_folded(value.trim_ascii(), &mut self.text);
        }
        self.text.push(b'\n');
    }
}

/// Runs of white space become one space.
fn push_folded(value: &[u8], out: &mut Vec<u8>) {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t');
    if !value.iter().any(|&byte| is_blank(byte)) {
        out.extend_from_slice(value);
        return;
    }
    let mut after_blank = false;
    for &byte in value {
        if is_blank(byte) {
            if !after_blank {
                out.push(b' ');
            }
            after_blank = true;
        } else {
            out.push(byte);
            after_blank = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request_head::Method;
    use bytes::Bytes;

    fn canonical(target: &'static str, headers: &[(&str, &str)], signed: &str) -> String {
        let pairs = headers.iter().map(|(name, value)| (*name, value.as_bytes()));
        let headers = HeaderMap::from_pairs(pairs);
        let target = Bytes::from_static(target.as_bytes());
        let head = RequestHead { method: Method::Get, target, headers };
        let parts = SignedParts { method: "GET", signed_headers: signed, payload_hash: "HASH" };
        let mut request = CanonicalRequest::default();
        String::from_utf8(request.build(&head, parts).expect("valid").to_vec()).expect("ASCII")
    }

    #[test]
    fn the_query_is_sorted_by_encoded_name_then_value() {
        // `a-b` sorts after `a` although `-` is below `=`; `%7B` sorts after `A`.
        let text = canonical("/?a-b=1&%7b=x&a=2&a=1&A=&X-Amz-Signature=s&b+c", &[], "host");
        assert_eq!(text.lines().nth(2), Some("%7B=x&A=&a=1&a=2&a-b=1&b%20c="));
    }

    #[test]
    fn header_values_are_trimmed_folded_and_joined() {
        let headers = [("x-amz-meta-a", "  two   words\t end "), ("x-amz-meta-a", "b")];
        let text = canonical("/", &headers, "gone;x-amz-meta-a");
        assert_eq!(
            text,
            "GET\n/\n\ngone:\nx-amz-meta-a:two words end,b\n\ngone;x-amz-meta-a\nHASH"
        );
    }
}
