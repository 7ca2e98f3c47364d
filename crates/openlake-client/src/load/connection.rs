//! One connection of the generator: a request on its way out, or its answer on its way in.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::body::Body;
use crate::net::{self, Interest};

/// A head longer than this is not an answer of S3.
const HEAD_BYTES_MAX: usize = 16 << 10;

pub struct LoadConnection {
    pub socket: TcpStream,
    pub head: Vec<u8>,
    sent_bytes: u64,
    /// From when its latency counts.
    pub since: Instant,
    /// The start of an answer that did not come in one piece.
    partial: Vec<u8>,
    answer: Option<Answer>,
    /// Body bytes still to come.
    left_bytes: u64,
    pub busy: bool,
    pub waits_for: Interest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body_bytes: u64,
    pub close: bool,
}

/// How far a connection came without waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Waiting,
    Done(Answer),
}

impl LoadConnection {
    pub fn open(addresses: &[SocketAddr]) -> io::Result<Self> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in addresses {
            match TcpStream::connect_timeout(address, Duration::from_secs(5)) {
                Ok(socket) => {
                    socket.set_nodelay(true)?;
                    return Ok(Self::new(socket));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn new(socket: TcpStream) -> Self {
        Self {
            socket,
            head: Vec::with_capacity(1024),
            sent_bytes: 0,
            since: Instant::now(),
            partial: Vec::new(),
            answer: None,
            left_bytes: 0,
            busy: false,
            waits_for: Interest::Readable,
        }
    }

    /// Begins the request whose head was written to `head`.
    pub fn begin(&mut self, since: Instant) {
        self.since = since;
        self.sent_bytes = 0;
        self.answer = None;
        self.busy = true;
    }

    /// Sends what the socket takes; true once all is sent.
    pub fn send(&mut self, body: &Body) -> io::Result<bool> {
        let head_bytes = self.head.len() as u64;
        while self.sent_bytes < head_bytes + body.len() {
            let head = &self.head[self.sent_bytes.min(head_bytes) as usize..];
            let body = body.from(self.sent_bytes.saturating_sub(head_bytes));
            match net::send(&self.socket, head, body)? {
                Some(sent) => self.sent_bytes += sent as u64,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Receives what is there, through `scratch`.
    pub fn receive(&mut self, scratch: &mut [u8], of_head: bool) -> io::Result<Progress> {
        loop {
            let received = if self.answer.is_some() && self.left_bytes > scratch.len() as u64 {
                net::discard(&self.socket, self.left_bytes)?
            } else {
                net::receive(&self.socket, scratch)?
            };
            let Some(received) = received else { return Ok(Progress::Waiting) };
            if received == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let body_bytes = if self.answer.is_some() {
                received as u64
            } else {
                match self.read_head(&scratch[..received], of_head)? {
                    Some(body_bytes) => body_bytes,
                    None => continue,
                }
            };
            self.left_bytes = self.left_bytes.checked_sub(body_bytes).ok_or_else(beyond)?;
            if let (0, Some(answer)) = (self.left_bytes, self.answer) {
                self.busy = false;
                return Ok(Progress::Done(answer));
            }
        }
    }

    /// Takes in a piece of the head; once it is whole, how many bytes of body came with it.
    fn read_head(&mut self, piece: &[u8], of_head: bool) -> io::Result<Option<u64>> {
        let parsed = if self.partial.is_empty() {
            parse(piece, of_head)?
        } else {
            self.partial.extend_from_slice(piece);
            parse(&self.partial, of_head)?
        };
        let Some((answer, head_bytes)) = parsed else {
            if self.partial.is_empty() {
                self.partial.extend_from_slice(piece);
            }
            let fits = self.partial.len() <= HEAD_BYTES_MAX;
            return if fits { Ok(None) } else { Err(io::ErrorKind::InvalidData.into()) };
        };
        let have = if self.partial.is_empty() { piece.len() } else { self.partial.len() };
        self.partial.clear();
        self.answer = Some(answer);
        self.left_bytes = answer.body_bytes;
        Ok(Some((have - head_bytes) as u64))
    }
}

fn beyond() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "bytes beyond the answer")
}

/// Status and length of an answer, and the length of its head.
fn parse(bytes: &[u8], of_head: bool) -> io::Result<Option<(Answer, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut headers);
    let broken = |_| io::Error::from(io::ErrorKind::InvalidData);
    let httparse::Status::Complete(length) = response.parse(bytes).map_err(broken)? else {
        return Ok(None);
    };
    let mut answer = Answer { status: response.code.unwrap_or(0), body_bytes: 0, close: false };
    for header in &*response.headers {
        if header.name.eq_ignore_ascii_case("content-length") {
            let digits = std::str::from_utf8(header.value).ok().and_then(|text| text.parse().ok());
            answer.body_bytes = digits.ok_or(io::ErrorKind::InvalidData)?;
        } else if header.name.eq_ignore_ascii_case("connection") {
            answer.close = header.value.eq_ignore_ascii_case(b"close");
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            let message = "the load generator reads only answers with Content-Length";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
    }
    if of_head || answer.status == 204 || answer.status == 304 {
        answer.body_bytes = 0;
    }
    Ok(Some((answer, length)))
}
