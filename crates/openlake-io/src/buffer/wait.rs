//! Waiting for a slot, on any thread: first come, first woken, and no wake-up is lost when the
//! woken one gives up. One slot wakes one waiter, so an empty pool costs no processor time.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering, fence};
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

    /// Withdraws from the line; true if a wake-up was meant for us.
    fn leave(&mut self) -> bool {
        let waiter = self.waiter.take();
        waiter.is_some_and(|waiter| waiter.state.swap(GONE, Ordering::AcqRel) == WOKEN)
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
            // Woken in vain: another took the slot, and whoever holds it wakes the next in line when
            // it comes back. To pass this wake-up on would keep all waiters turning in a circle.
            self.leave();
            let waiter = Waiter { state: AtomicU8::new(WAITING), waker: cx.waker().clone() };
            let waiter = Arc::new(waiter);
            self.pool.waiters.push(waiter.clone());
            // Orders the push before the look at the pool, as a returning slot does the reverse.
            fence(Ordering::SeqCst);
            // A slot that came back before we stood in line is found by the next turn.
            self.waiter = Some(waiter);
        }
    }
}

impl Drop for Take {
    /// A wake-up that came too late for us goes to the next in line.
    fn drop(&mut self) {
        if self.leave() {
            self.pool.wake_one();
        }
    }
}
