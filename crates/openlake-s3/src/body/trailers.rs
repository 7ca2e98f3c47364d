//! The trailer block of an aws-chunked body: exactly what `x-amz-trailer` announced, nothing else.

use openlake_types::{Checksum, ChecksumAlgorithm};

use super::checksum_plan::{ChecksumPlan, ChecksumSource, parse_checksum};
use crate::auth::ChunkSigner;
use crate::error::{S3Error, S3ErrorCode};

const SIGNATURE: &[u8] = b"x-amz-trailer-signature";

/// Lines as they come, then judged together.
pub(super) struct Trailers {
    announced: Option<ChecksumAlgorithm>,
    is_signed: bool,
    value: Option<Vec<u8>>,
    signature: Option<[u8; 32]>,
}

fn malformed(message: &'static str) -> S3Error {
    S3Error::with_message(S3ErrorCode::MalformedTrailerError, message)
}

impl Trailers {
    pub fn new(plan: ChecksumPlan, is_signed: bool) -> Self {
        let is_announced = plan.source == ChecksumSource::Trailer;
        let announced = is_announced.then_some(plan.algorithm);
        Self { announced, is_signed, value: None, signature: None }
    }

    /// Takes a line without its end.
    pub fn push(&mut self, line: &[u8]) -> Result<(), S3Error> {
        let colon = line.iter().position(|&byte| byte == b':');
        let colon = colon.ok_or_else(|| malformed("A trailer line has no colon"))?;
        let (name, value) = (line[..colon].to_ascii_lowercase(), line[colon + 1..].trim_ascii());
        if self.signature.is_some() {
            return Err(malformed("The trailer signature is not the last trailer"));
        }
        if self.is_signed && name == SIGNATURE {
            let mut signature = [0; 32];
            hex::decode_to_slice(value, &mut signature)
                .map_err(|_| S3Error::new(S3ErrorCode::SignatureDoesNotMatch))?;
            self.signature = Some(signature);
            return Ok(());
        }
        if self.announced.is_none_or(|algorithm| algorithm.header().as_bytes() != name) {
            return Err(malformed("A trailer was not announced by x-amz-trailer"));
        }
        if self.value.replace(value.to_vec()).is_some() {
            return Err(malformed("A trailer is given twice"));
        }
        Ok(())
    }

    /// The block is complete: checks the signature and gives the checksum that came.
    pub fn finish(&self, signer: Option<&mut ChunkSigner>) -> Result<Option<Checksum>, S3Error> {
        if self.is_signed {
            let missing = || {
                S3Error::with_message(
                    S3ErrorCode::SignatureDoesNotMatch,
                    "The trailers have no x-amz-trailer-signature",
                )
            };
            let signature = self.signature.ok_or_else(missing)?;
            let signer = signer.ok_or_else(missing)?;
            signer.check_trailers(&self.signed_lines(), &signature)?;
        }
        match (self.announced, &self.value) {
            (Some(algorithm), Some(value)) => parse_checksum(algorithm, value).map(Some),
            (Some(_), None) => {
                Err(malformed("The trailer that x-amz-trailer announced is missing"))
            }
            (None, _) => Ok(None),
        }
    }

    fn signed_lines(&self) -> Vec<u8> {
        match (self.announced, &self.value) {
            (Some(algorithm), Some(value)) => {
                [algorithm.header().as_bytes(), b":", value, b"\n"].concat()
            }
            _ => Vec::new(),
        }
    }
}
