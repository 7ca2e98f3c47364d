//! The headers of an object in answers: what was stored with it, its ETag, dates, checksums.

use openlake_store::{ObjectAttributes, ObjectInfo};
use openlake_types::{Checksum, ChecksumKind};

use crate::body::checksum_text;
use crate::error::{S3Error, S3ErrorCode};
use crate::http::answer::{Answer, is_header_value};
use crate::request_head::HeaderMap;
use crate::target::Query;

/// S3 gives this to an object that was put without a type.
const DEFAULT_CONTENT_TYPE: &str = "binary/octet-stream";

/// For GET and HEAD; `is_whole`: no range and no part was asked for.
pub(super) fn push_object_headers<S>(
    answer: &mut Answer<S>,
    info: &ObjectInfo,
    query: &Query,
    wants_checksum: bool,
) -> Result<(), S3Error> {
    answer.etag(info.etag());
    answer.date("Last-Modified", info.last_modified);
    answer.header("Accept-Ranges", "bytes");
    push_content_headers(answer, &info.attributes, query)?;
    for (name, value) in &info.attributes.user_metadata {
        answer.header(&format!("x-amz-meta-{name}"), value);
    }
    if let Some(checksum) = info.checksum().filter(|_| wants_checksum) {
        push_checksum(answer, &checksum, info.parts_count);
    }
    Ok(())
}

fn push_content_headers<S>(
    answer: &mut Answer<S>,
    attributes: &ObjectAttributes,
    query: &Query,
) -> Result<(), S3Error> {
    let content_type = attributes.content_type.as_deref().or(Some(DEFAULT_CONTENT_TYPE));
    let headers = [
        ("Content-Type", "response-content-type", content_type),
        ("Content-Encoding", "response-content-encoding", attributes.content_encoding.as_deref()),
        ("Content-Language", "response-content-language", attributes.content_language.as_deref()),
        (
            "Content-Disposition",
            "response-content-disposition",
            attributes.content_disposition.as_deref(),
        ),
    ];
    push_wanted(answer, query, &headers)?;
    push_cache_headers(answer, attributes, query)
}

pub(super) fn push_cache_headers<S>(
    answer: &mut Answer<S>,
    attributes: &ObjectAttributes,
    query: &Query,
) -> Result<(), S3Error> {
    let headers = [
        ("Cache-Control", "response-cache-control", attributes.cache_control.as_deref()),
        ("Expires", "response-expires", attributes.expires.as_deref()),
    ];
    push_wanted(answer, query, &headers)
}

/// Each header as the query's parameter wants it, or else as it was stored.
fn push_wanted<S>(
    answer: &mut Answer<S>,
    query: &Query,
    headers: &[(&str, &'static str, Option<&str>)],
) -> Result<(), S3Error> {
    for &(name, parameter, stored) in headers {
        let wanted = query.get(parameter);
        if wanted.is_some_and(|value| !is_header_value(value.as_bytes())) {
            return Err(S3Error::with_message(
                S3ErrorCode::InvalidArgument,
                "A response header has no control characters",
            )
            .field("ArgumentName", parameter));
        }
        if let Some(value) = wanted.or(stored) {
            answer.header(name, value);
        }
    }
    Ok(())
}

/// `x-amz-checksum-mode: ENABLED`, and the whole object is asked for: a checksum of all never goes
/// with a part (CK11).
pub(super) fn wants_checksum(headers: &HeaderMap) -> bool {
    headers.get("x-amz-checksum-mode").is_some_and(|value| value.eq_ignore_ascii_case(b"enabled"))
}

pub(super) fn push_checksum<S>(answer: &mut Answer<S>, checksum: &Checksum, parts_count: u16) {
    let mut text = checksum_text(checksum);
    if checksum.kind == ChecksumKind::Composite {
        text.push('-');
        text.push_str(&parts_count.to_string());
    }
    answer.header(checksum.algorithm.header(), &text);
    answer.header("x-amz-checksum-type", checksum.kind.name());
}
