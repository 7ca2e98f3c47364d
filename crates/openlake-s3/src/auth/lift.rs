//! Headers in the query of a presigned URL. Signers move `x-amz-*` headers there; once the signature
//! is verified they count as headers for everything that follows, so that no verb has to look twice.

use super::uri::{decode_query, query_pairs};
use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::{HeaderMap, RequestHead};

/// Parameters of the signature itself.
const OF_SIGNATURE: [&[u8]; 8] = [
    b"x-amz-algorithm",
    b"x-amz-credential",
    b"x-amz-date",
    b"x-amz-expires",
    b"x-amz-signedheaders",
    b"x-amz-signature",
    b"x-amz-security-token",
    b"x-amz-content-sha256",
];

pub(super) fn lift_query_headers(head: &mut RequestHead) -> Result<(), S3Error> {
    let mut lifted = Vec::new();
    for (raw_name, raw_value) in query_pairs(head.query()) {
        let (mut name, mut value) = (Vec::new(), Vec::new());
        decode_query(raw_name, &mut name)?;
        name.make_ascii_lowercase();
        if !name.starts_with(b"x-amz-") || OF_SIGNATURE.contains(&name.as_slice()) {
            continue;
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
        let headers = HeaderMap::from_pairs([("x-amz-acl", &b"private"[..])]);
        let target = Bytes::from(format!("/b/k?{query}"));
        let mut head = RequestHead { method: Method::Put, target, headers };
        lift_query_headers(&mut head).map(|()| head)
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
