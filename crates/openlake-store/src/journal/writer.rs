//! Appending: a record joins the batch that fills while the last one is being written.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use openlake_format::{RecordHeader, SegmentId};
use openlake_io::{Buffer, Buffers, Disk, DiskFile, SMALL_BYTES};
use openlake_types::Sequence;
use openlake_types::limits::PAGE_BYTES;

use super::batch::{Appended, Batch, BatchDone, NewRecord, Purpose, RECORD_BYTES_MAX};
use super::reserve::Admission;
use super::segment::{Location, Segment, SegmentFile, SegmentFiles};
use super::stream::StreamIdentity;
use crate::config::Random;
use crate::error::StoreError;
use crate::wait::{Event, FifoGuard, FifoLock};

/// What the journal did; for `/metrics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalStats {
    /// Synced writes of a batch.
    pub commits: u64,
    pub records: u64,
    pub bytes_written: u64,
    pub segments_in_use: u64,
    pub segments_free: u64,
    pub segments_compacted: u64,
    pub poisoned: bool,
    pub starved: bool,
}

/// Asks others to give space back when the drive is full.
pub type MakeSpace = Box<dyn Fn() -> LocalBoxFuture<'static, ()>>;

/// What recovery found, from which the journal goes on.
pub struct JournalStart<D: Disk> {
    pub files: SegmentFiles<D>,
    /// For the payloads of reads, which travel to callers.
    pub read_buffers: Buffers,
    pub stream: StreamIdentity,
    /// Own and foreign, all that may hold live records.
    pub segments: Vec<Rc<Segment<D>>>,
    pub free: Vec<SegmentFile<D>>,
    pub next_sequence: Sequence,
    pub make_space: MakeSpace,
    /// For the nonces of segments.
    pub random: Random,
}

pub struct Journal<D: Disk>(pub(super) Rc<JournalInner<D>>);

impl<D: Disk> Clone for Journal<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

pub(super) struct JournalInner<D: Disk> {
    pub files: SegmentFiles<D>,
    read_buffers: Buffers,
    pub stream: StreamIdentity,
    pub segments: RefCell<BTreeMap<SegmentId, Rc<Segment<D>>>>,
    /// Of the own ones among them.
    pub own_bytes: Cell<u64>,
    pub current: RefCell<Option<Rc<Segment<D>>>>,
    pub free: RefCell<Vec<SegmentFile<D>>>,
    pub filling: RefCell<Option<Batch>>,
    /// Who copies its record next.
    turn: FifoLock,
    /// A batch was taken or finished, a segment became free, the journal closed.
    pub changed: Event,
    /// Only the committer waits for this.
    pub work: Event,
    next_sequence: Cell<u64>,
    pub poisoned: Cell<bool>,
    /// What the records that count take, also those in foreign segments.
    pub live_bytes: Cell<u64>,
    /// Of what lies there without counting, what the last pass of compaction could not win back.
    pub waste_kept: Cell<u64>,
    /// Of it, what came since that pass, or somewhat more.
    pub waste_made: Cell<u64>,
    /// The pass of compaction is over when this own segment is freed.
    pub pass_end: Cell<u32>,
    /// Compaction runs, and can read what it has to.
    pub compacts: Cell<bool>,
    /// Fewer free segments than wanted, and no more can be made.
    pub full: Cell<bool>,
    pub replenishing: Cell<bool>,
    pub closing: Cell<bool>,
    pub closed: Cell<bool>,
    pub stats: Cell<JournalStats>,
    pub make_space: MakeSpace,
    pub random: Random,
}

impl<D: Disk> Journal<D> {
    /// Makes sure of a segment to append to, then starts the committer and makes a spare segment.
    pub async fn start(start: JournalStart<D>) -> io::Result<Self> {
        let own = start.segments.iter().filter(|segment| start.stream.owns(segment.id()));
        let own: Vec<_> = own.collect();
        let own_bytes = own.iter().map(|segment| segment.file.bytes).sum();
        let current = own.into_iter().max_by_key(|segment| segment.id()).cloned();
        let pass_end = current.as_ref().map_or(0, |current| current.id().ordinal);
        let segments = start.segments.into_iter().map(|segment| (segment.id(), segment));
        let inner = Rc::new(JournalInner {
            files: start.files,
            read_buffers: start.read_buffers,
            stream: start.stream,
            segments: RefCell::new(segments.collect()),
            own_bytes: Cell::new(own_bytes),
            current: RefCell::new(current),
            free: RefCell::new(start.free),
            filling: RefCell::default(),
            turn: FifoLock::default(),
            changed: Event::default(),
            work: Event::default(),
            next_sequence: Cell::new(start.next_sequence.0),
            poisoned: Cell::new(false),
            live_bytes: Cell::new(0),
            waste_kept: Cell::new(0),
            waste_made: Cell::new(0),
            pass_end: Cell::new(pass_end),
            compacts: Cell::new(false),
            full: Cell::new(false),
            replenishing: Cell::new(false),
            closing: Cell::new(false),
            closed: Cell::new(false),
            stats: Cell::default(),
            make_space: start.make_space,
            random: start.random,
        });
        if inner.current.borrow().is_none() && inner.free.borrow().is_empty() {
            let file = inner.files.create().await?;
            inner.free.borrow_mut().push(file);
        }
        openlake_io::runtime::spawn(inner.clone().commit_forever()).detach();
        inner.replenish_soon();
        Ok(Self(inner))
    }

    /// The number that the next record gets.
    pub fn next_sequence(&self) -> Sequence {
        Sequence(self.0.next_sequence.get())
    }

    /// Whether a record of this purpose may be appended.
    pub fn admit(&self, purpose: Purpose) -> Result<(), StoreError> {
        match self.0.admission(purpose) {
            Admission::Never(error) => Err(error),
            Admission::Now | Admission::Later => Ok(()),
        }
    }

    /// Resolves when the record is on disk. A caller that goes away does not take it back.
    pub async fn append(&self, record: NewRecord<'_>) -> Result<Appended, StoreError> {
        let inner = &self.0;
        let bytes = record.bytes();
        assert!(bytes <= RECORD_BYTES_MAX, "a record of {bytes} bytes fits no batch");
        let turn = inner.turn_to_push(bytes, record.purpose).await?;
        inner.note_pushed(record.purpose);
        let (offset, sequence, done) = inner.push(&record);
        drop(turn);
        inner.work.notify();
        let (segment, start) = done.wait().await?;
        let offset = (start + offset as u64) as u32;
        Ok(Appended { sequence, location: Location { segment, offset, bytes: bytes as u32 } })
    }

    /// The payload of a record, checked; its segment is not used again meanwhile.
    pub async fn read(&self, at: Location, sequence: Sequence) -> Result<Buffer, StoreError> {
        let segment = self.0.segments.borrow().get(&at.segment).cloned();
        let segment = segment.expect("the index names only segments in use");
        let page = PAGE_BYTES as u64;
        let start = u64::from(at.offset) / page * page;
        let end = (u64::from(at.offset) + u64::from(at.bytes)).next_multiple_of(page);
        let len = (end - start) as usize;
        let buffers = &self.0.read_buffers;
        let buffer = if len <= SMALL_BYTES { buffers.small().await } else { buffers.large().await };
        let buffer = segment.file.file.read_at(buffer, len, start).await?.freeze();
        let skip = (u64::from(at.offset) - start) as usize;
        let damaged = |what: &dyn std::fmt::Display| StoreError::Corrupt {
            what: format!("record at {} of {}: {what}", at.offset, segment.file.path.display()),
        };
        let (header, payload) =
            RecordHeader::read(&buffer[skip..]).map_err(|error| damaged(&error))?;
        if (header.segment, header.sequence) != (at.segment, sequence) {
            return Err(damaged(&"it is another record"));
        }
        let end = skip + at.bytes as usize;
        Ok(buffer.view(end - payload.len()..end))
    }

    pub fn stats(&self) -> JournalStats {
        JournalStats {
            segments_in_use: self.0.segments.borrow().len() as u64,
            segments_free: self.0.free.borrow().len() as u64,
            poisoned: self.0.poisoned.get(),
            starved: self.0.is_starved(),
            ..self.0.stats.get()
        }
    }

    /// Resolves with the first `Some`; looks again whenever something changed here.
    pub async fn when<T>(&self, look: impl FnMut() -> Option<T>) -> T {
        self.0.changed.wait_for(look).await
    }

    pub async fn next_change(&self) {
        let mut waited = false;
        self.0.changed.wait_for(|| std::mem::replace(&mut waited, true).then_some(())).await;
    }

    pub fn is_closing(&self) -> bool {
        self.0.closing.get()
    }

    /// Nothing is acknowledged from here on.
    pub fn poison(&self) {
        self.0.poison();
    }

    /// Writes what was accepted and a seal, and refuses what comes later.
    pub async fn close(&self) {
        let inner = &self.0;
        inner.closing.set(true);
        inner.changed.notify();
        inner.work.notify();
        inner.changed.wait_for(|| inner.closed.get().then_some(())).await;
    }
}

impl<D: Disk> JournalInner<D> {
    /// Resolves when the filling batch has room for a record that may be appended.
    async fn turn_to_push(
        self: &Rc<Self>,
        bytes: usize,
        purpose: Purpose,
    ) -> Result<FifoGuard<'_>, StoreError> {
        let turn = self.turn.lock().await;
        loop {
            let room = || {
                let filling = self.filling.borrow();
                let room = filling.as_ref().is_none_or(|batch| batch.has_room(bytes));
                (room || self.poisoned.get()).then_some(())
            };
            self.changed.wait_for(room).await;
            if self.filling.borrow().is_none() {
                let buffer = self.files.buffers().large().await;
                *self.filling.borrow_mut() = Some(Batch::new(buffer));
            }
            match self.admission(purpose) {
                Admission::Now => return Ok(turn),
                Admission::Never(error) => return Err(error),
                Admission::Later => self.replenished().await,
            }
        }
    }

    /// Sequence and place in the batch are given together, so both orders are one.
    pub fn push(&self, record: &NewRecord<'_>) -> (usize, Sequence, Rc<BatchDone>) {
        let sequence = Sequence(self.next_sequence.get());
        self.next_sequence.set(sequence.0 + 1);
        let mut filling = self.filling.borrow_mut();
        let batch = filling.as_mut().expect("made before a record is pushed");
        let offset = batch.push(record, sequence, self.stream.epoch);
        (offset, sequence, batch.done.clone())
    }

    /// What a failed write left on disk is not known, so nothing after it may be acknowledged.
    pub fn poison(&self) -> StoreError {
        self.poisoned.set(true);
        self.changed.notify();
        StoreError::Poisoned
    }
}
