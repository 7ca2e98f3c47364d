//! The engine from outside of the shards: any store operation, on the next shard in turn.

use std::future::Future;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use openlake_io::{UringDisk, inbox, oneshot};
use openlake_s3::AccessTables;
use openlake_store::Store;

use crate::seats::Seat;

pub(crate) type Work = Pin<Box<dyn Future<Output = ()>>>;
pub(crate) type Job = Box<dyn FnOnce(&ShardContext) -> Work + Send>;

/// What a job finds on its shard.
pub(crate) struct ShardContext {
    pub store: Store<UringDisk>,
    pub counters: Box<dyn Fn() -> Vec<(&'static str, u64)>>,
}

/// What is sent to a shard's server loop.
pub(crate) enum Message {
    Run(Job),
    SetTables(Arc<AccessTables>, oneshot::Reply<()>),
    /// Serve a connection that another shard accepted.
    Connection(OwnedFd, Seat),
    /// Stop accepting; answer when the last connection has closed.
    Drain(oneshot::Reply<()>),
    /// Commit what waits and end.
    Stop,
}

/// The shard could not take the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the shard has too many calls waiting")]
    TooBusy,
    #[error("the server is shutting down")]
    ShuttingDown,
}

/// Clones share the shards.
#[derive(Clone)]
pub struct Engine {
    shards: Arc<[inbox::Sender<Message>]>,
    next: Arc<AtomicUsize>,
}

impl Engine {
    pub(crate) fn new(shards: Vec<inbox::Sender<Message>>) -> Self {
        Self { shards: shards.into(), next: Arc::default() }
    }

    /// Runs `work` with a store; the store reaches every key from any shard.
    pub fn call<F>(
        &self,
        work: impl FnOnce(Store<UringDisk>) -> F + Send + 'static,
    ) -> Result<(), Refused>
    where
        F: Future<Output = ()> + 'static,
    {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.shards.len();
        let job: Job = Box::new(move |context| Box::pin(work(context.store.clone())));
        self.send(turn, Message::Run(job))
    }

    /// Swaps the tables in on every shard, then calls `done` on one of them.
    pub fn set_tables(
        &self,
        tables: AccessTables,
        done: impl FnOnce() + Send + 'static,
    ) -> Result<(), Refused> {
        let tables = Arc::new(tables);
        let answers = self.send_all(|reply| Message::SetTables(tables.clone(), reply))?;
        self.call(|_| async move {
            for answer in answers {
                answer.await;
            }
            done();
        })
    }

    /// Sums each counter over the shards and gives them to `done`.
    pub fn counters(
        &self,
        done: impl FnOnce(Vec<(&'static str, u64)>) + Send + 'static,
    ) -> Result<(), Refused> {
        let answers = self.send_all(|reply: oneshot::Reply<Vec<(&'static str, u64)>>| {
            Message::Run(Box::new(move |context| {
                reply.send((context.counters)());
                Box::pin(std::future::ready(()))
            }))
        })?;
        self.call(|_| async move {
            let mut sums: Vec<(&'static str, u64)> = Vec::new();
            for answer in answers {
                for (name, count) in answer.await.unwrap_or_default() {
                    match sums.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, sum)) => *sum += count,
                        None => sums.push((name, count)),
                    }
                }
            }
            done(sums);
        })
    }

    pub(crate) fn send_all<T>(
        &self,
        message: impl Fn(oneshot::Reply<T>) -> Message,
    ) -> Result<Vec<oneshot::Answer<T>>, Refused> {
        (0..self.shards.len())
            .map(|shard| {
                let (reply, answer) = oneshot::channel();
                self.send(shard, message(reply)).map(|()| answer)
            })
            .collect()
    }

    pub(crate) fn send(&self, shard: usize, message: Message) -> Result<(), Refused> {
        self.shards[shard].send(message).map_err(|error| match error {
            inbox::SendError::Full(_) => Refused::TooBusy,
            inbox::SendError::Closed(_) => Refused::ShuttingDown,
        })
    }

    pub(crate) fn shard_count(&self) -> usize {
        self.shards.len()
    }
}
