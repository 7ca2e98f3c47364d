//! Everything that a head promises about its body, read and checked before the first byte of it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use openlake_types::limits::{BODY_BYTES_MAX, CONTROL_BODY_BYTES_MAX};

use super::checksum_plan::ChecksumPlan;
use super::part_etag::PartETag;
use super::payload_mode::PayloadMode;
use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::HeaderMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyPlan {
    pub payload: PayloadMode,
    /// Bytes of the object: the Content-Length, or the decoded length of an aws-chunked body.
    pub size: u64,
    /// The Content-Length; `None` when the body comes with `Transfer-Encoding: chunked`.
    pub wire_size: Option<u64>,
    pub content_md5: Option<[u8; 16]>,
    pub checksum: ChecksumPlan,
    /// Of what the ETag is made; MD5 of every body but a part that asks for another.
    pub part_etag: PartETag,
}

impl BodyPlan {
    /// For PutObject and UploadPart.
    pub fn for_object(headers: &HeaderMap, payload: PayloadMode) -> Result<Self, S3Error> {
        let wire_size = content_length(headers)?;
        let size = if payload.is_chunked() { decoded_length(headers)? } else { wire_size };
        let size = size.ok_or(S3ErrorCode::MissingContentLength)?;
        if size > BODY_BYTES_MAX {
            return Err(S3Error::new(S3ErrorCode::EntityTooLarge)
                .field("ProposedSize", size.to_string())
                .field("MaxSizeAllowed", BODY_BYTES_MAX.to_string()));
        }
        if !payload.is_chunked() && headers.get("transfer-encoding").is_some() {
            return Err(S3ErrorCode::MissingContentLength.into());
        }
        if wire_size.is_none() && headers.get("transfer-encoding").is_none() {
            return Err(S3ErrorCode::MissingContentLength.into());
        }
        if !payload.is_chunked() && decoded_length(headers)?.is_some_and(|decoded| decoded != size)
        {
            return Err(S3Error::with_message(
                S3ErrorCode::InvalidRequest,
                "x-amz-decoded-content-length is not the Content-Length of a body without chunks",
            ));
        }
        if wire_size.is_some_and(|wire_size| wire_size < size) {
            return Err(incomplete("The body cannot hold x-amz-decoded-content-length bytes"));
        }
        let plan = Self::with_sizes(headers, payload, size, wire_size)?;
        plan.checksum.check_named_algorithm(headers)?;
        Ok(plan)
    }

    /// For every other operation: a small body or none, sent in one piece (SEC7, ST10).
    pub fn for_control(headers: &HeaderMap, payload: PayloadMode) -> Result<Self, S3Error> {
        let size = control_size(headers, payload)?;
        Self::with_sizes(headers, payload, size, Some(size))
    }

    /// For CompleteMultipartUpload: a checksum in its headers is that of the object, not of the
    /// list of parts.
    pub fn for_completion(headers: &HeaderMap, payload: PayloadMode) -> Result<Self, S3Error> {
        let size = control_size(headers, payload)?;
        let (content_md5, checksum) = (content_md5(headers)?, ChecksumPlan::DEFAULT);
        let (wire_size, part_etag) = (Some(size), PartETag::Md5);
        Ok(Self { payload, size, wire_size, content_md5, checksum, part_etag })
    }

    fn with_sizes(
        headers: &HeaderMap,
        payload: PayloadMode,
        size: u64,
        wire_size: Option<u64>,
    ) -> Result<Self, S3Error> {
        let content_md5 = content_md5(headers)?;
        let checksum = ChecksumPlan::from_headers(headers, payload)?;
        let part_etag = PartETag::Md5;
        Ok(Self { payload, size, wire_size, content_md5, checksum, part_etag })
    }

    /// For a part, whose head may choose its ETag.
    pub fn for_part(headers: &HeaderMap, payload: PayloadMode) -> Result<Self, S3Error> {
        let plan = Self::for_object(headers, payload)?;
        let part_etag = PartETag::from_headers(headers, plan.checksum)?;
        Ok(Self { part_etag, ..plan })
    }

    pub fn needs_md5(&self) -> bool {
        self.part_etag == PartETag::Md5 || self.content_md5.is_some()
    }
}

fn control_size(headers: &HeaderMap, payload: PayloadMode) -> Result<u64, S3Error> {
    if payload.is_chunked() {
        return Err(S3Error::with_message(
            S3ErrorCode::InvalidRequest,
            "This operation does not support a streaming x-amz-content-sha256",
        ));
    }
    if headers.get("transfer-encoding").is_some() {
        return Err(S3ErrorCode::MissingContentLength.into());
    }
    let size = content_length(headers)?.unwrap_or(0);
    if size > CONTROL_BODY_BYTES_MAX {
        return Err(S3Error::new(S3ErrorCode::MaxMessageLengthExceeded)
            .field("MaxMessageLengthBytes", CONTROL_BODY_BYTES_MAX.to_string()));
    }
    Ok(size)
}

pub(super) fn incomplete(message: &'static str) -> S3Error {
    S3Error::with_message(S3ErrorCode::IncompleteBody, message)
}

fn content_length(headers: &HeaderMap) -> Result<Option<u64>, S3Error> {
    length(headers, "content-length")
}

fn decoded_length(headers: &HeaderMap) -> Result<Option<u64>, S3Error> {
    length(headers, "x-amz-decoded-content-length")
}

fn length(headers: &HeaderMap, name: &'static str) -> Result<Option<u64>, S3Error> {
    let Some(text) = headers.get_all(name).next() else { return Ok(None) };
    let text = std::str::from_utf8(text.trim_ascii()).unwrap_or_default();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(length) if is_number => Ok(Some(length)),
        _ => Err(S3Error::with_message(
            S3ErrorCode::InvalidArgument,
            "The length is not a whole number of bytes",
        )
        .field("ArgumentName", name)),
    }
}

fn content_md5(headers: &HeaderMap) -> Result<Option<[u8; 16]>, S3Error> {
    let Some(text) = headers.get("content-md5") else { return Ok(None) };
    let md5 = BASE64.decode(text.trim_ascii()).ok().and_then(|md5| md5.try_into().ok());
    md5.map(Some).ok_or_else(|| {
        S3Error::with_message(
            S3ErrorCode::InvalidDigest,
            "The Content-MD5 you specified was invalid.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: PayloadMode = PayloadMode::Unsigned;
    const CHUNKED: PayloadMode = PayloadMode::UnsignedChunks;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        HeaderMap::from_pairs(pairs.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    fn code(pairs: &[(&str, &str)], payload: PayloadMode) -> S3ErrorCode {
        BodyPlan::for_object(&headers(pairs), payload).expect_err("must be refused").code
    }

    #[test]
    fn st16_a_length_is_required() {
        assert_eq!(code(&[], PLAIN), S3ErrorCode::MissingContentLength);
        let transfer = ("transfer-encoding", "chunked");
        assert_eq!(code(&[transfer], PLAIN), S3ErrorCode::MissingContentLength);
        assert_eq!(code(&[transfer], CHUNKED), S3ErrorCode::MissingContentLength);
        assert_eq!(S3ErrorCode::MissingContentLength.status(), 411);
        let decoded = ("x-amz-decoded-content-length", "0");
        assert_eq!(code(&[decoded], CHUNKED), S3ErrorCode::MissingContentLength);
        let plan = BodyPlan::for_object(&headers(&[transfer, decoded]), CHUNKED).expect("ST15");
        assert_eq!((plan.size, plan.wire_size), (0, None));
    }

    #[test]
    fn st17_the_decoded_length_is_the_size() {
        let pairs = [("content-length", "66824"), ("x-amz-decoded-content-length", "66560")];
        let plan = BodyPlan::for_object(&headers(&pairs), CHUNKED).expect("valid");
        assert_eq!((plan.size, plan.wire_size), (66_560, Some(66_824)));
    }

    #[test]
    fn sec6_decoded_lengths_that_cannot_be() {
        let wire = ("content-length", "100");
        assert_eq!(code(&[wire], CHUNKED), S3ErrorCode::MissingContentLength);
        for (value, expected) in [
            ("-1", S3ErrorCode::InvalidArgument),
            ("", S3ErrorCode::InvalidArgument),
            ("1e3", S3ErrorCode::InvalidArgument),
            ("+5", S3ErrorCode::InvalidArgument),
            ("18446744073709551616", S3ErrorCode::InvalidArgument),
            ("18446744073709551615", S3ErrorCode::EntityTooLarge),
            ("101", S3ErrorCode::IncompleteBody),
        ] {
            let pairs = [wire, ("x-amz-decoded-content-length", value)];
            assert_eq!(code(&pairs, CHUNKED), expected, "{value}");
        }
    }

    #[test]
    fn the_decoded_length_of_a_plain_body_is_its_length() {
        let wire = ("content-length", "5");
        let decoded = |value| [wire, ("x-amz-decoded-content-length", value)];
        BodyPlan::for_object(&headers(&decoded("5")), PLAIN).expect("the same");
        for (value, expected) in [
            ("4", S3ErrorCode::InvalidRequest),
            ("6", S3ErrorCode::InvalidRequest),
            ("x", S3ErrorCode::InvalidArgument),
        ] {
            assert_eq!(code(&decoded(value), PLAIN), expected, "{value}");
        }
    }

    #[test]
    fn a_named_algorithm_is_that_of_the_value() {
        let (wire, name) = (("content-length", "5"), "x-amz-checksum-algorithm");
        let value = ("x-amz-checksum-crc32", "AAAAAQ==");
        BodyPlan::for_object(&headers(&[wire, value, (name, "CRC32")]), PLAIN).expect("the same");
        for pairs in [
            [wire, value, (name, "SHA256")].as_slice(),
            &[wire, value, (name, "foo")],
            &[wire, (name, "SHA256")],
            &[wire, (name, "CRC64NVME")],
        ] {
            assert_eq!(code(pairs, PLAIN), S3ErrorCode::InvalidRequest, "{pairs:?}");
        }
    }

    #[test]
    fn mp20_a_body_has_at_most_5_gib() {
        let most = [("content-length", "5368709120")];
        BodyPlan::for_object(&headers(&most), PLAIN).expect("5 GiB");
        let more = [("content-length", "5368709121")];
        assert_eq!(code(&more, PLAIN), S3ErrorCode::EntityTooLarge);
    }

    #[test]
    fn ck16_content_md5_is_sixteen_bytes_in_base64() {
        for value in ["", "abc", "AAAAAAAAAAAAAAAAAAAA", "d41d8cd98f00b204e9800998ecf8427e"] {
            let pairs = [("content-length", "0"), ("content-md5", value)];
            assert_eq!(code(&pairs, PLAIN), S3ErrorCode::InvalidDigest, "{value}");
        }
        let pairs = [("content-length", "0"), ("content-md5", "1B2M2Y8AsgTpgAmY7PhCfg==")];
        let plan = BodyPlan::for_object(&headers(&pairs), PLAIN).expect("the MD5 of nothing");
        assert_eq!(
            plan.content_md5.map(hex::encode).as_deref(),
            Some("d41d8cd98f00b204e9800998ecf8427e")
        );
    }

    #[test]
    fn sec7_st10_control_operations_take_no_streams() {
        let pairs = headers(&[("content-length", "0"), ("x-amz-decoded-content-length", "0")]);
        for payload in [CHUNKED, PayloadMode::SignedChunks { has_trailer: true }] {
            let error = BodyPlan::for_control(&pairs, payload).expect_err("streaming");
            assert_eq!(error.code, S3ErrorCode::InvalidRequest);
        }
        assert_eq!(BodyPlan::for_control(&headers(&[]), PLAIN).map(|plan| plan.size), Ok(0));
        let whole = headers(&[("content-length", "5"), ("x-amz-checksum-sha256", "AA==-2")]);
        assert_eq!(BodyPlan::for_completion(&whole, PLAIN).map(|plan| plan.size), Ok(5));
        let large = headers(&[("content-length", "2097153")]);
        let error = BodyPlan::for_control(&large, PLAIN).expect_err("SEC30");
        assert_eq!(error.code, S3ErrorCode::MaxMessageLengthExceeded);
    }
}
