//! The handle of a shard's engine, and how it reaches the other shards.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use openlake_io::inbox::{Inbox, SendError};
use openlake_io::oneshot;
use openlake_io::{Buffers, Disk};
use openlake_types::{BucketName, ObjectKey, ShardIndex};

use crate::blob::BlobPool;
use crate::cache::BlockCache;
use crate::deployment::Deployment;
use crate::error::{OpenError, StoreError};
use crate::index::{Buckets, SystemIndex};
use crate::journal::Journal;
use crate::message::{Answered, Request};
use crate::placement::group_of;
use crate::recovery;
use crate::wait::KeyLocks;

/// Buckets and system records.
pub(crate) const SYSTEM_SHARD: ShardIndex = ShardIndex(0);

/// One a shard; clones share it. Every operation may be called on any shard: the owner of the key
/// commits it.
pub struct Store<D: Disk>(pub(crate) Rc<Shard<D>>);

impl<D: Disk> Clone for Store<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

pub(crate) struct Shard<D: Disk> {
    pub index: ShardIndex,
    pub deployment: Arc<Deployment>,
    pub journal: Journal<D>,
    pub blobs: BlobPool<D>,
    pub buffers: Buffers,
    pub cache: BlockCache,
    pub buckets: Buckets,
    pub system: SystemIndex,
    pub locks: Rc<KeyLocks>,
    pub compactions_failed: Cell<u64>,
    pub objects: Cell<u64>,
    pub uploads_begun: Cell<u32>,
    pub inbox: RefCell<Option<Inbox<Request>>>,
}

/// How long a message that must arrive waits between two tries at a full inbox.
const INBOX_RETRY: Duration = Duration::from_millis(1);

impl<D: Disk> Store<D> {
    /// Replays the journal. Resolves when all shards of the deployment have.
    pub async fn open(
        deployment: Arc<Deployment>,
        shard: ShardIndex,
        disk: D,
        buffers: Buffers,
    ) -> Result<Self, OpenError> {
        let opened = recovery::open(deployment.clone(), shard, disk, buffers).await;
        if opened.is_err() {
            deployment.fail_opening();
        }
        let shard = Rc::new(opened?);
        openlake_io::runtime::spawn(shard.clone().compact_forever()).detach();
        Ok(Self(shard))
    }

    /// Serves the other shards; to be spawned once, for as long as the store is used.
    pub async fn run_inbox(self) {
        let mut inbox = self.0.inbox.take().expect("one task serves the inbox");
        loop {
            let request = inbox.next().await;
            self.dispatch(request);
        }
    }

    /// Commits what was accepted, refuses what comes later. Reads go on.
    pub async fn shutdown(&self) {
        self.0.journal.close().await;
    }

    pub fn shard(&self) -> ShardIndex {
        self.0.index
    }

    pub(crate) fn owner(&self, bucket: &BucketName, key: &ObjectKey) -> ShardIndex {
        group_of(bucket, key).shard(self.0.shards())
    }

    pub(crate) fn is_here(&self, shard: ShardIndex) -> bool {
        shard == self.0.index
    }

    /// Tells another shard something that may get lost when it is busy.
    pub(crate) fn tell(&self, shard: ShardIndex, request: Request) {
        // The sender loses nothing by it, and the receiver had better things to do.
        let _ = self.0.deployment.senders[usize::from(shard.0)].send(request);
    }

    /// Asks another shard; refused when too many requests wait there.
    pub(crate) async fn ask<T>(
        &self,
        shard: ShardIndex,
        request: impl FnOnce(Answered<T>) -> Request,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        match self.0.deployment.senders[usize::from(shard.0)].send(request(reply)) {
            Ok(()) => answer.await.unwrap_or(Err(StoreError::ShuttingDown)),
            Err(SendError::Full(_)) => Err(StoreError::TooBusy),
            Err(SendError::Closed(_)) => Err(StoreError::ShuttingDown),
        }
    }
}

impl<D: Disk> Shard<D> {
    pub fn shards(&self) -> u16 {
        self.deployment.config.shards
    }

    pub fn all_shards(&self) -> impl Iterator<Item = ShardIndex> + use<D> {
        (0..self.shards()).map(ShardIndex)
    }

    /// Tells every shard, this one as well, and waits for their answers; never refused as busy.
    pub async fn tell_all<T>(
        &self,
        request: impl Fn(Answered<T>) -> Request,
    ) -> Result<Vec<T>, StoreError> {
        let mut answers = Vec::new();
        for shard in self.all_shards() {
            let (reply, answer) = oneshot::channel();
            let mut message = request(reply);
            let sender = &self.deployment.senders[usize::from(shard.0)];
            while let Err(error) = sender.send(message) {
                match error {
                    SendError::Full(back) => message = back,
                    SendError::Closed(_) => return Err(StoreError::ShuttingDown),
                }
                openlake_io::runtime::sleep(INBOX_RETRY).await;
            }
            answers.push(answer);
        }
        let mut values = Vec::new();
        for answer in answers {
            values.push(answer.await.unwrap_or(Err(StoreError::ShuttingDown))?);
        }
        Ok(values)
    }

    pub fn add_live(&self, bytes: u64) {
        self.journal.add_live(bytes);
    }

    pub fn remove_live(&self, bytes: u64) {
        self.journal.remove_live(bytes);
    }
}
