//! What the engine's errors are called in S3.

use openlake_store::StoreError;

use crate::error::{S3Error, S3ErrorCode};

/// By value, so that it stands in `map_err` as it is.
#[expect(clippy::needless_pass_by_value)]
pub(crate) fn s3_error(error: StoreError) -> S3Error {
    use S3ErrorCode as Code;
    let code = match &error {
        StoreError::NoSuchBucket => Code::NoSuchBucket,
        StoreError::BucketExists { .. } => Code::BucketAlreadyExists,
        StoreError::BucketNotEmpty => Code::BucketNotEmpty,
        StoreError::NoSuchKey => Code::NoSuchKey,
        StoreError::NoSuchPart => Code::InvalidPartNumber,
        StoreError::NoSuchUpload => Code::NoSuchUpload,
        StoreError::InvalidPart { .. } => Code::InvalidPart,
        StoreError::InvalidPartOrder => Code::InvalidPartOrder,
        StoreError::PartTooSmall { .. } => Code::EntityTooSmall,
        StoreError::NoParts => Code::MalformedXML,
        StoreError::SizeMismatch { .. }
        | StoreError::ChecksumAlgorithmMismatch
        | StoreError::ChecksumKindMismatch { .. } => {
            return S3Error::with_message(Code::InvalidRequest, error.to_string());
        }
        StoreError::ChecksumMismatch => Code::BadDigest,
        StoreError::PreconditionFailed => Code::PreconditionFailed,
        StoreError::OutOfSpace => Code::InsufficientStorage,
        StoreError::TooBusy => Code::SlowDown,
        StoreError::ShuttingDown => Code::ServiceUnavailable,
        StoreError::Corrupt { .. } | StoreError::Poisoned | StoreError::Io(_) => {
            // What went wrong inside is for the operator's log, not for the client.
            eprintln!("openlake: {error}");
            Code::InternalError
        }
    };
    S3Error::new(code)
}
