//! MD5 for all connections of a shard together: streams advance side by side in vector lanes, so a
//! round is put off until every stream has something to hash, or one cannot go on without it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use openlake_coding::{Lanes, Md5State};
use openlake_io::{Buffer, ring_turn};

/// A round advances each stream by at most this much: small enough for the cache, and a full round
/// takes well under a millisecond.
const SLICE_BYTES: usize = 64 << 10;
/// Streams of one round.
const STREAMS_MAX: usize = 32;
/// Buffers that a stream may have waiting before it stands still.
const BACKLOG_MAX: usize = 4;

/// One body on its way to its digest.
pub struct Md5Stream {
    hasher: Rc<Hasher>,
    inner: Rc<Inner>,
}

#[derive(Default)]
struct Inner {
    state: Cell<Option<Md5State>>,
    pending: RefCell<VecDeque<Buffer>>,
    /// How much of the first one is hashed.
    at: Cell<usize>,
    /// Its owner waits for all of it.
    is_urgent: Cell<bool>,
    waker: Cell<Option<Waker>>,
}

impl Inner {
    fn wake(&self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

pub struct Hasher {
    lanes: Lanes,
    /// Streams with something to hash, each once.
    queue: RefCell<VecDeque<Rc<Inner>>>,
    streams: Cell<usize>,
    /// Streams whose owners cannot go on before something is hashed.
    urgent: Cell<usize>,
    waker: Cell<Option<Waker>>,
}

impl Hasher {
    pub fn new() -> Rc<Self> {
        Rc::new(Self {
            lanes: Lanes::new(),
            queue: RefCell::default(),
            streams: Cell::new(0),
            urgent: Cell::new(0),
            waker: Cell::new(None),
        })
    }

    /// A new digest. `run` must be running.
    pub fn stream(self: &Rc<Self>) -> Md5Stream {
        self.streams.set(self.streams.get() + 1);
        let inner = Rc::new(Inner::default());
        inner.state.set(Some(Md5State::new()));
        Md5Stream { hasher: self.clone(), inner }
    }

    /// The shard's hashing task.
    pub async fn run(self: Rc<Self>) {
        loop {
            poll_fn(|context| self.poll_round_is_due(context)).await;
            // The connections whose bytes have come meanwhile add theirs first.
            ring_turn().await;
            self.round();
        }
    }

    fn poll_round_is_due(&self, context: &Context<'_>) -> Poll<()> {
        let ready = self.queue.borrow().len();
        if ready > 0 && (self.urgent.get() > 0 || ready >= self.streams.get().min(STREAMS_MAX)) {
            return Poll::Ready(());
        }
        self.waker.set(Some(context.waker().clone()));
        Poll::Pending
    }

    fn notify(&self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn set_urgent(&self, stream: &Inner, is_urgent: bool) {
        if stream.is_urgent.replace(is_urgent) != is_urgent {
            let urgent = self.urgent.get();
            self.urgent.set(if is_urgent { urgent + 1 } else { urgent - 1 });
            self.notify();
        }
    }

    fn round(&self) {
        let mut jobs: Vec<_> = {
            let mut queue = self.queue.borrow_mut();
            let count = queue.len().min(STREAMS_MAX);
            queue.drain(..count).map(Job::begin).collect()
        };
        let mut streams: Vec<_> = jobs.iter_mut().map(Job::slice).collect();
        self.lanes.update_many(&mut streams);
        for job in jobs {
            let stream = job.end();
            if stream.pending.borrow().is_empty() {
                self.set_urgent(&stream, false);
            } else {
                // Those with more to do go to the end of the line.
                self.queue.borrow_mut().push_back(stream.clone());
            }
            stream.wake();
        }
    }
}

/// A stream during a round.
struct Job {
    stream: Rc<Inner>,
    state: Md5State,
    first: Buffer,
    at: usize,
    end: usize,
}

impl Job {
    fn begin(stream: Rc<Inner>) -> Self {
        let state = stream.state.take().expect("a stream is in one round at a time");
        let first = stream.pending.borrow().front().expect("only such streams queue").clone();
        let at = stream.at.get();
        let end = first.len().min(at + SLICE_BYTES);
        Self { stream, state, first, at, end }
    }

    fn slice(&mut self) -> (&mut Md5State, &[u8]) {
        (&mut self.state, &self.first[self.at..self.end])
    }

    fn end(self) -> Rc<Inner> {
        self.stream.state.set(Some(self.state));
        self.stream.at.set(self.end);
        if self.end == self.first.len() {
            self.stream.pending.borrow_mut().pop_front();
            self.stream.at.set(0);
        }
        self.stream
    }
}

impl Md5Stream {
    /// Appends the bytes; waits only while much of the stream is not hashed yet.
    pub async fn update(&self, data: Buffer) {
        if data.is_empty() {
            return;
        }
        let (hasher, inner) = (&self.hasher, &self.inner);
        let waiting = {
            let mut pending = inner.pending.borrow_mut();
            pending.push_back(data);
            pending.len()
        };
        if waiting == 1 {
            hasher.queue.borrow_mut().push_back(inner.clone());
            hasher.notify();
        }
        if waiting > BACKLOG_MAX {
            self.wait_until(|waiting| waiting < BACKLOG_MAX).await;
        }
    }

    /// Waits until all of it is hashed, so that no buffer is held for it.
    pub async fn flush(&self) {
        self.wait_until(|waiting| waiting == 0).await;
    }

    pub async fn finish(self) -> [u8; 16] {
        self.flush().await;
        self.inner.state.take().expect("no round is under way").finish()
    }

    async fn wait_until(&self, is_enough: impl Fn(usize) -> bool) {
        poll_fn(|context| {
            if is_enough(self.inner.pending.borrow().len()) {
                return Poll::Ready(());
            }
            self.inner.waker.set(Some(context.waker().clone()));
            self.hasher.set_urgent(&self.inner, true);
            Poll::Pending
        })
        .await;
        self.hasher.set_urgent(&self.inner, false);
    }
}

impl Drop for Md5Stream {
    fn drop(&mut self) {
        let (hasher, inner) = (&self.hasher, &self.inner);
        hasher.set_urgent(inner, false);
        if !inner.pending.borrow().is_empty() {
            hasher.queue.borrow_mut().retain(|other| !Rc::ptr_eq(other, inner));
        }
        hasher.streams.set(hasher.streams.get() - 1);
        // The others may have waited for this one.
        hasher.notify();
    }
}

#[cfg(test)]
mod tests;
