//! A server that does nothing: takes any request, drops its body, answers 200 with a fixed body.
//! What it reaches over loopback is the ceiling for a real server under the same client.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::net::{self, Epoll, Interest};

const LISTENER: u64 = u64::MAX;
const HEAD_BYTES_MAX: usize = 64 << 10;
/// Bodies are received through, and sent from, memory of this size.
const SLICE_BYTES: usize = 1 << 20;

pub struct NullServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

impl NullServer {
    /// Listens on a free loopback port. `body_bytes` is the answer to a GET without a range.
    pub fn start(threads: usize, body_bytes: u64) -> io::Result<Self> {
        let listener = Arc::new(TcpListener::bind(("127.0.0.1", 0))?);
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let start = |_| {
            let (listener, stop) = (Arc::clone(&listener), Arc::clone(&stop));
            std::thread::Builder::new()
                .name("null-server".to_owned())
                .spawn(move || Thread::new(listener, body_bytes)?.run(&stop))
        };
        let threads = (0..threads.max(1)).map(start).collect::<io::Result<_>>()?;
        Ok(Self { address, stop, threads })
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops within a tenth of a second and reports the first error of any thread.
    pub fn shutdown(mut self) -> io::Result<()> {
        self.join()
    }

    fn join(&mut self) -> io::Result<()> {
        self.stop.store(true, Relaxed);
        let results: Vec<io::Result<()>> = self
            .threads
            .drain(..)
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        results.into_iter().collect()
    }
}

impl Drop for NullServer {
    fn drop(&mut self) {
        // An error that nobody asked for by `shutdown` has nobody to go to.
        let _ = self.join();
    }
}

struct Thread {
    listener: Arc<TcpListener>,
    epoll: Epoll,
    connections: Vec<Option<Connection>>,
    scratch: Vec<u8>,
    body_bytes: u64,
}

struct Connection {
    socket: TcpStream,
    /// Request bytes that make no whole head yet.
    head: Vec<u8>,
    /// Body bytes of the request still to drop; its answer follows them.
    discard_bytes: u64,
    answer: Vec<u8>,
    answer_sent: usize,
    body_left: u64,
    answering: bool,
    waits_for: Interest,
}

impl Thread {
    fn new(listener: Arc<TcpListener>, body_bytes: u64) -> io::Result<Self> {
        let epoll = Epoll::new()?;
        epoll.add(&*listener, LISTENER, Interest::Readable)?;
        let scratch = vec![0; SLICE_BYTES];
        Ok(Self { listener, epoll, connections: Vec::new(), scratch, body_bytes })
    }

    fn run(mut self, stop: &AtomicBool) -> io::Result<()> {
        let mut ready = Vec::new();
        while !stop.load(Relaxed) {
            self.epoll.wait(Duration::from_millis(50), &mut ready)?;
            for number in ready.drain(..) {
                if number == LISTENER {
                    self.accept()?;
                } else {
                    self.serve(number as usize)?;
                }
            }
        }
        Ok(())
    }

    fn accept(&mut self) -> io::Result<()> {
        // One a turn, so that the threads share the connections.
        let socket = match self.listener.accept() {
            Ok((socket, _)) => socket,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        };
        socket.set_nodelay(true)?;
        let free = self.connections.iter().position(Option::is_none);
        let number = free.unwrap_or(self.connections.len());
        self.epoll.add(&socket, number as u64, Interest::Readable)?;
        let connection = Some(Connection::new(socket));
        if free.is_some() {
            self.connections[number] = connection;
        } else {
            self.connections.push(connection);
        }
        Ok(())
    }

    fn serve(&mut self, number: usize) -> io::Result<()> {
        let Some(connection) = &mut self.connections[number] else { return Ok(()) };
        // A connection that closes, breaks or sends nonsense is simply dropped.
        let Ok(Some(interest)) = connection.advance(&mut self.scratch, self.body_bytes) else {
            self.connections[number] = None;
            return Ok(());
        };
        if interest != connection.waits_for {
            connection.waits_for = interest;
            self.epoll.modify(&connection.socket, number as u64, interest)?;
        }
        Ok(())
    }
}

impl Connection {
    fn new(socket: TcpStream) -> Self {
        Self {
            socket,
            head: Vec::new(),
            discard_bytes: 0,
            answer: Vec::new(),
            answer_sent: 0,
            body_left: 0,
            answering: false,
            waits_for: Interest::Readable,
        }
    }

    /// Goes on until it must wait; `None` at the end of the stream.
    fn advance(&mut self, scratch: &mut [u8], body_bytes: u64) -> io::Result<Option<Interest>> {
        loop {
            if self.discard_bytes == 0 && self.answering {
                if !self.send(scratch)? {
                    return Ok(Some(Interest::Writable));
                }
                self.answering = false;
                if !self.head.is_empty() {
                    self.begin(body_bytes)?;
                    continue;
                }
            }
            let limit = if self.discard_bytes > 0 {
                scratch.len().min(self.discard_bytes as usize)
            } else {
                scratch.len().min(HEAD_BYTES_MAX)
            };
            match net::receive(&self.socket, &mut scratch[..limit])? {
                None => return Ok(Some(Interest::Readable)),
                Some(0) => return Ok(None),
                Some(received) if self.discard_bytes > 0 => self.discard_bytes -= received as u64,
                Some(received) => {
                    self.head.extend_from_slice(&scratch[..received]);
                    self.begin(body_bytes)?;
                }
            }
        }
    }

    /// Reads a whole head, if there is one, and prepares its answer.
    fn begin(&mut self, body_bytes: u64) -> io::Result<()> {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        let broken = |_| io::Error::from(io::ErrorKind::InvalidData);
        let httparse::Status::Complete(length) = request.parse(&self.head).map_err(broken)? else {
            let fits = self.head.len() <= HEAD_BYTES_MAX;
            return if fits { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) };
        };
        let header = |name: &str| {
            let found = request.headers.iter().find(|h| h.name.eq_ignore_ascii_case(name))?;
            std::str::from_utf8(found.value).ok()
        };
        let content_length = match header("content-length") {
            Some(text) => text.parse().map_err(|_| io::ErrorKind::InvalidData)?,
            None => 0,
        };
        let body_left = if request.method == Some("GET") {
            header("range").and_then(range_bytes).unwrap_or(body_bytes)
        } else {
            0
        };
        let with_body = (self.head.len() - length) as u64;
        let of_body = with_body.min(content_length);
        self.answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {body_left}\r\n\
             ETag: \"00000000000000000000000000000000\"\r\n\r\n"
        )
        .into_bytes();
        self.head.drain(..length + of_body as usize);
        self.discard_bytes = content_length - of_body;
        (self.answer_sent, self.body_left, self.answering) = (0, body_left, true);
        Ok(())
    }

    /// True once the whole answer is sent.
    fn send(&mut self, source: &[u8]) -> io::Result<bool> {
        loop {
            let head = &self.answer[self.answer_sent..];
            let body = &source[..source.len().min(self.body_left as usize)];
            if head.is_empty() && body.is_empty() {
                return Ok(true);
            }
            let Some(sent) = net::send(&self.socket, head, body)? else { return Ok(false) };
            let of_head = sent.min(head.len());
            self.answer_sent += of_head;
            self.body_left -= (sent - of_head) as u64;
        }
    }
}

/// The length of `bytes=first-last`.
fn range_bytes(header: &str) -> Option<u64> {
    let (first, last) = header.strip_prefix("bytes=")?.split_once('-')?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    last.checked_sub(first)?.checked_add(1)
}

impl std::fmt::Debug for NullServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NullServer({})", self.address)
    }
}
