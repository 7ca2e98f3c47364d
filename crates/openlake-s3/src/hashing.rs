//! MD5 for all connections of a shard together: what they have pending in one turn of the event
//! loop advances side by side in vector lanes, in slices, with I/O served between the rounds.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use openlake_coding::{Lanes, Md5State};
use openlake_io::Buffer;

/// A round advances each stream by at most this much: small enough for the cache, and a full round
/// takes well under a millisecond.
const SLICE_BYTES: usize = 64 << 10;
/// Streams of one round.
const STREAMS_MAX: usize = 32;

struct Job {
    state: Md5State,
    data: Buffer,
    at: usize,
    done: Rc<Done>,
}

#[derive(Default)]
struct Done {
    state: Cell<Option<Md5State>>,
    waker: Cell<Option<Waker>>,
}

pub struct Hasher {
    lanes: Lanes,
    jobs: RefCell<VecDeque<Job>>,
    waker: Cell<Option<Waker>>,
}

impl Hasher {
    pub fn new() -> Rc<Self> {
        Rc::new(Self { lanes: Lanes::new(), jobs: RefCell::default(), waker: Cell::new(None) })
    }

    /// The state after these bytes too. `run` must be running.
    pub async fn update(&self, state: Md5State, data: Buffer) -> Md5State {
        if data.is_empty() {
            return state;
        }
        let done = Rc::new(Done::default());
        self.jobs.borrow_mut().push_back(Job { state, data, at: 0, done: done.clone() });
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
        poll_fn(|context| {
            if let Some(state) = done.state.take() {
                return Poll::Ready(state);
            }
            done.waker.set(Some(context.waker().clone()));
            Poll::Pending
        })
        .await
    }

    /// The shard's hashing task.
    pub async fn run(self: Rc<Self>) {
        loop {
            self.wait_for_jobs().await;
            // The other connections that were woken by the same turn add theirs first.
            yield_now().await;
            self.round();
        }
    }

    async fn wait_for_jobs(&self) {
        poll_fn(|context| {
            if self.jobs.borrow().is_empty() {
                self.waker.set(Some(context.waker().clone()));
                Poll::Pending
            } else {
                Poll::Ready(())
            }
        })
        .await;
    }

    fn round(&self) {
        let mut jobs = self.jobs.borrow_mut();
        let count = jobs.len().min(STREAMS_MAX);
        let mut streams: Vec<_> = jobs
            .iter_mut()
            .take(count)
            .map(|job| {
                let end = job.data.len().min(job.at + SLICE_BYTES);
                let slice = &job.data[job.at..end];
                job.at = end;
                (&mut job.state, slice)
            })
            .collect();
        self.lanes.update_many(&mut streams);
        // Those with more to do go to the end of the line.
        for _ in 0..count {
            let job = jobs.pop_front().expect("as many as were counted");
            if job.at < job.data.len() {
                jobs.push_back(job);
                continue;
            }
            job.done.state.set(Some(job.state));
            if let Some(waker) = job.done.waker.take() {
                waker.wake();
            }
        }
    }
}

/// Lets every other task that is ready run first.
async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn streams_of_many_connections_get_their_own_digests() {
        let digests = openlake_io::runtime::run_shard(None, || async {
            let hasher = Hasher::new();
            openlake_io::runtime::spawn(hasher.clone().run()).detach();
            let tasks: Vec<_> = (0..70u32)
                .map(|number| {
                    let hasher = hasher.clone();
                    let data = Bytes::from(vec![number as u8; number as usize * 5000]);
                    openlake_io::runtime::spawn(async move {
                        let state = hasher.update(Md5State::new(), Buffer::from(data.clone()));
                        let state = hasher.update(state.await, Buffer::from(data)).await;
                        state.finish()
                    })
                })
                .collect();
            let mut digests = Vec::new();
            for task in tasks {
                digests.push(task.await.expect("no panic"));
            }
            digests
        })
        .expect("a ring");
        for (number, digest) in digests.into_iter().enumerate() {
            let mut alone = Md5State::new();
            alone.update(&vec![number as u8; number * 10_000]);
            assert_eq!(digest, alone.finish(), "stream {number}");
        }
    }
}
