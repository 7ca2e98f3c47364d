//! Waiting for a slot, on any thread: first come, first woken, and no wake-up is lost when the
//! woken one gives up.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Waker};

use super::pool::{Pool, Slot};

const WAITING: u8 = 0;
const WOKEN: u8 = 1;
const GONE: u8 = 2;

pub(super) struct Waiter {
    state: AtomicU8,
    waker: Waker,
}

impl Waiter {
    /// False if the waiter no longer wants a slot.
    pub(super) fn wake(&self) -> bool {
        let waiting =
            self.state.compare_exchange(WAITING, WOKEN, Ordering::AcqRel, Ordering::Acquire);
        if waiting.is_ok() {
            self.waker.wake_by_ref();
        }
        waiting.is_ok()
    }
}

/// Resolves to a slot of the pool.
pub(super) struct Take {
    pool: Arc<Pool>,
    waiter: Option<Arc<Waiter>>,
}

impl Take {
    pub(super) fn new(pool: Arc<Pool>) -> Self {
        Self { pool, waiter: None }
    }

    /// Withdraws; a wake-up that was meant for us goes to the next in line.
    fn leave(&mut self) {
        if let Some(waiter) = self.waiter.take()
            && waiter.state.swap(GONE, Ordering::AcqRel) == WOKEN
        {
            self.pool.wake_one();
        }
    }
}

impl Future for Take {
    type Output = Slot;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Slot> {
        loop {
            if let Some(slot) = self.pool.take() {
                self.leave();
                return Poll::Ready(slot);
            }
            let waits = self.waiter.as_ref().is_some_and(|waiter| {
                waiter.state.load(Ordering::Acquire) == WAITING
                    && waiter.waker.will_wake(cx.waker())
            });
            if waits {
                return Poll::Pending;
            }
            self.leave();
            let waiter = Waiter { state: AtomicU8::new(WAITING), waker: cx.waker().clone() };
            let waiter = Arc::new(waiter);
            self.pool.waiters.push(waiter.clone());
            // A slot that came back before we stood in line is found by the next turn.
            self.waiter = Some(waiter);
        }
    }
}

impl Drop for Take {
    fn drop(&mut self) {
        self.leave();
    }
}
