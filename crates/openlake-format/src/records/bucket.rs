//! A bucket: its identity, name, owner, and configuration that the control plane understands.

use bytes::Bytes;
use openlake_types::{BucketName, Timestamp};

use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketRecord {
    /// Never given to another bucket, not even to one of the same name.
    pub bucket: u64,
    pub name: BucketName,
    pub owner: String,
    pub created: Timestamp,
    pub config: Bytes,
}

impl BucketRecord {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut encoder = Encoder(out);
        encoder.u64(self.bucket);
        encoder.bytes16(self.name.as_str().as_bytes());
        encoder.bytes16(self.owner.as_bytes());
        encoder.u64(self.created.0);
        encoder.bytes32(&self.config);
    }

    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(payload);
        let bucket = decoder.u64()?;
        let name = BucketName::new(decoder.text16("bucket name")?)
            .map_err(|_| DecodeError::Field("bucket name"))?;
        let owner = decoder.text16("bucket owner")?.to_owned();
        let created = Timestamp(decoder.u64()?);
        let config = Bytes::copy_from_slice(decoder.bytes32()?);
        decoder.finish()?;
        Ok(Self { bucket, name, owner, created, config })
    }
}
