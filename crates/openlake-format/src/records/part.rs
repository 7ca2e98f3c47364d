//! A part of an upload that is not completed yet. The newest record of a number counts.

use openlake_types::{Timestamp, UploadId};

use super::ManifestPart;
use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRecord {
    pub bucket: u64,
    pub upload: UploadId,
    pub last_modified: Timestamp,
    pub part: ManifestPart,
}

impl PartRecord {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut encoder = Encoder(out);
        encoder.u64(self.bucket);
        encoder.u128(self.upload.0);
        encoder.u64(self.last_modified.0);
        self.part.encode(&mut encoder);
    }

    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(payload);
        let record = Self {
            bucket: decoder.u64()?,
            upload: UploadId(decoder.u128()?),
            last_modified: Timestamp(decoder.u64()?),
            part: ManifestPart::decode(&mut decoder)?,
        };
        decoder.finish()?;
        Ok(record)
    }
}
