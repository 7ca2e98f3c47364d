//! Records that will go to disk with one write.

use std::cell::RefCell;
use std::rc::Rc;

use openlake_format::batch_header::BATCH_HEADER_BYTES;
use openlake_format::record_header::RECORD_HEADER_BYTES;
use openlake_format::{BatchHeader, RecordHeader, RecordType, SegmentHeader, SegmentId};
use openlake_io::{BufferMut, LARGE_BYTES};
use openlake_types::limits::PAGE_BYTES;
use openlake_types::{Epoch, PlacementGroup, Sequence};

use super::segment::Location;
use crate::error::StoreError;
use crate::wait::Event;

/// Why a record is written: when the drive is full, some still must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Takes space.
    Store,
    /// Gives space back, so it may use the reserve.
    Release,
    /// Is written again, so that its segment can be freed.
    Compact,
}

pub struct NewRecord<'a> {
    pub record_type: RecordType,
    pub group: PlacementGroup,
    /// The payload in pieces.
    pub payload: &'a [&'a [u8]],
    pub purpose: Purpose,
}

impl NewRecord<'_> {
    pub fn bytes(&self) -> usize {
        RECORD_HEADER_BYTES + self.payload.iter().map(|piece| piece.len()).sum::<usize>()
    }
}

/// A record that is on disk.
#[derive(Clone, Copy, Debug)]
pub struct Appended {
    pub sequence: Sequence,
    pub location: Location,
}

/// What became of a batch: where it begins, or why it is not on disk.
pub(super) type Outcome = Result<(SegmentId, u64), StoreError>;

#[derive(Default)]
pub(super) struct BatchDone {
    outcome: RefCell<Option<Outcome>>,
    event: Event,
}

impl BatchDone {
    pub fn set(&self, outcome: Outcome) {
        *self.outcome.borrow_mut() = Some(outcome);
        self.event.notify();
    }

    pub async fn wait(&self) -> Outcome {
        self.event.wait_for(|| self.outcome.borrow().clone()).await
    }
}

struct Pending {
    offset: usize,
    bytes: usize,
    header: RecordHeader,
}

pub(super) struct Batch {
    buffer: BufferMut,
    used: usize,
    records: Vec<Pending>,
    pub done: Rc<BatchDone>,
}

/// A batch is one buffer at most, head included.
pub const RECORD_BYTES_MAX: usize = LARGE_BYTES - BATCH_HEADER_BYTES;

impl Batch {
    pub fn new(buffer: BufferMut) -> Self {
        Self { buffer, used: BATCH_HEADER_BYTES, records: Vec::new(), done: Rc::default() }
    }

    pub fn has_room(&self, bytes: usize) -> bool {
        self.used + bytes <= LARGE_BYTES
    }

    /// Copies the record in; its head is written when the segment is known.
    pub fn push(&mut self, record: &NewRecord<'_>, sequence: Sequence, epoch: Epoch) -> usize {
        let (offset, bytes) = (self.used, record.bytes());
        let out = self.buffer.as_mut_slice();
        let mut at = offset + RECORD_HEADER_BYTES;
        for piece in record.payload {
            out[at..at + piece.len()].copy_from_slice(piece);
            at += piece.len();
        }
        self.used = (offset + RecordHeader::stride(bytes - RECORD_HEADER_BYTES)).min(LARGE_BYTES);
        out[at..self.used].fill(0);
        let header = RecordHeader {
            record_type: record.record_type,
            sequence,
            segment: SegmentId { layout: 0, stream: 0, ordinal: 0 },
            epoch,
            group: record.group,
        };
        self.records.push(Pending { offset, bytes, header });
        offset
    }

    pub fn records(&self) -> usize {
        self.records.len()
    }

    pub fn first_sequence(&self) -> Sequence {
        self.records.first().expect("a batch is made for a record").header.sequence
    }

    /// With the zeros up to the page's end.
    pub fn bytes(&self) -> usize {
        self.used.next_multiple_of(PAGE_BYTES)
    }

    /// The bytes to write.
    pub fn seal(mut self, segment: &SegmentHeader, number: u32) -> BufferMut {
        let bytes = self.bytes();
        let out = &mut self.buffer.as_mut_slice()[..bytes];
        out[self.used..].fill(0);
        for record in &mut self.records {
            record.header.segment = segment.id;
            record.header.write(&mut out[record.offset..record.offset + record.bytes]);
        }
        let records = self.records.len() as u32;
        let header = BatchHeader {
            segment: segment.id,
            number,
            bytes: bytes as u32,
            records,
            nonce: segment.nonce,
        };
        out[..BATCH_HEADER_BYTES].copy_from_slice(&header.encode());
        self.buffer.set_filled(bytes);
        self.buffer
    }
}
