//! Headers in the query. Signers of URLs move `x-amz-*` headers there; once the signature is
//! verified, whichever way it came, they count as headers for everything that follows, so that no
//! verb has to look twice and none is ignored (SEC13).

use super::uri::{decode_query, query_pairs};
use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::{HeaderMap, RequestHead};

/// Parameters of the signature of a URL; only as they are written here.
const OF_SIGNATURE: [&[u8]; 8] = [
    b"X-Amz-Algorithm",
    b"X-Amz-Credential",
    b"X-Amz-Date",
    b"X-Amz-Expires",
    b"X-Amz-SignedHeaders",
    b"X-Amz-Signature",
    b"X-Amz-Security-Token",
    b"X-Amz-Content-Sha256",
];

pub(super) fn lift_query_headers(
    head: &mut RequestHead,
    is_presigned: bool,
) -> Result<(), S3Error> {
    let mut lifted = Vec::new();
    for (raw_name, raw_value) in query_pairs(head.query()) {
        let (mut name, mut value) = (Vec::new(), Vec::new());
        decode_query(raw_name, &mut name)?;
        name.make_ascii_lowercase();
        if !name.starts_with(b"x-amz-") || is_presigned && OF_SIGNATURE.contains(&raw_name) {
            continue;
        }
        if OF_SIGNATURE.iter().any(|other| other.eq_ignore_ascii_case(&name)) {
            return Err(S3Error::with_message(
                S3ErrorCode::InvalidArgument,
                "This parameter belongs to the signature of a URL, and this request has another",
            )
            .field("ArgumentName", String::from_utf8_lossy(&name)));
        }
        decode_query(raw_value, &mut value)?;
        check(&head.headers, &lifted, &name, &value)?;
        lifted.push((name, value));
    }
    if !lifted.is_empty() {
        head.headers.append(&lifted);
    }
    Ok(())
}

fn check(
    headers: &HeaderMap,
    lifted: &[(Vec<u8>, Vec<u8>)],
    name: &[u8],
    value: &[u8],
) -> Result<(), S3Error> {
    let refuse = |message| Err(S3Error::with_message(S3ErrorCode::InvalidArgument, message));
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    if !name.iter().all(is_token) || value.iter().any(|byte| *byte < b' ' || *byte == 0x7f) {
        return refuse("A query parameter cannot stand for a header");
    }
    let is_lifted = lifted.iter().any(|(other, _)| other == name);
    if is_lifted || headers.iter().any(|(other, _)| other == name) {
        return refuse("A header is given twice, in the query or as a header");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request_head::Method;
    use bytes::Bytes;

    fn lift(query: &str) -> Result<RequestHead, S3Error> {
        lift_as(query, true)
    }

    fn lift_as(query: &str, is_presigned: bool) -> Result<RequestHead, S3Error> {
        let headers = HeaderMap::from_pairs([("x-amz-acl", &b"private"[..])]);
        let target = Bytes::from(format!("/b/k?{query}"));
        let mut head = RequestHead { method: Method::Put, target, headers };
        lift_query_headers(&mut head, is_presigned).map(|()| head)
    }

    #[test]
    fn ck17_checksums_in_the_query_become_headers() {
        let head =
            lift("X-Amz-Date=1&X-Amz-Checksum-Crc32=AA%3D%3D&x-id=PutObject&x-amz-meta-a=b+c");
        let head = head.expect("valid");
        assert_eq!(head.headers.get_text("x-amz-checksum-crc32"), Some("AA=="));
        assert_eq!(head.headers.get_text("x-amz-meta-a"), Some("b c"));
        assert_eq!(head.headers.get_text("x-amz-acl"), Some("private"));
        assert_eq!(head.headers.len(), 3);
    }

    #[test]
    fn sec13_a_signed_header_does_not_hide_those_of_the_query() {
        let head = lift_as("x-amz-meta-a=b&X-Amz-Tagging=t", false).expect("valid");
        assert_eq!(head.headers.get_text("x-amz-meta-a"), Some("b"));
        assert_eq!(head.headers.get_text("x-amz-tagging"), Some("t"));
        for (query, is_presigned) in [
            ("X-Amz-Date=1", false),
            ("X-Amz-Content-Sha256=0", false),
            ("X-Amz-Security-Token=t", false),
            ("x-amz-content-sha256=0", true),
            ("X-Amz-%44ate=1", true),
        ] {
            let refusal = lift_as(query, is_presigned).map(|_| ()).expect_err(query);
            assert_eq!(refusal.code, S3ErrorCode::InvalidArgument, "{query}");
        }
    }

    #[test]
    fn sec13_a_header_has_one_reading() {
        for query in
            ["x-amz-acl=public-read", "x-amz-a=1&X-Amz-A=2", "x-amz-a=%0d%0ab", "x-amz-%3a=1"]
        {
            assert_eq!(
                lift(query).map(|_| ()).expect_err(query).code,
                S3ErrorCode::InvalidArgument
            );
        }
    }
}
