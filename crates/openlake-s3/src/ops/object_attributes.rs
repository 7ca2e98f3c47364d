//! The headers of a PUT that stay with the object: content headers and user metadata, verbatim.

use openlake_store::ObjectAttributes;
use openlake_types::ETag;
use openlake_types::limits::USER_METADATA_BYTES_MAX;

use super::header_rules::{BODY, is_body_checksum, refuse_partial_put, refuse_unknown};
use crate::body::without_aws_chunked;
use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::HeaderMap;

const METADATA: &str = "x-amz-meta-";

/// Refuses what a PutObject asks for and this server does not have.
pub(super) fn refuse_unknown_of_put(headers: &HeaderMap) -> Result<(), S3Error> {
    refuse_partial_put(headers)?;
    refuse_unknown(headers, &[BODY], |name, value| match name {
        // The owner alone has access: what these two say is how it is.
        "x-amz-acl" => matches!(value, b"private" | b"bucket-owner-full-control"),
        "x-amz-storage-class" => value == b"STANDARD",
        _ => name.starts_with(METADATA) || is_body_checksum(name),
    })
}

/// The ETag and checksum are set when the body is there.
pub(super) fn attributes(headers: &HeaderMap) -> Result<ObjectAttributes, S3Error> {
    let mut attributes = ObjectAttributes::new(ETag::of_md5([0; 16]));
    for (name, value) in headers.iter() {
        let place = match name {
            b"content-type" => &mut attributes.content_type,
            b"content-encoding" => &mut attributes.content_encoding,
            b"content-language" => &mut attributes.content_language,
            b"content-disposition" => &mut attributes.content_disposition,
            b"cache-control" => &mut attributes.cache_control,
            b"expires" => &mut attributes.expires,
            _ => continue,
        };
        let text = text(name, value)?;
        *place = Some(match place.take() {
            // Lines of one header are one list (RFC 9110 section 5.3).
            Some(first) => first + "," + text,
            None => text.to_owned(),
        });
    }
    attributes.content_encoding =
        attributes.content_encoding.and_then(|value| without_aws_chunked(&value));
    attributes.user_metadata = user_metadata(headers)?;
    Ok(attributes)
}

fn user_metadata(headers: &HeaderMap) -> Result<Vec<(String, String)>, S3Error> {
    let mut metadata: Vec<(String, String)> = Vec::new();
    let mut size = 0;
    for (name, value) in headers.iter() {
        let Some(short) = name.strip_prefix(METADATA.as_bytes()) else { continue };
        let short = String::from_utf8_lossy(short);
        let value = text(name, value)?;
        size += value.len();
        if let Some((_, first)) = metadata.iter_mut().find(|(other, _)| *other == short) {
            first.push(',');
            first.push_str(value);
        } else {
            size += short.len();
            metadata.push((short.into_owned(), value.to_owned()));
        }
    }
    if size > USER_METADATA_BYTES_MAX {
        return Err(S3Error::new(S3ErrorCode::MetadataTooLarge)
            .field("Size", size.to_string())
            .field("MaxSizeAllowed", USER_METADATA_BYTES_MAX.to_string()));
    }
    Ok(metadata)
}

fn text<'a>(name: &[u8], value: &'a [u8]) -> Result<&'a str, S3Error> {
    std::str::from_utf8(value).map_err(|_| {
        S3Error::with_message(S3ErrorCode::InvalidArgument, "A header value is not valid UTF-8")
            .field("ArgumentName", String::from_utf8_lossy(name))
    })
}

#[cfg(test)]
mod tests {
    use super::super::header_rules::not_implemented;
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        HeaderMap::from_pairs(pairs.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    #[test]
    fn hd10_content_headers_and_metadata_are_kept_verbatim() {
        let kept = attributes(&headers(&[
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Cache-Control", "no-cache"),
            ("Expires", "whenever"),
            ("Content-Encoding", "gzip, aws-chunked"),
            ("x-amz-meta-Owner", "Ann, é"),
            ("x-amz-meta-owner", "Bob"),
        ]))
        .expect("within limits");
        assert_eq!(kept.content_type.as_deref(), Some("text/plain; charset=utf-8"));
        assert_eq!(kept.cache_control.as_deref(), Some("no-cache"));
        assert_eq!(kept.expires.as_deref(), Some("whenever"));
        assert_eq!(kept.content_encoding.as_deref(), Some("gzip"));
        assert_eq!(kept.user_metadata, [("owner".to_owned(), "Ann, é,Bob".to_owned())]);
    }

    #[test]
    fn metadata_has_at_most_2048_bytes() {
        let of = |bytes: usize| attributes(&headers(&[("x-amz-meta-ab", &"v".repeat(bytes))]));
        assert!(of(2046).is_ok());
        assert_eq!(of(2047).expect_err("too large").code, S3ErrorCode::MetadataTooLarge);
    }

    #[test]
    fn what_is_not_there_is_refused_by_name() {
        for (name, value) in [
            ("x-amz-server-side-encryption", "AES256"),
            ("x-amz-acl", "public-read"),
            ("x-amz-grant-read", "id=1"),
            ("x-amz-tagging", "a=b"),
            ("x-amz-object-lock-mode", "GOVERNANCE"),
            ("x-amz-storage-class", "GLACIER"),
            ("x-amz-website-redirect-location", "/"),
            ("x-amz-write-offset-bytes", "0"),
        ] {
            let refusal = refuse_unknown_of_put(&headers(&[(name, value)])).expect_err(name);
            assert_eq!(refusal, not_implemented(name));
        }
        let known = [("x-amz-acl", "private"), ("x-amz-storage-class", "STANDARD")];
        assert_eq!(refuse_unknown_of_put(&headers(&known)), Ok(()));
    }
}
