//! One connection: sends a request, reads its answer, straight from and into the caller's memory.
//! Every wait ends with the deadline, at most a quarter of a second late.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use super::response::{Framing, HEAD_BYTES_MAX, ResponseHead};

/// What is sent or received by one system call.
pub const SLICE_BYTES: usize = 1 << 20;
/// Up to this size a body is copied behind its head, which saves a system call.
const JOIN_BYTES_MAX: usize = 16 << 10;
const READ_BYTES: usize = 16 << 10;
/// How far a socket's own timeout may lie beyond the deadline.
const SLACK: Duration = Duration::from_millis(250);
/// How far it may lie before it; then the wait is repeated.
const REARM: Duration = Duration::from_secs(2);

pub struct Connection {
    socket: TcpStream,
    /// Bytes received beyond what was asked for; `held[at..]` are unread.
    held: Vec<u8>,
    at: usize,
    /// The socket's timeouts as they are set; zero for none.
    armed_for: Duration,
    pub reused: bool,
}

/// What became of the request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    Whole,
    /// The server answered before it had everything, so the rest was not sent.
    Cut,
}

impl Connection {
    pub fn open(address: SocketAddr, deadline: Instant) -> io::Result<Self> {
        let socket = TcpStream::connect_timeout(&address, remaining(deadline)?)?;
        socket.set_nodelay(true)?;
        let held = Vec::with_capacity(READ_BYTES);
        Ok(Self { socket, held, at: 0, armed_for: Duration::ZERO, reused: false })
    }

    /// Nothing has arrived and the peer has not closed: an idle connection is still good.
    pub fn is_quiet(&self) -> bool {
        self.at == self.held.len() && matches!(self.peek(), Err(e) if would_block(&e))
    }

    pub fn send(&mut self, head: &[u8], body: &[u8], deadline: Instant) -> io::Result<Sent> {
        if body.len() <= JOIN_BYTES_MAX {
            return self.send_flagged(&[head, body].concat(), 0, deadline).map(|()| Sent::Whole);
        }
        self.send_flagged(head, libc::MSG_MORE, deadline)?;
        for slice in body.chunks(SLICE_BYTES) {
            if !matches!(self.peek(), Err(e) if would_block(&e)) {
                return Ok(Sent::Cut);
            }
            if let Err(error) = self.send_flagged(slice, 0, deadline) {
                // A server that refuses may close its side; its answer may still be here.
                return if self.peek().is_ok_and(|bytes| bytes > 0) {
                    Ok(Sent::Cut)
                } else {
                    Err(error)
                };
            }
        }
        Ok(Sent::Whole)
    }

    fn send_flagged(&mut self, mut data: &[u8], flags: i32, deadline: Instant) -> io::Result<()> {
        while !data.is_empty() {
            self.arm(deadline)?;
            let fd = self.socket.as_raw_fd();
            let flags = flags | libc::MSG_NOSIGNAL;
            // SAFETY: the descriptor is open and `data` is readable for its length.
            let sent = unsafe { libc::send(fd, data.as_ptr().cast(), data.len(), flags) };
            match usize::try_from(sent) {
                Ok(sent) => data = &data[sent..],
                Err(_) => may_go_on(io::Error::last_os_error(), deadline)?,
            }
        }
        Ok(())
    }

    pub fn receive_head(&mut self, of_head: bool, deadline: Instant) -> io::Result<ResponseHead> {
        loop {
            if let Some((head, length)) = ResponseHead::parse(&self.held[self.at..], of_head)? {
                self.at += length;
                if head.status >= 200 {
                    return Ok(head);
                }
                continue;
            }
            if self.held.len() - self.at > HEAD_BYTES_MAX {
                return Err(io::Error::new(ErrorKind::InvalidData, "the head is too long"));
            }
            if self.fill(deadline)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Fills `out` from the body; `each` sees every piece while it is in the cache.
    pub fn receive_exact(
        &mut self,
        out: &mut [u8],
        deadline: Instant,
        each: &mut dyn FnMut(&[u8]),
    ) -> io::Result<()> {
        let held = out.len().min(self.held.len() - self.at);
        out[..held].copy_from_slice(&self.held[self.at..self.at + held]);
        self.at += held;
        each(&out[..held]);
        for slice in out[held..].chunks_mut(SLICE_BYTES) {
            let mut have = 0;
            while have < slice.len() {
                let received = self.receive(&mut slice[have..], libc::MSG_WAITALL, deadline)?;
                if received == 0 {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                have += received;
            }
            each(slice);
        }
        Ok(())
    }

    /// Reads a whole body into memory, at most `bytes_max`.
    pub fn receive_body(
        &mut self,
        framing: Framing,
        bytes_max: u64,
        deadline: Instant,
    ) -> io::Result<Vec<u8>> {
        let too_long = || io::Error::new(ErrorKind::InvalidData, "the answer's body is too long");
        match framing {
            Framing::Length(length) => {
                if length > bytes_max {
                    return Err(too_long());
                }
                let mut body = vec![0; length as usize];
                self.receive_exact(&mut body, deadline, &mut |_| ())?;
                Ok(body)
            }
            Framing::Chunked => self.receive_chunks(bytes_max, deadline),
            Framing::UntilClose => {
                let mut body = self.held.split_off(self.at);
                while self.fill(deadline)? > 0 {
                    body.extend(self.held.drain(self.at..));
                    if body.len() as u64 > bytes_max {
                        return Err(too_long());
                    }
                }
                Ok(body)
            }
        }
    }

    fn receive_chunks(&mut self, bytes_max: u64, deadline: Instant) -> io::Result<Vec<u8>> {
        let broken = || io::Error::new(ErrorKind::InvalidData, "the chunked body is broken");
        let mut body = Vec::new();
        loop {
            let line = self.receive_line(deadline)?;
            let digits = line.split(';').next().unwrap_or("").trim();
            let length = u64::from_str_radix(digits, 16).map_err(|_| broken())?;
            if length > bytes_max.saturating_sub(body.len() as u64) {
                return Err(broken());
            }
            if length == 0 {
                while !self.receive_line(deadline)?.is_empty() {}
                return Ok(body);
            }
            let start = body.len();
            body.resize(start + length as usize, 0);
            self.receive_exact(&mut body[start..], deadline, &mut |_| ())?;
            if !self.receive_line(deadline)?.is_empty() {
                return Err(broken());
            }
        }
    }

    fn receive_line(&mut self, deadline: Instant) -> io::Result<String> {
        loop {
            let unread = &self.held[self.at..];
            if let Some(end) = unread.windows(2).position(|pair| pair == b"\r\n") {
                let line = String::from_utf8_lossy(&unread[..end]).into_owned();
                self.at += end + 2;
                return Ok(line);
            }
            if unread.len() > HEAD_BYTES_MAX || self.fill(deadline)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Receives some bytes behind those held; 0 at the end of the stream.
    fn fill(&mut self, deadline: Instant) -> io::Result<usize> {
        self.held.drain(..self.at);
        self.at = 0;
        let start = self.held.len();
        self.held.resize(start + READ_BYTES, 0);
        let mut held = std::mem::take(&mut self.held);
        let received = self.receive(&mut held[start..], 0, deadline);
        held.truncate(start + *received.as_ref().unwrap_or(&0));
        self.held = held;
        received
    }

    fn receive(&mut self, out: &mut [u8], flags: i32, deadline: Instant) -> io::Result<usize> {
        loop {
            self.arm(deadline)?;
            let fd = self.socket.as_raw_fd();
            // SAFETY: the descriptor is open and `out` is writable for its length.
            let received = unsafe { libc::recv(fd, out.as_mut_ptr().cast(), out.len(), flags) };
            match usize::try_from(received) {
                Ok(received) => return Ok(received),
                Err(_) => may_go_on(io::Error::last_os_error(), deadline)?,
            }
        }
    }

    fn peek(&self) -> io::Result<usize> {
        let mut byte = [0u8; 1];
        let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
        let fd = self.socket.as_raw_fd();
        // SAFETY: the descriptor is open and `byte` is writable for its length.
        let received = unsafe { libc::recv(fd, byte.as_mut_ptr().cast(), 1, flags) };
        usize::try_from(received).map_err(|_| io::Error::last_os_error())
    }

    /// Makes the socket's waits end with the deadline. The kernel's timers are set anew only when
    /// they have drifted from it, so that a body costs no extra system calls.
    fn arm(&mut self, deadline: Instant) -> io::Result<()> {
        let left = remaining(deadline)?;
        let unset = self.armed_for.is_zero();
        if unset || self.armed_for > left + SLACK || self.armed_for + REARM < left {
            self.socket.set_read_timeout(Some(left))?;
            self.socket.set_write_timeout(Some(left))?;
            self.armed_for = left;
        }
        Ok(())
    }
}

fn remaining(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

fn would_block(error: &io::Error) -> bool {
    error.kind() == ErrorKind::WouldBlock
}

/// Interrupted, or a timer that ran out before the deadline: the call is to be repeated.
fn may_go_on(error: io::Error, deadline: Instant) -> io::Result<()> {
    match error.kind() {
        ErrorKind::Interrupted => Ok(()),
        ErrorKind::WouldBlock => remaining(deadline).map(drop),
        _ => Err(error),
    }
}
