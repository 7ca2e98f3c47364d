//! Time limits of connections without a timer a request: one task a shard looks once a second at
//! what each connection waits for, and ends the waits that took too long by shutting the socket's
//! read side (or, where the client does not read, both sides). The pending operation then ends by
//! itself, so no operation in flight is ever dropped.
//!
//! A body or an answer is a transfer: the time that the client is waited for is cut into windows,
//! and in each of them enough has to move.

use std::cell::{Cell, RefCell};
use std::os::fd::RawFd;
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From the first byte of a head to its last.
    pub head: Duration,
    /// Between requests.
    pub idle: Duration,
    /// The window in which `STALL_BYTES_MIN` of a body or an answer, or what is left of it, move.
    pub stall: Duration,
    /// How long a request waits for memory: to receive its body into, or for the next bytes of an
    /// object that it reads.
    pub buffer: Duration,
    /// How long bytes are read and dropped before a connection is closed with an error.
    pub linger: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(30),
            idle: Duration::from_mins(2),
            stall: Duration::from_secs(30),
            buffer: Duration::from_secs(10),
            linger: Duration::from_secs(5),
        }
    }
}

/// A client that moves less in a window holds its buffers for too long. It is 1 KiB/s with the
/// server's default window of a minute.
pub const STALL_BYTES_MIN: u64 = 64 << 10;

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Idle,
    Head,
    Body,
    /// The server works; its own limits apply.
    Work,
    Answer,
    Linger,
}

/// One connection, as the reaper sees it.
pub struct Watched {
    descriptor: RawFd,
    phase: Cell<Phase>,
    /// When the wait, or the window of the transfer, began.
    since: Cell<Instant>,
    /// The phase that `since` is about; work in between does not end a transfer.
    timed: Cell<Phase>,
    /// When the server's own work in the middle of a transfer began.
    paused: Cell<Instant>,
    /// What had moved when the window began; none until the first look at the transfer.
    window_start_bytes: Cell<Option<u64>>,
    timed_out: Cell<bool>,
}

impl Watched {
    /// Begins a wait; its time counts from now, unless it goes on with one.
    pub fn enter(&self, phase: Phase) {
        let before = self.phase.replace(phase);
        if phase == Phase::Work {
            if before != Phase::Work {
                self.paused.set(Instant::now());
            }
        } else if self.timed.replace(phase) != phase || phase == Phase::Idle {
            self.since.set(Instant::now());
            self.window_start_bytes.set(None);
        } else if before == Phase::Work {
            self.since.set(self.since.get() + self.paused.get().elapsed());
        }
    }

    pub fn timed_out(&self) -> bool {
        self.timed_out.get()
    }

    fn check(&self, limits: &Timeouts, now: Instant) {
        let waited = now.saturating_duration_since(self.since.get());
        let (limit, both_sides) = match self.phase.get() {
            Phase::Idle => (limits.idle, false),
            Phase::Head => (limits.head, false),
            Phase::Linger => (limits.linger, true),
            Phase::Work => return,
            Phase::Body | Phase::Answer if self.has_moved_enough(now) => return,
            Phase::Body => (limits.stall, false),
            Phase::Answer => (limits.stall, true),
        };
        if waited >= limit {
            self.timed_out.set(true);
            self.shut(both_sides);
        }
    }

    /// One operation may move a MiB, so the kernel is asked what moved meanwhile. If it is enough,
    /// the next window begins.
    fn has_moved_enough(&self, now: Instant) -> bool {
        let moved_bytes = self.moved_bytes();
        let start_bytes = self.window_start_bytes.get();
        let is_enough =
            start_bytes.is_none_or(|start| moved_bytes.wrapping_sub(start) >= STALL_BYTES_MIN);
        if is_enough {
            self.window_start_bytes.set(Some(moved_bytes));
            self.since.set(now);
        }
        is_enough
    }

    /// Bytes received of bodies, or bytes of answers that the peer acknowledged.
    fn moved_bytes(&self) -> u64 {
        let (received, acknowledged) = moved_bytes(self.descriptor);
        if self.phase.get() == Phase::Body { received } else { acknowledged }
    }

    fn shut(&self, both_sides: bool) {
        let how = if both_sides { libc::SHUT_RDWR } else { libc::SHUT_RD };
        // SAFETY: the descriptor is open: a connection leaves the reaper before it is closed.
        unsafe { libc::shutdown(self.descriptor, how) };
    }
}

/// Bytes received, and bytes that the peer acknowledged.
fn moved_bytes(descriptor: RawFd) -> (u64, u64) {
    // SAFETY: `tcp_info` is plain numbers, for which all zeros is a value.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    let into = (&raw mut info).cast();
    // SAFETY: the kernel writes at most `length` bytes into `info`, which has that size.
    let result = unsafe {
        libc::getsockopt(descriptor, libc::IPPROTO_TCP, libc::TCP_INFO, into, &raw mut length)
    };
    if result == 0 { (info.tcpi_bytes_received, info.tcpi_bytes_acked) } else { (0, 0) }
}

/// All connections of a shard.
pub struct Reaper {
    limits: Timeouts,
    connections: RefCell<Vec<Weak<Watched>>>,
    count: Cell<usize>,
}

/// Keeps a connection under watch; to be dropped before the socket.
pub struct Watch {
    watched: Rc<Watched>,
    reaper: Rc<Reaper>,
}

impl std::ops::Deref for Watch {
    type Target = Watched;

    fn deref(&self) -> &Watched {
        &self.watched
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.reaper.count.set(self.reaper.count.get() - 1);
    }
}

impl Reaper {
    pub fn new(limits: Timeouts) -> Rc<Self> {
        Rc::new(Self { limits, connections: RefCell::default(), count: Cell::new(0) })
    }

    pub fn watch(self: &Rc<Self>, descriptor: RawFd) -> Watch {
        let now = Instant::now();
        let watched = Rc::new(Watched {
            descriptor,
            phase: Cell::new(Phase::Idle),
            since: Cell::new(now),
            timed: Cell::new(Phase::Idle),
            paused: Cell::new(now),
            window_start_bytes: Cell::new(None),
            timed_out: Cell::new(false),
        });
        let mut connections = self.connections.borrow_mut();
        // Places of connections that have gone are used again before the list grows.
        if connections.len() == connections.capacity() {
            connections.retain(|connection| connection.strong_count() > 0);
        }
        connections.push(Rc::downgrade(&watched));
        self.count.set(self.count.get() + 1);
        Watch { watched, reaper: self.clone() }
    }

    pub fn connections(&self) -> usize {
        self.count.get()
    }

    /// Looks at all connections once.
    pub fn scan(&self) {
        let now = Instant::now();
        self.each(|connection| connection.check(&self.limits, now));
    }

    /// Ends the wait of those that have no request in flight.
    pub fn close_idle(&self) {
        self.each(|connection| {
            if connection.phase.get() == Phase::Idle {
                connection.shut(false);
            }
        });
    }

    /// Ends everything.
    pub fn close_all(&self) {
        self.each(|connection| connection.shut(true));
    }

    fn each(&self, visit: impl Fn(&Watched)) {
        self.connections.borrow_mut().retain(|connection| {
            connection.upgrade().inspect(|connection| visit(connection)).is_some()
        });
    }

    /// The shard's reaper task.
    pub async fn run(self: Rc<Self>) {
        loop {
            openlake_io::runtime::sleep(Duration::from_secs(1)).await;
            self.scan();
        }
    }
}

#[cfg(test)]
mod tests;
