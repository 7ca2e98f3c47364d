//! An upload was aborted: it and its parts are gone. (A completed one ends with its object.)

use openlake_types::UploadId;

use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadEnd {
    pub bucket: u64,
    pub upload: UploadId,
}

impl UploadEnd {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut encoder = Encoder(out);
        encoder.u64(self.bucket);
        encoder.u128(self.upload.0);
    }

    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(payload);
        let record = Self { bucket: decoder.u64()?, upload: UploadId(decoder.u128()?) };
        decoder.finish()?;
        Ok(record)
    }
}
