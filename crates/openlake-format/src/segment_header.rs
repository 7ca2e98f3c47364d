//! First page of a journal segment: whose it is, and where it stands in its stream.
//!
//! A stream is what one shard appends; a layout is a period with one number of shards. Segment
//! ids never repeat in a deployment, so what a recycled file held before is told apart. What a user
//! stored may name an id that is still to come, but never the nonce.

use openlake_types::limits::PAGE_BYTES;
use openlake_types::{Epoch, Sequence};

use crate::crc::crc32c_around;
use crate::error::DecodeError;
use crate::identity::DeploymentId;
use crate::wire::{Decoder, Encoder};

pub const SEGMENT_VERSION: u16 = 1;
const MAGIC: &[u8; 8] = b"OLSEGMNT";
const CRC_AT: usize = 72;

/// Ordered by layout, then stream, then position in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentId {
    pub layout: u16,
    pub stream: u16,
    pub ordinal: u32,
}

impl SegmentId {
    pub const fn to_u64(self) -> u64 {
        (self.layout as u64) << 48 | (self.stream as u64) << 32 | self.ordinal as u64
    }

    pub const fn of_u64(bits: u64) -> Self {
        Self { layout: (bits >> 48) as u16, stream: (bits >> 32) as u16, ordinal: bits as u32 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentState {
    /// Holds batches that count.
    InUse = 1,
    /// Written once, holds nothing that counts; waits to be used again.
    Free = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentHeader {
    pub state: SegmentState,
    pub id: SegmentId,
    /// Number of shards in the layout.
    pub stream_count: u16,
    pub deployment: DeploymentId,
    pub epoch: Epoch,
    /// Batches in the segment before this one in the stream: fewer on disk means damage.
    pub previous_batches: u32,
    /// Every record in here has this sequence or a higher one.
    pub first_sequence: Sequence,
    pub segment_bytes: u64,
    /// Random, another one at each use of the file, and shown to nobody; every batch repeats it.
    pub nonce: u64,
}

impl SegmentHeader {
    pub fn encode(&self) -> [u8; PAGE_BYTES] {
        let mut out = Vec::with_capacity(PAGE_BYTES);
        let mut encoder = Encoder(&mut out);
        encoder.raw(MAGIC);
        encoder.u16(SEGMENT_VERSION);
        encoder.u16(self.state as u16);
        encoder.u16(self.stream_count);
        encoder.u16(0);
        encoder.u64(self.id.to_u64());
        encoder.u128(self.deployment.0);
        encoder.u32(self.epoch.0);
        encoder.u32(self.previous_batches);
        encoder.u64(self.first_sequence.0);
        encoder.u64(self.segment_bytes);
        encoder.u64(self.nonce);
        let crc = crc32c_around(&out, &[]);
        Encoder(&mut out).u32(crc);
        out.resize(PAGE_BYTES, 0);
        out.try_into().expect("resized to a page")
    }

    pub fn decode(page: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(page);
        if decoder.raw(8)? != MAGIC {
            return Err(DecodeError::Magic);
        }
        let version = decoder.u16()?;
        if version != SEGMENT_VERSION {
            return Err(DecodeError::Version(version));
        }
        let state = decoder.u16()?;
        let stream_count = decoder.u16()?;
        decoder.u16()?;
        let id = SegmentId::of_u64(decoder.u64()?);
        let deployment = DeploymentId(decoder.u128()?);
        let epoch = Epoch(decoder.u32()?);
        let previous_batches = decoder.u32()?;
        let first_sequence = Sequence(decoder.u64()?);
        let segment_bytes = decoder.u64()?;
        let nonce = decoder.u64()?;
        if decoder.u32()? != crc32c_around(&page[..CRC_AT], &[]) {
            return Err(DecodeError::Crc);
        }
        let state = match state {
            1 => SegmentState::InUse,
            2 => SegmentState::Free,
            _ => return Err(DecodeError::Field("segment state")),
        };
        Ok(Self {
            state,
            id,
            stream_count,
            deployment,
            epoch,
            previous_batches,
            first_sequence,
            segment_bytes,
            nonce,
        })
    }
}
