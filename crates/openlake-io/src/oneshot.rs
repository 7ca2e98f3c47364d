//! One answer to one question, across threads, for any executor.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crossbeam_queue::ArrayQueue;
use futures_util::task::AtomicWaker;

struct Shared<T> {
    value: ArrayQueue<T>,
    /// Set after the value was pushed, or instead of it.
    done: AtomicBool,
    waker: AtomicWaker,
}

/// The side that answers; dropping it unanswered ends the wait with `None`.
pub struct Reply<T>(Arc<Shared<T>>);

/// The side that waits; resolves to `None` if the other side went away.
pub struct Answer<T>(Arc<Shared<T>>);

pub fn channel<T>() -> (Reply<T>, Answer<T>) {
    let shared = Arc::new(Shared {
        value: ArrayQueue::new(1),
        done: AtomicBool::new(false),
        waker: AtomicWaker::new(),
    });
    (Reply(shared.clone()), Answer(shared))
}

impl<T> Reply<T> {
    pub fn send(self, value: T) {
        let pushed = self.0.value.push(value);
        assert!(pushed.is_ok(), "a reply is consumed by its one send");
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        self.0.done.store(true, Ordering::Release);
        self.0.waker.wake();
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl<T> Answer<T> {
    /// Blocks a thread that is no shard; `None` also when `limit` has passed.
    pub fn wait(mut self, limit: Duration) -> Option<T> {
        let deadline = Instant::now() + limit;
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(answer) = Pin::new(&mut self).poll(&mut context) {
                return answer;
            }
            let rest = deadline.checked_duration_since(Instant::now())?;
            thread::park_timeout(rest);
        }
    }
}

impl<T> Future for Answer<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        if !self.0.done.load(Ordering::Acquire) {
            self.0.waker.register(cx.waker());
            if !self.0.done.load(Ordering::Acquire) {
                return Poll::Pending;
            }
        }
        Poll::Ready(self.0.value.pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_crosses_threads_and_a_lost_reply_ends_the_wait() {
        let runtime = compio::runtime::Runtime::new().expect("a ring");
        for round in 0..1000 {
            let (reply, answer) = channel();
            let thread = std::thread::spawn(move || {
                if round % 2 == 0 {
                    reply.send(round);
                }
            });
            let expected = (round % 2 == 0).then_some(round);
            assert_eq!(runtime.block_on(answer), expected);
            thread.join().expect("the sender does not panic");
        }
    }

    #[test]
    fn a_thread_waits_until_the_answer_or_the_limit() {
        let (reply, answer) = channel();
        let thread = std::thread::spawn(move || reply.send(7));
        assert_eq!(answer.wait(Duration::from_secs(10)), Some(7));
        thread.join().expect("the sender does not panic");
        let (reply, answer) = channel::<()>();
        assert_eq!(answer.wait(Duration::from_millis(1)), None);
        drop(reply);
    }
}
