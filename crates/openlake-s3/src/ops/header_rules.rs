//! Which `x-amz-*` and `x-openlake-*` headers and which conditions a verb knows. One that it does
//! not know asks for something that is not there, and is refused by its name; none is ever ignored.

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

pub(super) const CONDITIONS: [&str; 4] =
    ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

/// A write that asks for a condition must not happen without it.
pub(super) fn refuse_conditions(headers: &HeaderMap, names: &[&str]) -> Result<(), S3Error> {
    match names.iter().find(|name| headers.get(name).is_some()) {
        Some(name) => Err(not_implemented(name)),
        None => Ok(()),
    }
}

/// A part that replaced the whole would lose the rest (RFC 9110 section 14.5).
pub(super) fn refuse_partial_put(headers: &HeaderMap) -> Result<(), S3Error> {
    match headers.get("content-range") {
        Some(_) => Err(S3Error::with_message(
            S3ErrorCode::InvalidRequest,
            "A part of an object cannot be replaced: PUT takes no Content-Range",
        )),
        None => Ok(()),
    }
}

fn refuse_value(name: &'static str, value: &[u8]) -> S3Error {
    S3Error::new(S3ErrorCode::InvalidArgument)
        .field("ArgumentName", name)
        .field("ArgumentValue", String::from_utf8_lossy(value))
}

/// Refuses every such header for which neither list nor `accepts` speaks.
pub(super) fn refuse_unknown(
    headers: &HeaderMap,
    lists: &[&[&str]],
    accepts: impl Fn(&str, &[u8]) -> bool,
) -> Result<(), S3Error> {
    if let Some(payer) = headers.get("x-amz-request-payer").filter(|payer| *payer != b"requester") {
        return Err(refuse_value("x-amz-request-payer", payer));
    }
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
    const MODE: &str = "x-amz-checksum-mode";
    refuse_unknown(headers, &[&[MODE]], |_, _| false)?;
    match headers.get(MODE) {
        Some(mode) if !mode.eq_ignore_ascii_case(b"enabled") => Err(refuse_value(MODE, mode)),
        _ => Ok(()),
    }
}

/// `x-amz-checksum-*` of a body: the body's plan judges them. The type belongs to an upload, and
/// the mode to a read.
pub(super) fn is_body_checksum(name: &str) -> bool {
    let of = name.strip_prefix("x-amz-checksum-");
    of.is_some_and(|of| !matches!(of, "type" | "mode"))
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

    #[test]
    fn values_that_the_model_does_not_have() {
        for (name, value, is_fine) in [
            ("x-amz-request-payer", "requester", true),
            ("x-amz-request-payer", "nonsense", false),
            ("x-amz-request-payer", "", false),
            ("x-amz-checksum-mode", "ENABLED", true),
            ("x-amz-checksum-mode", "nonsense", false),
        ] {
            let headers = HeaderMap::from_pairs([(name, value.as_bytes())]);
            let code = refuse_unknown_of_read(&headers).map_err(|refusal| refusal.code);
            let expected = if is_fine { Ok(()) } else { Err(S3ErrorCode::InvalidArgument) };
            assert_eq!(code, expected, "{name}: {value}");
        }
    }
}
