//! Head of a batch: records that one write brought to disk together. Batches start on a page,
//! are numbered without gaps in their segment, and count whole or not at all. Only what repeats
//! the nonce of the segment is a batch of it.

use openlake_types::limits::PAGE_BYTES;

use crate::crc::crc32c_around;
use crate::error::DecodeError;
use crate::segment_header::SegmentId;
use crate::wire::{Decoder, Encoder};

pub const BATCH_HEADER_BYTES: usize = 40;
const MAGIC: &[u8; 4] = b"OLJB";
const CRC_AT: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchHeader {
    pub segment: SegmentId,
    /// Position in the segment, from 0.
    pub number: u32,
    /// With this header and the zeros up to the page's end.
    pub bytes: u32,
    pub records: u32,
    /// Of the segment's header.
    pub nonce: u64,
}

impl BatchHeader {
    pub fn encode(&self) -> [u8; BATCH_HEADER_BYTES] {
        let mut out = Vec::with_capacity(BATCH_HEADER_BYTES);
        let mut encoder = Encoder(&mut out);
        encoder.raw(MAGIC);
        encoder.u32(self.bytes);
        encoder.u64(self.segment.to_u64());
        encoder.u32(self.number);
        encoder.u32(self.records);
        encoder.u64(self.nonce);
        let crc = crc32c_around(&out, &[]);
        let mut encoder = Encoder(&mut out);
        encoder.u32(crc);
        encoder.u32(0);
        out.try_into().expect("the fields above add up to BATCH_HEADER_BYTES")
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder(bytes);
        if decoder.raw(4)? != MAGIC {
            return Err(DecodeError::Magic);
        }
        let length = decoder.u32()?;
        let segment = SegmentId::of_u64(decoder.u64()?);
        let number = decoder.u32()?;
        let records = decoder.u32()?;
        let nonce = decoder.u64()?;
        let crc = decoder.u32()?;
        if decoder.u32()? != 0 {
            return Err(DecodeError::Field("reserved"));
        }
        if crc != crc32c_around(&bytes[..CRC_AT], &[]) {
            return Err(DecodeError::Crc);
        }
        if length == 0 || !(length as usize).is_multiple_of(PAGE_BYTES) {
            return Err(DecodeError::Field("batch bytes"));
        }
        Ok(Self { segment, number, bytes: length, records, nonce })
    }
}
