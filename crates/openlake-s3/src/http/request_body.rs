//! The body of a request on its connection: says `100 Continue` when the first byte is wanted, takes
//! off the framing of HTTP, and knows what is still to come.

use std::io;

use openlake_io::BufferMut;

use super::connection::Connection;
use super::head_parser::BodyFraming;
use crate::error::{S3Error, S3ErrorCode};
use crate::timeouts::Phase;

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
/// A size line of the chunked coding, with extensions.
const CHUNK_LINE_BYTES_MAX: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Length,
    /// A size line comes next.
    ChunkSize,
    /// Inside a chunk, or at the line end after it.
    Chunk,
    /// The trailer section, or beyond it.
    Ended,
}

pub struct RequestBody<'a> {
    connection: &'a mut Connection,
    coding: Coding,
    /// Bytes that come before any more framing.
    run_bytes: u64,
    awaits_continue: bool,
    is_broken: bool,
}

impl<'a> RequestBody<'a> {
    pub fn new(connection: &'a mut Connection, framing: BodyFraming, expects: bool) -> Self {
        let (coding, run_bytes) = match framing {
            BodyFraming::Length(length) => (Coding::Length, length),
            BodyFraming::Chunked => (Coding::ChunkSize, 0),
        };
        let awaits_continue = expects && !(coding == Coding::Length && run_bytes == 0);
        Self { connection, coding, run_bytes, awaits_continue, is_broken: false }
    }

    /// Lets the client send. To be called when the request is accepted.
    pub async fn begin(&mut self) -> Result<(), S3Error> {
        if std::mem::take(&mut self.awaits_continue) && self.connection.received().is_empty() {
            let sent = self.connection.send(CONTINUE.to_vec()).await;
            self.check(sent)?;
        }
        // The client is not waited for before there is a buffer for what it sends.
        self.connection.watch.enter(Phase::Work);
        Ok(())
    }

    /// Appends exactly `count` bytes of the body to `buffer`.
    pub async fn receive_exact(
        &mut self,
        mut buffer: BufferMut,
        mut count: usize,
    ) -> Result<BufferMut, S3Error> {
        self.connection.watch.enter(Phase::Body);
        while count > 0 {
            let run = self.run().await?;
            if run == 0 {
                return Err(self.cut_short());
            }
            let take = usize::try_from(run).map_or(count, |run| run.min(count));
            let received = self.connection.receive_exact(buffer, take).await;
            buffer = self.check(received)?;
            self.run_bytes -= take as u64;
            count -= take;
        }
        self.connection.watch.enter(Phase::Work);
        Ok(buffer)
    }

    /// At least one byte of the body in the connection's own buffer; empty at its end.
    pub async fn some(&mut self) -> Result<&[u8], S3Error> {
        self.connection.watch.enter(Phase::Body);
        let run = self.run().await?;
        if run > 0 && self.connection.received().is_empty() {
            self.receive_more().await?;
        }
        let received = self.connection.received();
        Ok(&received[..usize::try_from(run).map_or(received.len(), |run| run.min(received.len()))])
    }

    /// Takes from what `some` gave.
    pub fn use_up(&mut self, count: usize) {
        self.connection.use_up(count);
        self.run_bytes -= count as u64;
    }

    /// Reads and drops what is left, up to a bound. Whether the connection can go on.
    pub async fn drain(mut self, bytes_max: u64) -> bool {
        if self.is_broken || self.awaits_continue || self.run_bytes > bytes_max {
            return false;
        }
        let mut dropped = 0;
        loop {
            match self.some().await.map(<[u8]>::len) {
                Ok(0) => return true,
                Ok(count) => {
                    self.use_up(count);
                    dropped += count as u64;
                }
                Err(_) => return false,
            }
            if dropped > bytes_max {
                return false;
            }
        }
    }

    /// Whether an answer that is sent now can leave the connection usable.
    pub fn can_drain(&self, bytes_max: u64) -> bool {
        !self.is_broken && !self.awaits_continue && self.run_bytes <= bytes_max
    }

    /// The connection, for the answer.
    pub fn connection(&self) -> &Connection {
        self.connection
    }

    async fn run(&mut self) -> Result<u64, S3Error> {
        while self.run_bytes == 0 {
            match self.coding {
                Coding::Length | Coding::Ended => return Ok(0),
                Coding::Chunk => {
                    let end = self.line().await?;
                    if !end.is_empty() {
                        return Err(self.malformed());
                    }
                    self.coding = Coding::ChunkSize;
                }
                Coding::ChunkSize => {
                    let line = self.line().await?;
                    self.run_bytes = parse_size(&line).ok_or_else(|| self.malformed())?;
                    self.coding = Coding::Chunk;
                    if self.run_bytes == 0 {
                        self.end_trailers().await?;
                    }
                }
            }
        }
        Ok(self.run_bytes)
    }

    /// S3's trailers travel inside aws-chunked; those of HTTP itself mean nothing here.
    async fn end_trailers(&mut self) -> Result<(), S3Error> {
        for _ in 0..16 {
            if self.line().await?.is_empty() {
                self.coding = Coding::Ended;
                return Ok(());
            }
        }
        Err(self.malformed())
    }

    /// One line of framing without its end.
    async fn line(&mut self) -> Result<Vec<u8>, S3Error> {
        let mut line = Vec::new();
        loop {
            if self.connection.received().is_empty() {
                self.receive_more().await?;
            }
            let byte = self.connection.received()[0];
            self.connection.use_up(1);
            line.push(byte);
            if line.ends_with(b"\r\n") {
                line.truncate(line.len() - 2);
                return Ok(line);
            }
            if line.len() > CHUNK_LINE_BYTES_MAX {
                return Err(self.malformed());
            }
        }
    }

    async fn receive_more(&mut self) -> Result<(), S3Error> {
        let received = self.connection.receive_some().await;
        match self.check(received)? {
            0 => Err(self.cut_short()),
            _ => Ok(()),
        }
    }

    fn check<T>(&mut self, result: io::Result<T>) -> Result<T, S3Error> {
        result.map_err(|_| self.cut_short())
    }

    /// The client went away in the middle, or was too slow.
    fn cut_short(&mut self) -> S3Error {
        self.is_broken = true;
        if self.connection.watch.timed_out() {
            S3ErrorCode::RequestTimeout.into()
        } else {
            S3ErrorCode::IncompleteBody.into()
        }
    }

    fn malformed(&mut self) -> S3Error {
        self.is_broken = true;
        S3Error::with_message(S3ErrorCode::IncompleteBody, "The chunked coding is malformed")
    }
}

fn parse_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|&byte| byte == b';').next()?.trim_ascii();
    let is_number = (1..=16).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    u64::from_str_radix(text, 16).ok()
}
