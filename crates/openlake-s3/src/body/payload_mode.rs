//! How the body of a request is bound to its signature: the value of `x-amz-content-sha256`.

use crate::error::{S3Error, S3ErrorCode};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadMode {
    /// `UNSIGNED-PAYLOAD`.
    Unsigned,
    /// The SHA-256 of the whole body.
    Sha256([u8; 32]),
    /// `STREAMING-AWS4-HMAC-SHA256-PAYLOAD`, with `-TRAILER` or without.
    SignedChunks { has_trailer: bool },
    /// `STREAMING-UNSIGNED-PAYLOAD-TRAILER`.
    UnsignedChunks,
}

impl PayloadMode {
    pub fn parse(value: &str) -> Result<Self, S3Error> {
        match value {
            "UNSIGNED-PAYLOAD" => Ok(Self::Unsigned),
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" => Ok(Self::SignedChunks { has_trailer: false }),
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" => {
                Ok(Self::SignedChunks { has_trailer: true })
            }
            "STREAMING-UNSIGNED-PAYLOAD-TRAILER" => Ok(Self::UnsignedChunks),
            digits => {
                let mut sha256 = [0; 32];
                hex::decode_to_slice(digits, &mut sha256).map_err(|_| Self::invalid())?;
                Ok(Self::Sha256(sha256))
            }
        }
    }

    pub(crate) fn invalid() -> S3Error {
        S3Error::with_message(
            S3ErrorCode::InvalidArgument,
            "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, \
             STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a \
             valid sha256 value.",
        )
        .field("ArgumentName", "x-amz-content-sha256")
    }

    /// Whether the body comes in aws-chunked framing.
    pub const fn is_chunked(self) -> bool {
        matches!(self, Self::SignedChunks { .. } | Self::UnsignedChunks)
    }

    pub const fn has_signed_chunks(self) -> bool {
        matches!(self, Self::SignedChunks { .. })
    }

    pub const fn has_trailer(self) -> bool {
        matches!(self, Self::SignedChunks { has_trailer: true } | Self::UnsignedChunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn st19_unknown_words_are_refused() {
        for bad in ["", "UNSIGNED", "unsigned-payload", "STREAMING-AWS4-HMAC-SHA256", "ab"] {
            let error = PayloadMode::parse(bad).expect_err(bad);
            assert_eq!((error.code, error.status()), (S3ErrorCode::InvalidArgument, 400));
        }
        assert_eq!(PayloadMode::parse(&"ab".repeat(32)), Ok(PayloadMode::Sha256([0xab; 32])));
        assert!(PayloadMode::parse(&"ag".repeat(32)).is_err());
    }
}
