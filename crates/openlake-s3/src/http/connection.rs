//! One connection: its socket, the head buffer with what was received beyond a head, and its watch.
//! Bytes of bodies go from the socket straight into the caller's buffers; only what came along with
//! a head is copied.

use std::io;
use std::os::fd::AsRawFd;
use std::rc::Rc;

use openlake_io::net::{TcpStream, receive, send_all, send_all_vectored};
use openlake_io::{Buffer, BufferMut};

use super::head_parser::{BodyFraming, HEAD_BYTES_MAX, ParsedHead, parse_head};
use crate::error::{S3Error, S3ErrorCode};
use crate::timeouts::{Phase, Reaper, Watch};

/// What an idle connection keeps; heads of most clients fit.
const HEAD_BYTES_IDLE: usize = 2 << 10;
/// What it keeps when its last request came with a small body, so that one receive takes the next
/// head and body together.
const REQUEST_BYTES_IDLE: usize = 8 << 10;

pub struct Connection {
    /// Leaves the reaper before the socket below is closed.
    pub watch: Watch,
    stream: TcpStream,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Size of `buffer` between requests.
    idle_bytes: usize,
}

/// Why there is no next head.
pub enum NoHead {
    /// The client, the reaper or a shutdown ended the connection between requests.
    Closed,
    Refused(S3Error),
}

impl Connection {
    pub fn new(stream: TcpStream, reaper: &Rc<Reaper>) -> Self {
        // A request is answered by one send; waiting for more to say would only delay it.
        let _ = stream.set_nodelay(true);
        let watch = reaper.watch(stream.as_raw_fd());
        let (buffer, idle_bytes) = (vec![0; HEAD_BYTES_IDLE], HEAD_BYTES_IDLE);
        Self { watch, stream, buffer, start: 0, end: 0, idle_bytes }
    }

    pub async fn next_head(&mut self) -> Result<ParsedHead, NoHead> {
        self.become_idle();
        self.watch.enter(if self.start < self.end { Phase::Head } else { Phase::Idle });
        loop {
            if self.start < self.end {
                let parsed = parse_head(self.received()).map_err(NoHead::Refused)?;
                if let Some(head) = parsed {
                    self.start += head.consumed;
                    self.idle_bytes = idle_bytes(&head);
                    self.watch.enter(Phase::Work);
                    return Ok(head);
                }
                self.make_room().map_err(NoHead::Refused)?;
            }
            match self.receive_some().await {
                Ok(0) if self.start < self.end && self.watch.timed_out() => {
                    return Err(NoHead::Refused(S3ErrorCode::RequestTimeout.into()));
                }
                Ok(0) | Err(_) => return Err(NoHead::Closed),
                Ok(_) => self.watch.enter(Phase::Head),
            }
        }
    }

    /// Gives back what a long head or body took.
    fn become_idle(&mut self) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            if self.buffer.len() != self.idle_bytes {
                self.buffer = vec![0; self.idle_bytes];
            }
        }
    }

    fn make_room(&mut self) -> Result<(), S3Error> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == HEAD_BYTES_MAX {
            return Err(S3ErrorCode::RequestHeaderSectionTooLarge.into());
        }
        if self.end == self.buffer.len() {
            self.buffer.resize((2 * self.end).min(HEAD_BYTES_MAX), 0);
        }
        Ok(())
    }

    /// Received and not yet used.
    pub fn received(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    pub fn use_up(&mut self, count: usize) {
        assert!(count <= self.end - self.start, "only what was received can be used up");
        self.start += count;
    }

    /// Receives what is there behind what was received; 0: the end, or no room.
    pub async fn receive_some(&mut self) -> io::Result<usize> {
        use openlake_io::net::{IntoInner as _, IoBuf as _};
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        let buffer = std::mem::take(&mut self.buffer);
        let result = receive(&self.stream, buffer.slice(self.end..), false).await;
        self.buffer = result.1.into_inner();
        let count = result.0?;
        self.end += count;
        Ok(count)
    }

    /// Appends exactly `count` bytes to `buffer`: what was received first, then from the socket.
    pub async fn receive_exact(
        &mut self,
        mut buffer: BufferMut,
        count: usize,
    ) -> io::Result<BufferMut> {
        use openlake_io::net::{IntoInner as _, IoBuf as _};
        let end = buffer.len() + count;
        assert!(end <= buffer.capacity(), "the buffer has room for {count} bytes more");
        let have = (self.end - self.start).min(count);
        buffer.append(&self.buffer[self.start..self.start + have]);
        self.start += have;
        while buffer.len() < end {
            let filled = buffer.len();
            let result = receive(&self.stream, buffer.slice(filled..end), true).await;
            buffer = result.1.into_inner();
            match result.0? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => buffer.set_filled(filled + count),
            }
        }
        Ok(buffer)
    }

    pub async fn send(&self, bytes: Vec<u8>) -> io::Result<()> {
        self.watch.enter(Phase::Answer);
        send_all(&self.stream, bytes).await.map(drop)
    }

    pub async fn send_buffer(&self, buffer: Buffer) -> io::Result<()> {
        self.watch.enter(Phase::Answer);
        send_all(&self.stream, buffer).await.map(drop)
    }

    /// A head and the bytes after it, as one.
    pub async fn send_both(&self, head: Vec<u8>, body: Buffer) -> io::Result<()> {
        self.watch.enter(Phase::Answer);
        let head = Buffer::from(bytes::Bytes::from(head));
        send_all_vectored(&self.stream, [head, body]).await.map(drop)
    }

    /// After a last answer with bytes of the request still under way: closing at once would reset
    /// the connection and take the answer from the client, so they are read and dropped first,
    /// up to `bytes_max` and the reaper's limit.
    pub async fn linger(mut self, bytes_max: usize) {
        self.watch.enter(Phase::Linger);
        // SAFETY: the socket is open as long as the stream lives.
        unsafe { libc::shutdown(self.stream.as_raw_fd(), libc::SHUT_WR) };
        let mut dropped = 0;
        self.buffer.resize(HEAD_BYTES_MAX, 0);
        while dropped < bytes_max {
            (self.start, self.end) = (0, 0);
            match self.receive_some().await {
                Ok(0) | Err(_) => return,
                Ok(count) => dropped += count,
            }
        }
    }
}

/// The next request is likely to be like this one.
fn idle_bytes(head: &ParsedHead) -> usize {
    let body_bytes = match head.framing {
        BodyFraming::Length(length) => length,
        BodyFraming::Chunked => 0,
    };
    let is_small = body_bytes > 0 && head.consumed as u64 + body_bytes <= REQUEST_BYTES_IDLE as u64;
    if is_small { REQUEST_BYTES_IDLE } else { HEAD_BYTES_IDLE }
}
