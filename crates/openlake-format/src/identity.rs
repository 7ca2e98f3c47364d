//! The identity file of a data directory: which deployment it belongs to and which format it has.

use openlake_types::Timestamp;
use openlake_types::limits::PLACEMENT_GROUPS;

use crate::crc::crc32c_around;
use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

/// Version of everything in the data directory; a newer one is refused.
pub const FORMAT_VERSION: u16 = 1;
pub const IDENTITY_BYTES: usize = 48;
const MAGIC: &[u8; 8] = b"OPENLAKE";

/// Random, made once with the data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeploymentId(pub u128);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub deployment: DeploymentId,
    pub created: Timestamp,
}

impl Identity {
    pub fn encode(&self) -> [u8; IDENTITY_BYTES] {
        let mut out = Vec::with_capacity(IDENTITY_BYTES);
        let mut encoder = Encoder(&mut out);
        encoder.raw(MAGIC);
        encoder.u16(FORMAT_VERSION);
        encoder.u16(PLACEMENT_GROUPS);
        encoder.u32(0);
        encoder.u128(self.deployment.0);
        encoder.u64(self.created.0);
        encoder.u32(0);
        let crc = crc32c_around(&out, &[]);
        Encoder(&mut out).u32(crc);
        out.try_into().expect("the fields above add up to IDENTITY_BYTES")
    }

    /// The version is checked before the CRC, so that a newer layout is named as such.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(bytes);
        if decoder.raw(8)? != MAGIC {
            return Err(DecodeError::Magic);
        }
        let version = decoder.u16()?;
        if version != FORMAT_VERSION {
            return Err(DecodeError::Version(version));
        }
        let groups = decoder.u16()?;
        decoder.u32()?;
        let deployment = DeploymentId(decoder.u128()?);
        let created = Timestamp(decoder.u64()?);
        decoder.u32()?;
        let crc = decoder.u32()?;
        decoder.finish()?;
        if crc != crc32c_around(&bytes[..IDENTITY_BYTES - 4], &[]) {
            return Err(DecodeError::Crc);
        }
        if groups != PLACEMENT_GROUPS {
            return Err(DecodeError::Field("placement groups"));
        }
        Ok(Self { deployment, created })
    }
}
