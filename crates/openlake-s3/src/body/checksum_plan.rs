//! Which checksum a body has and where its value comes from, as the head announces it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use openlake_types::{Checksum, ChecksumAlgorithm, ChecksumKind};

use super::payload_mode::PayloadMode;
use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::HeaderMap;

const PREFIX: &str = "x-amz-checksum-";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecksumSource {
    /// The client sent the value ahead of the body.
    Header(Checksum),
    /// The client sends it after the body.
    Trailer,
    /// The client sends none; the server computes one.
    Server,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChecksumPlan {
    pub algorithm: ChecksumAlgorithm,
    pub source: ChecksumSource,
}

fn invalid(message: &'static str) -> S3Error {
    S3Error::with_message(S3ErrorCode::InvalidRequest, message)
}

impl ChecksumPlan {
    /// Without any checksum of the client's, S3 computes CRC64NVME.
    pub(super) const DEFAULT: Self =
        Self { algorithm: ChecksumAlgorithm::Crc64Nvme, source: ChecksumSource::Server };

    pub fn from_headers(headers: &HeaderMap, payload: PayloadMode) -> Result<Self, S3Error> {
        let value = header_value(headers)?;
        let trailer = announced_trailer(headers, payload)?;
        let plan = match (value, trailer) {
            (Some(_), Some(_)) => {
                return Err(invalid(
                    "Expecting a single x-amz-checksum- header or trailer, not both.",
                ));
            }
            (Some(value), None) => {
                Self { algorithm: value.algorithm, source: ChecksumSource::Header(value) }
            }
            (None, Some(algorithm)) => Self { algorithm, source: ChecksumSource::Trailer },
            (None, None) => Self::DEFAULT,
        };
        plan.check_sdk_algorithm(headers)?;
        Ok(plan)
    }

    /// `x-amz-sdk-checksum-algorithm` says nothing new; it must agree with the value that is sent.
    fn check_sdk_algorithm(self, headers: &HeaderMap) -> Result<(), S3Error> {
        let Some(name) = headers.get("x-amz-sdk-checksum-algorithm") else { return Ok(()) };
        let named: Option<ChecksumAlgorithm> =
            std::str::from_utf8(name).ok().and_then(|name| name.parse().ok());
        if self.source == ChecksumSource::Server && named.is_some() {
            return Err(invalid(
                "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or \
                 x-amz-trailer headers were found.",
            ));
        }
        if named != Some(self.algorithm) {
            return Err(invalid("Value for x-amz-sdk-checksum-algorithm header is invalid."));
        }
        Ok(())
    }

    /// `x-amz-checksum-algorithm` chooses that of an upload; with a body it can only repeat the
    /// name of the value that is sent.
    pub(super) fn check_named_algorithm(self, headers: &HeaderMap) -> Result<(), S3Error> {
        let Some(name) = headers.get("x-amz-checksum-algorithm") else { return Ok(()) };
        let named = std::str::from_utf8(name).ok().and_then(|name| name.parse().ok());
        if self.source == ChecksumSource::Server || named != Some(self.algorithm) {
            return Err(invalid(
                "x-amz-checksum-algorithm does not name the algorithm of a checksum that is sent.",
            ));
        }
        Ok(())
    }

    /// The algorithm that a part must have because its upload was created with it.
    pub fn require(self, expected: ChecksumAlgorithm) -> Result<Self, S3Error> {
        match self.source {
            ChecksumSource::Server => Ok(Self { algorithm: expected, ..self }),
            _ if self.algorithm == expected => Ok(self),
            _ => Err(S3Error::with_message(
                S3ErrorCode::InvalidRequest,
                format!(
                    "Checksum Type mismatch occurred, expected checksum Type: {}, actual checksum \
                     Type: {}",
                    expected.name().to_lowercase(),
                    self.algorithm.name().to_lowercase()
                ),
            )),
        }
    }
}

/// Reads a value as S3 writes it: base64 of the algorithm's length.
pub fn parse_checksum(algorithm: ChecksumAlgorithm, text: &[u8]) -> Result<Checksum, S3Error> {
    let invalid = || {
        S3Error::with_message(
            S3ErrorCode::InvalidRequest,
            format!("Value for {} header is invalid.", algorithm.header()),
        )
    };
    let bytes = BASE64.decode(text.trim_ascii()).map_err(|_| invalid())?;
    Checksum::new(algorithm, ChecksumKind::FullObject, &bytes).map_err(|_| invalid())
}

/// The value as S3 writes it.
pub fn checksum_text(checksum: &Checksum) -> String {
    BASE64.encode(checksum.value())
}

fn algorithm_of(name: &[u8]) -> Option<ChecksumAlgorithm> {
    ChecksumAlgorithm::ALL.into_iter().find(|algorithm| algorithm.header().as_bytes() == name)
}

/// The one header with a value. Its neighbours `-type`, `-algorithm` and `-mode` are none (CK9).
fn header_value(headers: &HeaderMap) -> Result<Option<Checksum>, S3Error> {
    let mut found = None;
    for (name, value) in headers.iter() {
        let Some(suffix) = name.strip_prefix(PREFIX.as_bytes()) else { continue };
        if matches!(suffix, b"type" | b"algorithm" | b"mode") {
            continue;
        }
        let algorithm = algorithm_of(name).ok_or_else(|| {
            invalid("The algorithm type you specified in x-amz-checksum- header is invalid.")
        })?;
        if found.replace(parse_checksum(algorithm, value)?).is_some() {
            return Err(invalid(
                "Expecting a single x-amz-checksum- header. Multiple checksum Types are not \
                 allowed.",
            ));
        }
    }
    Ok(found)
}

/// The one checksum that `x-amz-trailer` announces.
fn announced_trailer(
    headers: &HeaderMap,
    payload: PayloadMode,
) -> Result<Option<ChecksumAlgorithm>, S3Error> {
    let Some(value) = headers.get("x-amz-trailer") else { return Ok(None) };
    if !payload.has_trailer() {
        return Err(invalid("x-amz-trailer needs an x-amz-content-sha256 that ends in -TRAILER."));
    }
    let name = value.trim_ascii().to_ascii_lowercase();
    algorithm_of(&name)
        .map(Some)
        .ok_or_else(|| invalid("The value specified in the x-amz-trailer header is not supported"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(pairs: &[(&str, &str)], payload: PayloadMode) -> Result<ChecksumPlan, S3Error> {
        let pairs = pairs.iter().map(|(name, value)| (*name, value.as_bytes()));
        ChecksumPlan::from_headers(&HeaderMap::from_pairs(pairs), payload)
    }

    fn code(pairs: &[(&str, &str)], payload: PayloadMode) -> S3ErrorCode {
        plan(pairs, payload).expect_err("must be refused").code
    }

    const PLAIN: PayloadMode = PayloadMode::Unsigned;

    #[test]
    fn ck1_the_default_is_crc64nvme_of_the_server() {
        assert_eq!(plan(&[], PLAIN), Ok(ChecksumPlan::DEFAULT));
    }

    #[test]
    fn ck7_values_are_base64_of_the_right_length() {
        for value in ["", "!", "AAAA", "AAAAAAA=", "AAAAAA", "AAAAAAAAAAA="] {
            assert_eq!(
                code(&[("x-amz-checksum-crc32", value)], PLAIN),
                S3ErrorCode::InvalidRequest
            );
        }
        let plan = plan(&[("x-amz-checksum-crc32", "AAAAAQ==")], PLAIN).expect("four bytes");
        let ChecksumSource::Header(value) = plan.source else { panic!("{plan:?}") };
        assert_eq!(value.value(), [0, 0, 0, 1]);
        assert_eq!(checksum_text(&value), "AAAAAQ==");
    }

    #[test]
    fn ck9_neighbouring_names_are_no_values() {
        for name in ["x-amz-checksum-type", "x-amz-checksum-algorithm", "x-amz-checksum-mode"] {
            assert_eq!(plan(&[(name, "CRC32")], PLAIN), Ok(ChecksumPlan::DEFAULT), "{name}");
        }
        assert_eq!(code(&[("x-amz-checksum-md4", "AA==")], PLAIN), S3ErrorCode::InvalidRequest);
    }

    #[test]
    fn one_checksum_only() {
        let two = [("x-amz-checksum-crc32", "AAAAAQ=="), ("x-amz-checksum-crc32c", "AAAAAQ==")];
        assert_eq!(code(&two, PLAIN), S3ErrorCode::InvalidRequest);
        let both =
            [("x-amz-checksum-crc32", "AAAAAQ=="), ("x-amz-trailer", "x-amz-checksum-crc32")];
        assert_eq!(code(&both, PayloadMode::UnsignedChunks), S3ErrorCode::InvalidRequest);
    }

    #[test]
    fn trailers_are_announced_for_trailer_modes_only() {
        let trailer = [("x-amz-trailer", "X-Amz-Checksum-SHA256")];
        let expected =
            ChecksumPlan { algorithm: ChecksumAlgorithm::Sha256, source: ChecksumSource::Trailer };
        assert_eq!(plan(&trailer, PayloadMode::UnsignedChunks), Ok(expected));
        for mode in [PLAIN, PayloadMode::SignedChunks { has_trailer: false }] {
            assert_eq!(code(&trailer, mode), S3ErrorCode::InvalidRequest);
        }
        let other = [("x-amz-trailer", "x-amz-meta-a")];
        assert_eq!(code(&other, PayloadMode::UnsignedChunks), S3ErrorCode::InvalidRequest);
    }

    #[test]
    fn ck5_the_sdk_algorithm_agrees_in_any_case() {
        let value = ("x-amz-checksum-crc32", "AAAAAQ==");
        plan(&[value, ("x-amz-sdk-checksum-algorithm", "crc32")], PLAIN).expect("the same");
        for name in ["CRC32C", "MD4", ""] {
            let pairs = [value, ("x-amz-sdk-checksum-algorithm", name)];
            assert_eq!(code(&pairs, PLAIN), S3ErrorCode::InvalidRequest, "{name}");
        }
        let alone = [("x-amz-sdk-checksum-algorithm", "CRC32")];
        assert_eq!(code(&alone, PLAIN), S3ErrorCode::InvalidRequest);
    }

    #[test]
    fn ck4_a_part_takes_or_must_have_the_algorithm_of_its_upload() {
        let required = ChecksumPlan::DEFAULT.require(ChecksumAlgorithm::Sha1).expect("computed");
        assert_eq!(required.algorithm, ChecksumAlgorithm::Sha1);
        let sent = plan(&[("x-amz-checksum-crc32", "AAAAAQ==")], PLAIN).expect("valid");
        assert_eq!(sent.require(ChecksumAlgorithm::Crc32), Ok(sent));
        assert!(sent.require(ChecksumAlgorithm::Crc32c).is_err());
    }
}
