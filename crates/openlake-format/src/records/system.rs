//! A record of the control plane (a user, a key): a kind, a name and opaque bytes.

use bytes::Bytes;

use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemRecord {
    pub kind: String,
    pub name: String,
    pub value: Bytes,
}

impl SystemRecord {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut encoder = Encoder(out);
        encoder.bytes16(self.kind.as_bytes());
        encoder.bytes16(self.name.as_bytes());
        encoder.bytes32(&self.value);
    }

    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(payload);
        let kind = decoder.text16("system record kind")?.to_owned();
        let name = decoder.text16("system record name")?.to_owned();
        let value = Bytes::copy_from_slice(decoder.bytes32()?);
        decoder.finish()?;
        Ok(Self { kind, name, value })
    }
}
