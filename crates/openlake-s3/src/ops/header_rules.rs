//! Which `x-amz-*` and `x-openlake-*` headers a verb knows. One that it does not know asks for something that is not
//! there, and is refused by its name; none is ever ignored.

use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::HeaderMap;

const ALWAYS: &[&str] = &[
    "x-amz-content-sha256",
    "x-amz-date",
    "x-amz-expected-bucket-owner",
    "x-amz-request-payer",
    "x-amz-user-agent",
];

/// Of verbs with a body.
pub(super) const BODY: &[&str] =
    &["x-amz-decoded-content-length", "x-amz-sdk-checksum-algorithm", "x-amz-trailer"];

pub(super) fn not_implemented(header: &str) -> S3Error {
    S3Error::with_message(
        S3ErrorCode::NotImplemented,
        format!("A header you provided implies functionality that is not implemented: {header}"),
    )
    .field("Header", header)
}

/// Refuses every such header for which neither list nor `accepts` speaks.
pub(super) fn refuse_unknown(
    headers: &HeaderMap,
    lists: &[&[&str]],
    accepts: impl Fn(&str, &[u8]) -> bool,
) -> Result<(), S3Error> {
    for (name, value) in headers.iter() {
        if !name.starts_with(b"x-amz-") && !name.starts_with(b"x-openlake-") {
            continue;
        }
        let name = String::from_utf8_lossy(name);
        let is_listed = |list: &&[&str]| list.contains(&name.as_ref());
        let is_known = ALWAYS.contains(&name.as_ref()) || lists.iter().any(is_listed);
        if !is_known && !accepts(&name, value) {
            return Err(not_implemented(&name));
        }
    }
    Ok(())
}

/// Reads take nothing but the switch for checksums.
pub(super) fn refuse_unknown_of_read(headers: &HeaderMap) -> Result<(), S3Error> {
    refuse_unknown(headers, &[&["x-amz-checksum-mode"]], |_, _| false)
}

/// `x-amz-checksum-*` of a body: the body's plan judges them.
pub(super) fn is_body_checksum(name: &str) -> bool {
    name.starts_with("x-amz-checksum-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_header_is_named() {
        let headers = HeaderMap::from_pairs([
            ("x-amz-date", &b"1"[..]),
            ("accept", &b"*/*"[..]),
            ("X-Amz-Server-Side-Encryption", &b"AES256"[..]),
        ]);
        let refusal = refuse_unknown_of_read(&headers).expect_err("encryption is not there");
        assert_eq!(refusal.code, S3ErrorCode::NotImplemented);
        assert!(refusal.message().ends_with("x-amz-server-side-encryption"));
        assert!(
            refuse_unknown(&headers, &[&["x-amz-server-side-encryption"]], |_, _| false).is_ok()
        );
    }
}
