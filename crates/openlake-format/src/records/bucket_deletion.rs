//! A bucket is gone, with whatever records still name its identity.

use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketDeletion {
    pub bucket: u64,
}

impl BucketDeletion {
    pub fn encode(&self, out: &mut Vec<u8>) {
        Encoder(out).u64(self.bucket);
    }

    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(payload);
        let record = Self { bucket: decoder.u64()? };
        decoder.finish()?;
        Ok(record)
    }
}
