//! S3-FIFO eviction by bytes (Yang et al., "FIFO queues are all you need for cache eviction",
//! SOSP 2023): new entries wait in a small queue and leave first unless they are asked for again,
//! so a scan passes through without displacing what is in use.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};

use super::ghost::Ghost;
use super::queue::{QueueName, Queues, Slot};
use super::weight::{ENTRY_OVERHEAD_BYTES, Weigh, Weight};

/// More hits than this are not told apart.
const HITS_MAX: u8 = 3;
/// The probation queue's share of the budget is one part in this.
const SMALL_SHARE: Weight = 10;
/// The ghost remembers at least this many keys.
const GHOST_LEN_MIN: usize = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    pub hits: u64,
    pub misses: u64,
    pub insertions: u64,
    pub evictions: u64,
    /// Values that were never kept because they alone exceed the budget.
    pub refusals: u64,
    pub entries: u64,
    pub bytes: Weight,
}

pub struct S3Fifo<K, V> {
    budget: Weight,
    slots: HashMap<K, Slot>,
    queues: Queues<K, V>,
    ghost: Ghost,
    hasher: RandomState,
    stats: CacheStats,
}

impl<K: Copy + Eq + Hash, V: Weigh> S3Fifo<K, V> {
    pub fn new(budget: Weight) -> Self {
        Self {
            budget,
            slots: HashMap::new(),
            queues: Queues::new(),
            ghost: Ghost::default(),
            hasher: RandomState::new(),
            stats: CacheStats::default(),
        }
    }

    /// The value, counted as a hit or a miss.
    pub fn get(&mut self, key: &K) -> Option<&V> {
        let Some(slot) = self.slots.get(key) else {
            self.stats.misses += 1;
            return None;
        };
        self.stats.hits += 1;
        let entry = self.queues.entry_mut(*slot);
        entry.hits = HITS_MAX.min(entry.hits + 1);
        Some(&entry.value)
    }

    /// The value, without counting or changing anything.
    pub fn peek(&self, key: &K) -> Option<&V> {
        self.slots.get(key).map(|slot| &self.queues.entry(*slot).value)
    }

    /// Keeps the value, in place of an older one of the same key. A value that is larger than the
    /// whole budget is not kept.
    pub fn insert(&mut self, key: K, value: V) {
        self.remove(&key);
        let weight = value.weight() + ENTRY_OVERHEAD_BYTES;
        if weight > self.budget {
            self.stats.refusals += 1;
            return;
        }
        self.shrink_to(self.budget - weight);
        let queue =
            if self.ghost.take(self.hash(&key)) { QueueName::Main } else { QueueName::Small };
        let slot = self.queues.add(queue, key, value, weight);
        self.slots.insert(key, slot);
        self.stats.insertions += 1;
    }

    /// Forgets the value; the counterpart of a delete, not an eviction.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let slot = self.slots.remove(key)?;
        Some(self.queues.remove(slot).value)
    }

    /// Gives back at least `bytes`, or everything; returns what was given back.
    pub fn evict(&mut self, bytes: Weight) -> Weight {
        let before = self.bytes();
        self.shrink_to(before.saturating_sub(bytes));
        before - self.bytes()
    }

    pub fn set_budget(&mut self, budget: Weight) {
        self.budget = budget;
        self.shrink_to(budget);
    }

    pub fn bytes(&self) -> Weight {
        self.queues.bytes(QueueName::Small) + self.queues.bytes(QueueName::Main)
    }

    pub fn stats(&self) -> CacheStats {
        CacheStats { entries: self.slots.len() as u64, bytes: self.bytes(), ..self.stats }
    }

    fn shrink_to(&mut self, bytes: Weight) {
        while self.bytes() > bytes {
            self.step();
        }
    }

    /// Looks at the oldest entry of one queue: it leaves, or moves because it was asked for.
    /// Ends, since every look takes a hit away, moves an entry to the main queue, or removes it.
    fn step(&mut self) {
        let small = self.queues.oldest(QueueName::Small);
        let main = self.queues.oldest(QueueName::Main);
        let small_first = self.queues.bytes(QueueName::Small) * SMALL_SHARE > self.budget;
        match (small, main) {
            (Some(slot), _) if small_first || main.is_none() => self.step_small(slot),
            (_, Some(slot)) => self.step_main(slot),
            _ => unreachable!("bytes are held, so a queue has an entry"),
        }
    }

    fn step_small(&mut self, slot: Slot) {
        if self.queues.entry(slot).hits > 0 {
            self.queues.entry_mut(slot).hits = 0;
            self.queues.requeue(slot, QueueName::Main);
        } else {
            let key = self.drop_entry(slot);
            let len_max = self.slots.len().max(GHOST_LEN_MIN);
            self.ghost.add(self.hash(&key), len_max);
        }
    }

    fn step_main(&mut self, slot: Slot) {
        if self.queues.entry(slot).hits > 0 {
            self.queues.entry_mut(slot).hits -= 1;
            self.queues.requeue(slot, QueueName::Main);
        } else {
            self.drop_entry(slot);
        }
    }

    fn drop_entry(&mut self, slot: Slot) -> K {
        let key = self.queues.remove(slot).key;
        self.slots.remove(&key);
        self.stats.evictions += 1;
        key
    }

    fn hash(&self, key: &K) -> u64 {
        self.hasher.hash_one(key)
    }
}
