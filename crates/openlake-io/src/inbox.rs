//! How shards and foreign threads talk to a shard: one bounded queue and one waker.
//! Waking the shard's own drain task, never foreign tasks one by one, avoids compio's spin when
//! its remote wake queue is full.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::task::Poll;

use crossbeam_queue::ArrayQueue;
use futures_util::task::AtomicWaker;

struct Shared<T> {
    queue: ArrayQueue<T>,
    waker: AtomicWaker,
    closed: AtomicBool,
}

impl<T> Shared<T> {
    fn clear(&self) {
        while self.queue.pop().is_some() {}
    }
}

/// The receiving end; one per shard.
pub struct Inbox<T>(Arc<Shared<T>>);

/// A sending end; clones share the queue.
pub struct Sender<T>(Arc<Shared<T>>);

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Why a message was not taken; the message comes back.
#[derive(Debug)]
pub enum SendError<T> {
    Full(T),
    Closed(T),
}

pub fn channel<T>(limit: usize) -> (Sender<T>, Inbox<T>) {
    let shared = Arc::new(Shared {
        queue: ArrayQueue::new(limit),
        waker: AtomicWaker::new(),
        closed: AtomicBool::new(false),
    });
    (Sender(shared.clone()), Inbox(shared))
}

impl<T> Sender<T> {
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        if self.0.closed.load(Ordering::Acquire) {
            return Err(SendError::Closed(message));
        }
        self.0.queue.push(message).map_err(SendError::Full)?;
        fence(Ordering::SeqCst);
        if self.0.closed.load(Ordering::Relaxed) {
            // It closed meanwhile, perhaps after it was emptied for the last time.
            self.0.clear();
        }
        self.0.waker.wake();
        Ok(())
    }

    /// Messages that wait; a gauge for metrics.
    pub fn len(&self) -> usize {
        self.0.queue.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.queue.is_empty()
    }
}

impl<T> Inbox<T> {
    /// The next message, in order of arrival.
    pub async fn next(&mut self) -> T {
        poll_fn(|cx| {
            if let Some(message) = self.0.queue.pop() {
                return Poll::Ready(message);
            }
            self.0.waker.register(cx.waker());
            match self.0.queue.pop() {
                Some(message) => Poll::Ready(message),
                None => Poll::Pending,
            }
        })
        .await
    }

    /// A message that is already there.
    pub fn try_next(&mut self) -> Option<T> {
        self.0.queue.pop()
    }
}

impl<T> Drop for Inbox<T> {
    /// Refuses later messages and drops waiting ones, so that their replies resolve.
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_threads_send_and_nothing_is_lost_or_reordered() {
        const THREADS: u32 = 4;
        const MESSAGES: u32 = 10_000;
        let (sender, mut inbox) = channel(64);
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let sender = sender.clone();
                std::thread::spawn(move || {
                    for number in 0..MESSAGES {
                        let mut message = (thread, number);
                        while let Err(SendError::Full(back)) = sender.send(message) {
                            message = back;
                            std::thread::yield_now();
                        }
                    }
                })
            })
            .collect();
        let runtime = compio::runtime::Runtime::new().expect("a ring");
        let mut next = [0; THREADS as usize];
        runtime.block_on(async {
            for _ in 0..THREADS * MESSAGES {
                let (thread, number) = inbox.next().await;
                assert_eq!(number, next[thread as usize]);
                next[thread as usize] += 1;
            }
        });
        for thread in threads {
            thread.join().expect("no panic");
        }
        drop(inbox);
        assert!(matches!(sender.send((0, 0)), Err(SendError::Closed(_))));
    }

    #[test]
    fn a_message_that_meets_the_end_of_the_inbox_is_dropped_or_given_back() {
        for _ in 0..2_000 {
            let (sender, inbox) = channel(4);
            let (reply, answer) = crate::oneshot::channel::<()>();
            let kept = sender.clone();
            let thread = std::thread::spawn(move || drop(sender.send(reply)));
            drop(inbox);
            thread.join().expect("the sender does not panic");
            assert_eq!(futures_util::FutureExt::now_or_never(answer), Some(None));
            drop(kept);
        }
    }
}
