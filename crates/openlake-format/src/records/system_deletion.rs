//! The system record of this kind and name is gone.

use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemDeletion {
    pub kind: String,
    pub name: String,
}

impl SystemDeletion {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut encoder = Encoder(out);
        encoder.bytes16(self.kind.as_bytes());
        encoder.bytes16(self.name.as_bytes());
    }

    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(payload);
        let kind = decoder.text16("system record kind")?.to_owned();
        let name = decoder.text16("system record name")?.to_owned();
        decoder.finish()?;
        Ok(Self { kind, name })
    }
}
