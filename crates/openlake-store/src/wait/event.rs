//! "Something changed, look again": wakes everyone who waits, in the order in which they came.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Poll, Waker};

#[derive(Default)]
pub struct Event(RefCell<Vec<Waker>>);

impl Event {
    pub fn notify(&self) {
        let wakers = std::mem::take(&mut *self.0.borrow_mut());
        for waker in wakers {
            waker.wake();
        }
    }

    /// Resolves with the first `Some`; looks at once and after each notification.
    pub async fn wait_for<T>(&self, mut look: impl FnMut() -> Option<T>) -> T {
        poll_fn(|context| {
            let found = look();
            if found.is_none() {
                self.0.borrow_mut().push(context.waker().clone());
            }
            found.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}
