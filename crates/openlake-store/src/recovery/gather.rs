//! Shards that start together exchange what they found: each brings a value, each gets all.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use crossbeam_queue::ArrayQueue;
use futures_util::task::AtomicWaker;
use openlake_types::ShardIndex;

pub struct Gather<T> {
    places: Vec<Place<T>>,
    failed: AtomicBool,
}

/// Where one shard collects the values of all.
struct Place<T> {
    values: ArrayQueue<(ShardIndex, T)>,
    waker: AtomicWaker,
}

/// Another shard will never bring its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incomplete;

impl<T: Clone> Gather<T> {
    pub fn new(shards: u16) -> Self {
        let place =
            || Place { values: ArrayQueue::new(usize::from(shards)), waker: AtomicWaker::new() };
        Self { places: (0..shards).map(|_| place()).collect(), failed: AtomicBool::new(false) }
    }

    /// Resolves with the values of all shards, in order, when each has brought one. Once a shard.
    pub async fn exchange(&self, shard: ShardIndex, value: T) -> Result<Vec<T>, Incomplete> {
        for place in &self.places {
            let pushed = place.values.push((shard, value.clone()));
            assert!(pushed.is_ok(), "a shard brings one value");
            place.waker.wake();
        }
        drop(value);
        let own = &self.places[usize::from(shard.0)];
        poll_fn(|context| {
            own.waker.register(context.waker());
            if self.failed.load(Ordering::Acquire) {
                return Poll::Ready(Err(Incomplete));
            }
            if own.values.is_full() { Poll::Ready(Ok(())) } else { Poll::Pending }
        })
        .await?;
        let mut values: Vec<_> = std::iter::from_fn(|| own.values.pop()).collect();
        values.sort_by_key(|(from, _)| *from);
        Ok(values.into_iter().map(|(_, value)| value).collect())
    }

    /// This shard cannot go on: whoever waits for it is told.
    pub fn fail(&self) {
        self.failed.store(true, Ordering::Release);
        self.places.iter().for_each(|place| place.waker.wake());
    }
}
