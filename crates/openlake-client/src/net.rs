//! Non-blocking sockets and epoll, as thin as they can be: what the load generator and the null
//! server stand on.

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// Waits for many sockets at once; each has a number of the caller's.
pub struct Epoll {
    fd: OwnedFd,
    events: Vec<libc::epoll_event>,
}

/// What a socket is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    Readable,
    Writable,
}

impl Interest {
    const fn bits(self) -> u32 {
        match self {
            Self::Readable => libc::EPOLLIN.cast_unsigned(),
            Self::Writable => libc::EPOLLOUT.cast_unsigned(),
        }
    }
}

impl Epoll {
    pub fn new() -> io::Result<Self> {
        // SAFETY: takes no pointers.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and belongs to nobody else.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Self { fd, events: vec![libc::epoll_event { events: 0, u64: 0 }; 512] })
    }

    pub fn add(&self, socket: &impl AsRawFd, number: u64, interest: Interest) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_ADD, socket, number, interest)
    }

    pub fn modify(&self, socket: &impl AsRawFd, number: u64, interest: Interest) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_MOD, socket, number, interest)
    }

    fn control(
        &self,
        operation: i32,
        socket: &impl AsRawFd,
        number: u64,
        interest: Interest,
    ) -> io::Result<()> {
        let mut event = libc::epoll_event { events: interest.bits(), u64: number };
        let fd = socket.as_raw_fd();
        // SAFETY: both descriptors are open and `event` lives across the call.
        let result = unsafe { libc::epoll_ctl(self.fd.as_raw_fd(), operation, fd, &raw mut event) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Appends the numbers of the sockets that are ready to `ready`; waits at most `timeout`, which
    /// has the resolution of the kernel's timers.
    pub fn wait(&mut self, timeout: Duration, ready: &mut Vec<u64>) -> io::Result<()> {
        let timeout = libc::timespec {
            tv_sec: timeout.as_secs().min(3600).cast_signed(),
            tv_nsec: timeout.subsec_nanos().into(),
        };
        // SAFETY: `events` holds as many entries as are offered, `timeout` lives across the call,
        // and no signal mask is given.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.fd.as_raw_fd(),
                self.events.as_mut_ptr(),
                self.events.len(),
                &raw const timeout,
                std::ptr::null::<libc::sigset_t>(),
                0usize,
            )
        };
        let Ok(count) = usize::try_from(count) else {
            let error = io::Error::last_os_error();
            return if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) };
        };
        ready.extend(self.events[..count].iter().map(|event| event.u64));
        Ok(())
    }
}

/// `None`: not now.
fn not_now(result: isize) -> io::Result<Option<usize>> {
    if let Ok(count) = usize::try_from(result) {
        return Ok(Some(count));
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
        _ => Err(error),
    }
}

/// Sends from both slices in a row without waiting.
pub fn send(socket: &TcpStream, first: &[u8], second: &[u8]) -> io::Result<Option<usize>> {
    let entry = |slice: &[u8]| libc::iovec {
        iov_base: slice.as_ptr().cast_mut().cast(),
        iov_len: slice.len(),
    };
    let mut parts = [entry(first), entry(second)];
    // SAFETY: all zeros is a valid empty message.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = parts.as_mut_ptr();
    message.msg_iovlen = parts.len();
    let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: the descriptor is open; the message names two slices that live across the call.
    not_now(unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, flags) })
}

/// Receives what is there; 0 at the end of the stream.
pub fn receive(socket: &TcpStream, out: &mut [u8]) -> io::Result<Option<usize>> {
    let (fd, flags) = (socket.as_raw_fd(), libc::MSG_DONTWAIT);
    // SAFETY: the descriptor is open and `out` is writable for its length.
    not_now(unsafe { libc::recv(fd, out.as_mut_ptr().cast(), out.len(), flags) })
}

/// Drops up to `bytes` from the stream without copying them (tcp(7), `MSG_TRUNC`).
pub fn discard(socket: &TcpStream, bytes: u64) -> io::Result<Option<usize>> {
    let (fd, flags) = (socket.as_raw_fd(), libc::MSG_DONTWAIT | libc::MSG_TRUNC);
    let length = bytes.min(4 << 20) as usize;
    // SAFETY: the descriptor is open; with MSG_TRUNC, TCP does not touch the buffer.
    not_now(unsafe { libc::recv(fd, std::ptr::null_mut(), length, flags) })
}

/// Lets the calling thread never interrupt another one that runs: a server that shares the cores
/// finishes the requests it has before its client takes the next answers (sched(7), SCHED_BATCH).
pub fn yield_to_others() -> io::Result<()> {
    let none = libc::sched_param { sched_priority: 0 };
    // SAFETY: `none` lives across the call, which concerns this thread only.
    let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const none) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Measures the CPU time of the thread that started it.
pub struct ThreadCpu(Duration);

impl ThreadCpu {
    pub fn start() -> Self {
        Self(thread_cpu())
    }

    pub fn spent(&self) -> Duration {
        thread_cpu().saturating_sub(self.0)
    }
}

fn thread_cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.cast_unsigned(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
