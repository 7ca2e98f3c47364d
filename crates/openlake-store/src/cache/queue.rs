//! The entries of the cache: a slab whose entries are linked into two queues, so that any entry
//! leaves its queue in constant time.

use super::weight::Weight;

/// Which queue an entry waits in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueueName {
    /// Entries on probation.
    Small,
    /// Entries that were asked for again.
    Main,
}

/// Position of an entry in the slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(u32);

pub(super) struct Entry<K, V> {
    pub key: K,
    pub value: V,
    pub weight: Weight,
    /// Times asked for since it came in, up to `HITS_MAX`.
    pub hits: u8,
    queue: QueueName,
    newer: Option<Slot>,
    older: Option<Slot>,
}

#[derive(Default)]
struct Ends {
    newest: Option<Slot>,
    oldest: Option<Slot>,
    bytes: Weight,
}

pub(super) struct Queues<K, V> {
    entries: Vec<Option<Entry<K, V>>>,
    free: Vec<Slot>,
    small: Ends,
    main: Ends,
}

impl<K: Copy, V> Queues<K, V> {
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            free: Vec::new(),
            small: Ends::default(),
            main: Ends::default(),
        }
    }

    pub fn bytes(&self, queue: QueueName) -> Weight {
        match queue {
            QueueName::Small => self.small.bytes,
            QueueName::Main => self.main.bytes,
        }
    }

    pub fn oldest(&self, queue: QueueName) -> Option<Slot> {
        match queue {
            QueueName::Small => self.small.oldest,
            QueueName::Main => self.main.oldest,
        }
    }

    pub fn entry(&self, slot: Slot) -> &Entry<K, V> {
        self.entries[slot.0 as usize].as_ref().expect("a slot in the map or a queue is in use")
    }

    pub fn entry_mut(&mut self, slot: Slot) -> &mut Entry<K, V> {
        self.entries[slot.0 as usize].as_mut().expect("a slot in the map or a queue is in use")
    }

    /// Puts a new entry at the young end of a queue.
    pub fn add(&mut self, queue: QueueName, key: K, value: V, weight: Weight) -> Slot {
        let entry = Entry { key, value, weight, hits: 0, queue, newer: None, older: None };
        let slot = if let Some(slot) = self.free.pop() {
            self.entries[slot.0 as usize] = Some(entry);
            slot
        } else {
            self.entries.push(Some(entry));
            Slot(self.entries.len() as u32 - 1)
        };
        self.link(slot);
        slot
    }

    /// Takes an entry out for good.
    pub fn remove(&mut self, slot: Slot) -> Entry<K, V> {
        self.unlink(slot);
        self.free.push(slot);
        self.entries[slot.0 as usize].take().expect("unlink found the entry in use")
    }

    /// Moves an entry to the young end of a queue.
    pub fn requeue(&mut self, slot: Slot, queue: QueueName) {
        self.unlink(slot);
        self.entry_mut(slot).queue = queue;
        self.link(slot);
    }

    fn ends(&mut self, queue: QueueName) -> &mut Ends {
        match queue {
            QueueName::Small => &mut self.small,
            QueueName::Main => &mut self.main,
        }
    }

    fn link(&mut self, slot: Slot) {
        let (queue, weight) = (self.entry(slot).queue, self.entry(slot).weight);
        let ends = self.ends(queue);
        ends.bytes += weight;
        let older = ends.newest.replace(slot);
        if older.is_none() {
            ends.oldest = Some(slot);
        }
        if let Some(older) = older {
            self.entry_mut(older).newer = Some(slot);
        }
        let entry = self.entry_mut(slot);
        entry.older = older;
        entry.newer = None;
    }

    fn unlink(&mut self, slot: Slot) {
        let entry = self.entry(slot);
        let (queue, weight, newer, older) = (entry.queue, entry.weight, entry.newer, entry.older);
        if let Some(newer) = newer {
            self.entry_mut(newer).older = older;
        }
        if let Some(older) = older {
            self.entry_mut(older).newer = newer;
        }
        let ends = self.ends(queue);
        ends.bytes -= weight;
        if newer.is_none() {
            ends.newest = older;
        }
        if older.is_none() {
            ends.oldest = newer;
        }
    }
}
