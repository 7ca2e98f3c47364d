//! The object of this key is gone.

use openlake_types::ObjectKey;

use super::key::decode_key;
use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectDeletion {
    pub bucket: u64,
    pub key: ObjectKey,
}

impl ObjectDeletion {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut encoder = Encoder(out);
        encoder.u64(self.bucket);
        encoder.bytes16(self.key.as_bytes());
    }

    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(payload);
        let record = Self { bucket: decoder.u64()?, key: decode_key(&mut decoder)? };
        decoder.finish()?;
        Ok(record)
    }
}
