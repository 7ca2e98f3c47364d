//! One holder at a time, first come, first served.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

#[derive(Default)]
pub struct FifoLock {
    held: Cell<bool>,
    queue: RefCell<VecDeque<Rc<Place>>>,
}

#[derive(Default)]
struct Place {
    called: Cell<bool>,
    left: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

/// Gives its place up when the waiting future is dropped, and passes the lock on if it was called.
struct Waiting<'a> {
    lock: &'a FifoLock,
    place: Rc<Place>,
    done: bool,
}

pub struct FifoGuard<'a>(&'a FifoLock);

impl FifoLock {
    pub async fn lock(&self) -> FifoGuard<'_> {
        self.acquire().await;
        FifoGuard(self)
    }

    /// Whoever calls this calls `release` later.
    pub(super) async fn acquire(&self) {
        if !self.held.replace(true) {
            return;
        }
        let place = Rc::new(Place::default());
        self.queue.borrow_mut().push_back(place.clone());
        let mut waiting = Waiting { lock: self, place, done: false };
        poll_fn(|context| {
            if waiting.place.called.get() {
                return Poll::Ready(());
            }
            *waiting.place.waker.borrow_mut() = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
        waiting.done = true;
    }

    /// The lock stays held while it goes from one to the next, so nobody slips in between.
    pub(super) fn release(&self) {
        loop {
            let next = self.queue.borrow_mut().pop_front();
            let Some(next) = next else {
                self.held.set(false);
                return;
            };
            if next.left.get() {
                continue;
            }
            next.called.set(true);
            if let Some(waker) = next.waker.borrow_mut().take() {
                waker.wake();
            }
            return;
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.done {
            self.place.left.set(true);
            if self.place.called.get() {
                self.lock.release();
            }
        }
    }
}

impl Drop for FifoGuard<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}
