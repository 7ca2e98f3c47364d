//! Head of a journal record: what it is, where it belongs, and the CRC32C over head and payload.

use openlake_types::{Epoch, PlacementGroup, Sequence};

use crate::crc::crc32c_around;
use crate::error::DecodeError;
use crate::segment_header::SegmentId;
use crate::wire::{Decoder, Encoder};

pub const RECORD_VERSION: u16 = 1;
pub const RECORD_HEADER_BYTES: usize = 40;
/// Records start at multiples of this.
pub const RECORD_ALIGNMENT: usize = 8;
const MAGIC: &[u8; 4] = b"OLJR";
const CRC_AT: usize = 12;

/// Numbers are never used again for another record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordType {
    Object = 1,
    ObjectDeletion = 2,
    Upload = 3,
    Part = 4,
    UploadEnd = 5,
    Bucket = 6,
    BucketDeletion = 7,
    System = 8,
    SystemDeletion = 9,
    /// Nothing inside: all batches before it were on disk when the server stopped.
    Seal = 10,
}

impl RecordType {
    pub const ALL: [Self; 10] = [
        Self::Object,
        Self::ObjectDeletion,
        Self::Upload,
        Self::Part,
        Self::UploadEnd,
        Self::Bucket,
        Self::BucketDeletion,
        Self::System,
        Self::SystemDeletion,
        Self::Seal,
    ];

    fn of_number(number: u16) -> Result<Self, DecodeError> {
        let found = Self::ALL.into_iter().find(|record_type| *record_type as u16 == number);
        found.ok_or(DecodeError::Type(number))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHeader {
    pub record_type: RecordType,
    pub sequence: Sequence,
    pub segment: SegmentId,
    pub epoch: Epoch,
    pub group: PlacementGroup,
}

impl RecordHeader {
    /// Writes the head in front of the payload that already lies in `record`.
    ///
    /// `record` is header and payload, without the zeros that align the next record.
    pub fn write(&self, record: &mut [u8]) {
        let payload = record.len() - RECORD_HEADER_BYTES;
        let mut out = Vec::with_capacity(RECORD_HEADER_BYTES);
        let mut encoder = Encoder(&mut out);
        encoder.raw(MAGIC);
        encoder.u16(RECORD_VERSION);
        encoder.u16(self.record_type as u16);
        encoder.u32(u32::try_from(payload).expect("a record is smaller than a batch"));
        encoder.u32(0);
        encoder.u64(self.sequence.0);
        encoder.u64(self.segment.to_u64());
        encoder.u32(self.epoch.0);
        encoder.u16(self.group.get());
        encoder.u16(0);
        record[..RECORD_HEADER_BYTES].copy_from_slice(&out);
        let crc = crc32c_around(&record[..CRC_AT], &record[CRC_AT + 4..]);
        record[CRC_AT..CRC_AT + 4].copy_from_slice(&crc.to_le_bytes());
    }

    /// Checks the record at the front of `bytes`; gives its head and its payload.
    pub fn read(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let mut decoder = Decoder(bytes);
        if decoder.raw(4)? != MAGIC {
            return Err(DecodeError::Magic);
        }
        let version = decoder.u16()?;
        if version != RECORD_VERSION {
            return Err(DecodeError::Version(version));
        }
        let record_type = decoder.u16()?;
        let payload_bytes = decoder.u32()? as usize;
        let crc = decoder.u32()?;
        let sequence = Sequence(decoder.u64()?);
        let segment = SegmentId::of_u64(decoder.u64()?);
        let epoch = Epoch(decoder.u32()?);
        let group = decoder.u16()?;
        let reserved = decoder.u16()?;
        let payload = decoder.raw(payload_bytes)?;
        let record = &bytes[..RECORD_HEADER_BYTES + payload_bytes];
        if crc != crc32c_around(&record[..CRC_AT], &record[CRC_AT + 4..]) {
            return Err(DecodeError::Crc);
        }
        let of_group = PlacementGroup::of_hash(group.into());
        if of_group.get() != group || reserved != 0 {
            return Err(DecodeError::Field("placement group"));
        }
        let record_type = RecordType::of_number(record_type)?;
        Ok((Self { record_type, sequence, segment, epoch, group: of_group }, payload))
    }

    /// Bytes from one record to the next.
    pub const fn stride(payload_bytes: usize) -> usize {
        (RECORD_HEADER_BYTES + payload_bytes).next_multiple_of(RECORD_ALIGNMENT)
    }
}
