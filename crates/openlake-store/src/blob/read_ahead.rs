//! Pieces of a body in order, with several reads on their way at once; pieces that are in memory
//! already pass through. May run over many blobs, as a multipart object does.

use std::collections::VecDeque;
use std::ops::Range;

use openlake_io::{Buffer, Disk};

use super::error::BlobError;
use super::flight::Flight;
use super::reader::BlobReader;

/// Reads of 1 MiB on their way at once for one body.
pub const READ_DEPTH: usize = 4;

/// The next part of a body.
pub enum Piece<D: Disk> {
    /// Its bytes are in memory.
    Ready(Buffer),
    /// Its bytes are in a blob; a range that `BlobReader::read` takes.
    Read(BlobReader<D>, Range<u64>),
}

enum Pending {
    Ready(Buffer),
    Read(Flight<Result<Buffer, BlobError>>),
}

#[derive(Default)]
pub struct ReadAhead {
    pending: VecDeque<Pending>,
}

impl ReadAhead {
    pub fn new() -> Self {
        Self::default()
    }

    /// The next piece in order; `more` names the pieces to come, one a call, until `None`.
    pub async fn next<D: Disk>(
        &mut self,
        mut more: impl FnMut() -> Option<Piece<D>>,
    ) -> Result<Option<Buffer>, BlobError> {
        while self.pending.len() < READ_DEPTH {
            match more() {
                Some(piece) => self.push(piece),
                None => break,
            }
        }
        match self.pending.pop_front() {
            None => Ok(None),
            Some(Pending::Ready(buffer)) => Ok(Some(buffer)),
            Some(Pending::Read(flight)) => flight.await.map(Some),
        }
    }

    fn push<D: Disk>(&mut self, piece: Piece<D>) {
        self.pending.push_back(match piece {
            Piece::Ready(buffer) => Pending::Ready(buffer),
            Piece::Read(reader, range) => {
                Pending::Read(Flight::start(async move { reader.read(range).await }))
            }
        });
    }
}
