//! A multipart upload that was begun: the attributes its object will have.

use openlake_types::{ChecksumAlgorithm, ChecksumKind, ObjectKey, Timestamp, UploadId};

use super::key::decode_key;
use crate::attributes::{ObjectAttributes, decode_algorithm, encode_algorithm};
use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadRecord {
    pub bucket: u64,
    pub key: ObjectKey,
    pub upload: UploadId,
    pub initiated: Timestamp,
    pub checksum: Option<(ChecksumAlgorithm, ChecksumKind)>,
    /// Its ETag and checksum mean nothing before completion.
    pub attributes: ObjectAttributes,
}

impl UploadRecord {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut encoder = Encoder(out);
        encoder.u64(self.bucket);
        encoder.bytes16(self.key.as_bytes());
        encoder.u128(self.upload.0);
        encoder.u64(self.initiated.0);
        encode_algorithm(&mut encoder, self.checksum);
        self.attributes.encode(&mut encoder);
    }

    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(payload);
        let record = Self {
            bucket: decoder.u64()?,
            key: decode_key(&mut decoder)?,
            upload: UploadId(decoder.u128()?),
            initiated: Timestamp(decoder.u64()?),
            checksum: decode_algorithm(&mut decoder)?,
            attributes: ObjectAttributes::decode(&mut decoder)?,
        };
        decoder.finish()?;
        Ok(record)
    }
}
