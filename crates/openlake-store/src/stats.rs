//! What a shard did and holds; for `/metrics`. Sums over shards make the server's figures.

use std::sync::atomic::Ordering;

use openlake_io::Disk;

use crate::blob::BlobStats;
use crate::cache::CacheStats;
use crate::error::StoreError;
use crate::journal::JournalStats;
use crate::message::Request;
use crate::store::{Shard, Store};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreStats {
    pub objects: u64,
    pub buckets: u64,
    /// What the records that count take in the journal.
    pub journal_live_bytes: u64,
    /// Segments that could not be read again to take their space back.
    pub compactions_failed: u64,
    pub journal: JournalStats,
    /// Segments of an earlier number of shards are still on the drive.
    pub rewriting_old_layout: bool,
    pub blobs: BlobStats,
    pub cache: CacheStats,
}

impl<D: Disk> Shard<D> {
    pub fn stats(&self) -> StoreStats {
        StoreStats {
            objects: self.objects.get(),
            buckets: self.buckets.all().len() as u64,
            journal_live_bytes: self.journal.live_bytes(),
            compactions_failed: self.compactions_failed.get(),
            journal: self.journal.stats(),
            rewriting_old_layout: self.deployment.has_foreign.load(Ordering::Acquire),
            blobs: self.blobs.stats(),
            cache: self.cache.stats(),
        }
    }
}

impl<D: Disk> Store<D> {
    /// Of this shard.
    pub fn stats(&self) -> StoreStats {
        self.0.stats()
    }

    /// Of every shard, in order.
    pub async fn all_stats(&self) -> Result<Vec<StoreStats>, StoreError> {
        let boxed = self.0.tell_all(Request::Stats).await?;
        Ok(boxed.into_iter().map(|stats| *stats).collect())
    }
}
