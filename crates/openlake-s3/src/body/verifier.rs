//! Sees each piece of a decoded body once, in order, and says at the end whether it is the one that
//! was promised. Until `finish` returns, nothing of the body may become visible.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use openlake_coding::{ChecksumStream, Md5State};
use openlake_types::{Checksum, ChecksumAlgorithm, ETag};
use sha2::{Digest, Sha256};

use super::checksum_plan::{ChecksumSource, checksum_text};
use super::part_etag::PartETag;
use super::payload_mode::PayloadMode;
use super::plan::{BodyPlan, incomplete};
use crate::error::{S3Error, S3ErrorCode};

pub struct BodyVerifier {
    plan: BodyPlan,
    size: u64,
    sha256: Option<Sha256>,
    /// `None` when the SHA-256 of the payload serves as the checksum too.
    checksum: Option<ChecksumStream>,
}

/// A body that is whole and is what the client says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedBody {
    pub size: u64,
    pub etag: ETag,
    pub checksum: Checksum,
}

impl BodyVerifier {
    pub fn new(plan: BodyPlan) -> Self {
        let sha256 = matches!(plan.payload, PayloadMode::Sha256(_)).then(Sha256::new);
        let algorithm = plan.checksum.algorithm;
        let is_shared = sha256.is_some() && algorithm == ChecksumAlgorithm::Sha256;
        let checksum = (!is_shared).then(|| ChecksumStream::new(algorithm));
        Self { plan, size: 0, sha256, checksum }
    }

    pub fn update(&mut self, data: &[u8]) {
        self.size += data.len() as u64;
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(data);
        }
        if let Some(checksum) = &mut self.checksum {
            checksum.update(data);
        }
    }

    /// `md5` is that of the same bytes, where the plan needs it; `trailer` the value that the decoder found after them.
    pub fn finish(
        self,
        md5: Option<[u8; 16]>,
        trailer: Option<Checksum>,
    ) -> Result<VerifiedBody, S3Error> {
        check_size(&self.plan, self.size)?;
        let sha256: Option<[u8; 32]> = self.sha256.map(|sha256| sha256.finalize().into());
        if let Some(actual) = sha256 {
            check_sha256(self.plan.payload, actual)?;
        }
        check_md5(self.plan.content_md5, md5)?;
        let checksum = match (self.checksum, sha256) {
            (Some(checksum), _) => checksum.finish(),
            (None, sha256) => {
                let value = sha256.expect("a shared checksum is the SHA-256 of the payload");
                let kind = openlake_types::ChecksumKind::FullObject;
                Checksum::new(ChecksumAlgorithm::Sha256, kind, &value).expect("32 bytes")
            }
        };
        let sent = match self.plan.checksum.source {
            ChecksumSource::Header(value) => Some(value),
            ChecksumSource::Trailer => trailer,
            ChecksumSource::Server => None,
        };
        check_checksum(sent, &checksum)?;
        let etag = match (self.plan.part_etag, md5) {
            (PartETag::Md5, md5) => ETag::of_md5(md5.expect("the plan needs it")),
            (PartETag::Crc64Nvme, _) => ETag::of_crc64nvme(&checksum, self.size),
        };
        Ok(VerifiedBody { size: self.size, etag, checksum })
    }

    /// Verifies a small body that is all there, or none; computes only what there is to compare.
    pub fn verify_whole(plan: BodyPlan, body: &[u8]) -> Result<(), S3Error> {
        let has_checksum = matches!(plan.checksum.source, ChecksumSource::Header(_));
        if body.is_empty() && plan.content_md5.is_none() && !has_checksum {
            return check_empty(&plan);
        }
        let (mut verifier, mut md5) = (Self::new(plan), Md5State::new());
        verifier.update(body);
        md5.update(body);
        verifier.finish(Some(md5.finish()), None).map(drop)
    }
}

/// SHA-256 of nothing: what most requests have for a payload.
const EMPTY_SHA256: [u8; 32] = [
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
    0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
];

fn check_empty(plan: &BodyPlan) -> Result<(), S3Error> {
    check_size(plan, 0)?;
    check_sha256(plan.payload, EMPTY_SHA256)
}

fn check_size(plan: &BodyPlan, size: u64) -> Result<(), S3Error> {
    if size == plan.size {
        return Ok(());
    }
    Err(incomplete("The body has fewer bytes than it was said to have"))
}

fn check_md5(sent: Option<[u8; 16]>, actual: Option<[u8; 16]>) -> Result<(), S3Error> {
    let Some(expected) = sent.filter(|sent| Some(*sent) != actual) else { return Ok(()) };
    let calculated = actual.expect("a plan with a Content-MD5 needs it");
    Err(S3Error::with_message(
        S3ErrorCode::BadDigest,
        "The Content-MD5 you specified did not match what we received.",
    )
    .field("ExpectedDigest", BASE64.encode(expected))
    .field("CalculatedDigest", BASE64.encode(calculated)))
}

fn check_sha256(payload: PayloadMode, actual: [u8; 32]) -> Result<(), S3Error> {
    match payload {
        PayloadMode::Sha256(expected) if expected != actual => {
            Err(S3Error::new(S3ErrorCode::XAmzContentSHA256Mismatch)
                .field("ClientComputedContentSHA256", hex::encode(expected))
                .field("S3ComputedContentSHA256", hex::encode(actual)))
        }
        _ => Ok(()),
    }
}

fn check_checksum(sent: Option<Checksum>, actual: &Checksum) -> Result<(), S3Error> {
    match sent {
        Some(sent) if sent.value() != actual.value() => Err(S3Error::with_message(
            S3ErrorCode::BadDigest,
            format!(
                "The {} you specified did not match the calculated checksum.",
                actual.algorithm.name()
            ),
        )
        .field("ExpectedDigest", checksum_text(&sent))
        .field("CalculatedDigest", checksum_text(actual))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request_head::HeaderMap;

    /// FIPS 180-4.
    const ABC_SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn verify(pairs: &[(&str, &str)], mode: &str, body: &[u8]) -> Result<VerifiedBody, S3Error> {
        let length = body.len().to_string();
        let mut pairs = pairs.to_vec();
        pairs.push(("content-length", &length));
        let headers = HeaderMap::from_pairs(pairs.iter().map(|(n, v)| (*n, v.as_bytes())));
        let plan = BodyPlan::for_object(&headers, PayloadMode::parse(mode)?)?;
        let (mut verifier, mut md5) = (BodyVerifier::new(plan), Md5State::new());
        for piece in body.chunks(4) {
            verifier.update(piece);
            md5.update(piece);
        }
        let outcome = verifier.finish(Some(md5.finish()), None);
        let whole = BodyVerifier::verify_whole(plan, body);
        assert_eq!(outcome.clone().map(drop), whole);
        outcome
    }

    #[test]
    fn an_empty_body_is_checked_without_hashing() {
        assert_eq!(EMPTY_SHA256, <[u8; 32]>::from(Sha256::digest([])));
        verify(&[], &hex::encode(EMPTY_SHA256), b"").expect("nothing");
        let error = verify(&[], ABC_SHA256, b"").expect_err("ST20: not this payload");
        assert_eq!(error.code, S3ErrorCode::XAmzContentSHA256Mismatch);
        let error = verify(&[("x-amz-checksum-crc32", "AAAAAQ==")], "UNSIGNED-PAYLOAD", b"");
        assert_eq!(error.expect_err("the CRC of nothing is 0").code, S3ErrorCode::BadDigest);
    }

    #[test]
    fn ck1_the_server_computes_crc64nvme() {
        let body = verify(&[], "UNSIGNED-PAYLOAD", b"123456789").expect("nothing to compare");
        assert_eq!(body.size, 9);
        // Catalogue of parametrised CRC algorithms, CRC-64/NVME: check value.
        assert_eq!(body.checksum.value(), 0xae8b_1486_0a79_9888_u64.to_be_bytes());
        assert_eq!(body.etag.to_string(), "25f9e794323b453885f5181f1b624d0b");
    }

    #[test]
    fn sec2_sec3_the_payload_hash_binds_the_body() {
        verify(&[], ABC_SHA256, b"abc").expect("FIPS 180");
        let error = verify(&[], ABC_SHA256, b"abd").expect_err("a changed byte");
        assert_eq!((error.code, error.status()), (S3ErrorCode::XAmzContentSHA256Mismatch, 400));
    }

    #[test]
    fn ck16_content_md5_binds_the_body() {
        let md5 = [("content-md5", "kAFQmDzST7DWlj99KOF/cg==")];
        verify(&md5, "UNSIGNED-PAYLOAD", b"abc").expect("RFC 1321");
        let error = verify(&md5, "UNSIGNED-PAYLOAD", b"abd").expect_err("a changed byte");
        assert_eq!(error.code, S3ErrorCode::BadDigest);
    }

    #[test]
    fn each_checksum_binds_the_body() {
        // Check values of the CRC catalogue; the SHA values are those of sha1sum and sha256sum.
        for (name, value) in [
            ("x-amz-checksum-crc32", "y/Q5Jg=="),
            ("x-amz-checksum-crc32c", "4waSgw=="),
            ("x-amz-checksum-crc64nvme", "rosUhgp5mIg="),
            ("x-amz-checksum-sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="),
            ("x-amz-checksum-sha256", "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="),
        ] {
            verify(&[(name, value)], "UNSIGNED-PAYLOAD", b"123456789").expect(name);
            let error = verify(&[(name, value)], "UNSIGNED-PAYLOAD", b"123456780");
            assert_eq!(error.expect_err(name).code, S3ErrorCode::BadDigest);
        }
    }

    #[test]
    fn a_payload_hash_serves_as_the_checksum_too() {
        let value = BASE64.encode(hex::decode(ABC_SHA256).expect("digits"));
        let pairs = [("x-amz-checksum-sha256", value.as_str())];
        let body = verify(&pairs, ABC_SHA256, b"abc").expect("FIPS 180");
        assert_eq!(hex::encode(body.checksum.value()), ABC_SHA256);
        let error =
            verify(&[("x-amz-checksum-sha256", &BASE64.encode([0; 32]))], ABC_SHA256, b"abc");
        assert_eq!(error.expect_err("another").code, S3ErrorCode::BadDigest);
    }

    #[test]
    fn a_short_body_is_incomplete() {
        let headers = HeaderMap::from_pairs([("content-length", &b"10"[..])]);
        let plan = BodyPlan::for_object(&headers, PayloadMode::Unsigned).expect("valid");
        let error = BodyVerifier::verify_whole(plan, b"abc").expect_err("seven are missing");
        assert_eq!(error.code, S3ErrorCode::IncompleteBody);
    }
}
