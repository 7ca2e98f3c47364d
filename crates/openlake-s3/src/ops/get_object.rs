//! GetObject: conditions first, then the range or part, then bytes that were verified as they were
//! read.

use openlake_store::{GetObject, ObjectInfo};
use openlake_types::{ByteRange, ETag, PartNumber, RangeSpec, Timestamp};

use super::header_rules::refuse_unknown_of_read;
use super::object_headers::{push_cache_headers, push_object_headers, wants_checksum};
use super::{HotRequest, s3_error};
use crate::conditions::ReadConditions;
use crate::control::ControlPlane;
use crate::error::{S3Error, S3ErrorCode};
use crate::exchange::COPIED_BYTES_MAX;
use crate::http::answer::{Answer, AnswerBody};
use crate::http_date::parse_http_date;
use crate::request_head::HeaderMap;
use crate::service::{Handle, HotAnswer, Service};
use crate::target::Query;

/// The head of an answer, and the bytes that belong after it.
pub(super) struct Description {
    pub answer: HotAnswer,
    /// None: the answer has no body (304).
    pub range: Option<ByteRange>,
    handle: Handle,
}

pub(super) async fn get_object<C: ControlPlane>(
    service: &Service<C>,
    request: &HotRequest<'_>,
) -> Result<HotAnswer, S3Error> {
    let Description { mut answer, range, handle } = describe(service, request).await?;
    if let Some(range) = range.filter(|range| !range.is_empty()) {
        answer.body = match handle.body_in_memory(range) {
            Some(bytes) => AnswerBody::Memory(bytes),
            None => AnswerBody::Stream(handle.body(range), range.len()),
        };
    }
    Ok(answer)
}

pub(super) async fn describe<C: ControlPlane>(
    service: &Service<C>,
    request: &HotRequest<'_>,
) -> Result<Description, S3Error> {
    let headers = request.headers();
    refuse_unknown_of_read(headers)?;
    request.check_version()?;
    let part = part_number(request)?;
    let handle = service
        .store()
        .get_object(GetObject { bucket: request.bucket().clone(), key: request.key().clone() })
        .await
        .map_err(s3_error)?;
    let (etag, last_modified) = (handle.info.etag(), handle.info.last_modified);
    match ReadConditions::from_headers(headers).check(etag, last_modified) {
        Err(error) if error.code == S3ErrorCode::NotModified => {
            return Ok(Description {
                answer: not_modified(&handle.info, request.query)?,
                range: None,
                handle,
            });
        }
        result => result?,
    }
    let size = handle.info.size;
    let partial = match part {
        Some(number) => Some(handle.part_range(number).map_err(s3_error)?),
        None => requested_range(headers, etag, last_modified, size)?,
    };
    let status = if partial.is_some() { 206 } else { 200 };
    let copied_bytes = usize::try_from(size).ok().filter(|size| *size <= COPIED_BYTES_MAX);
    let mut answer = Answer::with_room(status, copied_bytes.unwrap_or(0));
    let has_checksum = partial.is_none() && wants_checksum(headers);
    push_object_headers(&mut answer, &handle.info, request.query, has_checksum)?;
    if let Some(range) = partial.filter(|range| !range.is_empty()) {
        let text = format!("bytes {}-{}/{size}", range.start, range.end - 1);
        answer.header("Content-Range", &text);
    }
    if part.is_some() && handle.info.parts_count > 0 {
        answer.header_number("x-amz-mp-parts-count", u64::from(handle.info.parts_count));
    }
    let range = partial.unwrap_or(ByteRange { start: 0, end: size });
    Ok(Description { answer, range: Some(range), handle })
}

/// With what of a 200 a cache keeps current (RFC 9110 section 15.4.5).
fn not_modified(info: &ObjectInfo, query: &Query) -> Result<HotAnswer, S3Error> {
    let mut answer = Answer::new(304);
    answer.etag(info.etag());
    answer.date("Last-Modified", info.last_modified);
    push_cache_headers(&mut answer, &info.attributes, query)?;
    answer.body = AnswerBody::None;
    Ok(answer)
}

fn part_number(request: &HotRequest<'_>) -> Result<Option<PartNumber>, S3Error> {
    let Some(text) = request.query.get("partNumber") else { return Ok(None) };
    if request.headers().get("range").is_some() {
        return Err(S3Error::with_message(
            S3ErrorCode::InvalidRequest,
            "Cannot specify both Range header and partNumber query parameter",
        ));
    }
    parse_part_number(text).map(Some)
}

pub(super) fn parse_part_number(text: &str) -> Result<PartNumber, S3Error> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number =
        text.parse().ok().filter(|_| digits).and_then(|number| PartNumber::new(number).ok());
    number.ok_or_else(|| {
        S3Error::with_message(
            S3ErrorCode::InvalidArgument,
            "Part number must be an integer between 1 and 10000, inclusive",
        )
        .field("ArgumentName", "partNumber")
        .field("ArgumentValue", text)
    })
}

/// The bytes that a `Range` header asks for; `None` when the whole object is to be sent.
fn requested_range(
    headers: &HeaderMap,
    etag: ETag,
    last_modified: Timestamp,
    size: u64,
) -> Result<Option<ByteRange>, S3Error> {
    let Some(text) = headers.get_text("range") else { return Ok(None) };
    if !range_is_wanted(headers, etag, last_modified) {
        return Ok(None);
    }
    let Some(spec) = RangeSpec::parse(text) else { return Ok(None) };
    spec.resolve(size).map(Some).map_err(|_| {
        S3Error::new(S3ErrorCode::InvalidRange)
            .field("RangeRequested", text)
            .field("ActualObjectSize", size.to_string())
    })
}

/// `If-Range`: the range is only of use to who has the rest of this very object.
fn range_is_wanted(headers: &HeaderMap, etag: ETag, last_modified: Timestamp) -> bool {
    let Some(validator) = headers.get("if-range") else { return true };
    if let Some(date) = parse_http_date(validator) {
        return last_modified.secs() == date.secs();
    }
    let text = std::str::from_utf8(validator).unwrap_or_default();
    text.parse() == Ok(etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETAG: ETag = ETag::of_md5([0xab; 16]);

    fn range(pairs: &[(&str, &str)], size: u64) -> Result<Option<(u64, u64)>, S3ErrorCode> {
        let headers =
            HeaderMap::from_pairs(pairs.iter().map(|(name, value)| (*name, value.as_bytes())));
        requested_range(&headers, ETAG, Timestamp::from_secs(784_111_777), size)
            .map(|range| range.map(|range| (range.start, range.end)))
            .map_err(|error| error.code)
    }

    #[test]
    fn rg_ranges_are_clipped_refused_or_ignored() {
        assert_eq!(range(&[("range", "bytes=0-0")], 10), Ok(Some((0, 1))), "RG1");
        assert_eq!(range(&[("range", "bytes=5-99")], 10), Ok(Some((5, 10))), "RG2");
        assert_eq!(range(&[("range", "bytes=0-")], 0), Err(S3ErrorCode::InvalidRange), "RG4");
        assert_eq!(range(&[("range", "bytes=-99")], 10), Ok(Some((0, 10))), "RG7");
        assert_eq!(range(&[("range", "bytes=10-")], 10), Err(S3ErrorCode::InvalidRange));
        assert_eq!(range(&[("range", "bytes=0-1,4-5")], 10), Ok(None));
        assert_eq!(range(&[], 10), Ok(None));
    }

    #[test]
    fn if_range_of_another_object_gives_the_whole() {
        let same = format!("\"{ETAG}\"");
        for (validator, is_partial) in [
            (same.as_str(), true),
            ("\"00000000000000000000000000000000\"", false),
            ("Sun, 06 Nov 1994 08:49:37 GMT", true),
            ("Sun, 06 Nov 1994 08:49:38 GMT", false),
        ] {
            let headers = [("range", "bytes=0-0"), ("if-range", validator)];
            assert_eq!(range(&headers, 10), Ok(is_partial.then_some((0, 1))), "{validator}");
        }
    }

    #[test]
    fn mp2_part_numbers_are_1_to_10000() {
        for bad in ["", "0", "10001", "-1", "+1", "x", "99999999999"] {
            let refusal = parse_part_number(bad).expect_err(bad);
            assert_eq!(refusal.code, S3ErrorCode::InvalidArgument);
        }
        assert_eq!(parse_part_number("10000").map(PartNumber::get), Ok(10_000));
    }
}
