//! The only door from the shards to the control plane: one bounded queue and one eventfd. Shards
//! never touch the interpreter; an event loop watches the descriptor and drains in batches.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_queue::{ArrayQueue, SegQueue};
use openlake_io::oneshot;
use openlake_s3::control::{ControlAnswer, ControlRequest};

/// A control request that waits for its answer; dropped unanswered, the client gets 503.
pub struct PendingRequest {
    pub request: ControlRequest,
    pub reply: oneshot::Reply<ControlAnswer>,
}

/// What the control plane drains: requests of clients, and what came of its own engine calls.
pub enum RingItem<C> {
    Request(Box<PendingRequest>),
    Completion(C),
}

struct Shared<C> {
    requests: ArrayQueue<Box<PendingRequest>>,
    /// As many as the control plane has calls in flight: bounded by it.
    completions: SegQueue<C>,
    eventfd: OwnedFd,
    /// True from the first push after a drain: later pushes need no system call.
    armed: AtomicBool,
}

/// Clones share the queue.
pub struct Ring<C>(Arc<Shared<C>>);

impl<C> Clone for Ring<C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<C> Ring<C> {
    /// At most `requests_max` client requests wait; more are refused.
    pub fn new(requests_max: usize) -> io::Result<Self> {
        // SAFETY: a plain system call; the result is owned below or reported.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: just created, owned by nobody else.
        let eventfd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Self(Arc::new(Shared {
            requests: ArrayQueue::new(requests_max.max(1)),
            completions: SegQueue::new(),
            eventfd,
            armed: AtomicBool::new(false),
        })))
    }

    /// Readable when `drain` has something.
    pub fn fd(&self) -> RawFd {
        self.0.eventfd.as_raw_fd()
    }

    /// Hands a request over and waits; `None`: too many wait already, or nobody answered.
    pub async fn ask(&self, request: ControlRequest) -> Option<ControlAnswer> {
        let (reply, answer) = oneshot::channel();
        self.0.requests.push(Box::new(PendingRequest { request, reply })).ok()?;
        self.wake();
        answer.await
    }

    pub fn complete(&self, completion: C) {
        self.0.completions.push(completion);
        self.wake();
    }

    /// Everything that waits, completions first: requests may depend on them.
    pub fn drain(&self) -> Vec<RingItem<C>> {
        let mut count = 0u64;
        // SAFETY: eight writable bytes; the descriptor does not block.
        unsafe { libc::read(self.fd(), (&raw mut count).cast(), 8) };
        self.0.armed.store(false, Ordering::SeqCst);
        let completions = std::iter::from_fn(|| self.0.completions.pop()).map(RingItem::Completion);
        let requests = std::iter::from_fn(|| self.0.requests.pop()).map(RingItem::Request);
        completions.chain(requests).collect()
    }

    fn wake(&self) {
        if !self.0.armed.swap(true, Ordering::SeqCst) {
            let one = 1u64;
            // SAFETY: eight readable bytes; the counter cannot overflow, as it is read when armed.
            unsafe { libc::write(self.fd(), (&raw const one).cast(), 8) };
        }
    }
}
