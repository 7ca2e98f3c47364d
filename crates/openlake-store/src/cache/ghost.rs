//! Remembers the keys that left the probation queue unread, so that one that comes back soon is
//! taken for a popular one. Keeps 64-bit hashes: a collision costs a wrong guess, never wrong data.

use std::collections::{HashMap, VecDeque};

#[derive(Default)]
pub(super) struct Ghost {
    order: VecDeque<u64>,
    /// Every hash in `order`; false when it was asked for since.
    present: HashMap<u64, bool>,
}

impl Ghost {
    pub fn add(&mut self, hash: u64, len_max: usize) {
        if self.present.insert(hash, true).is_none() {
            self.order.push_back(hash);
        }
        while self.order.len() > len_max {
            if let Some(oldest) = self.order.pop_front() {
                self.present.remove(&oldest);
            }
        }
    }

    /// Whether the key left not long ago; asks only once.
    pub fn take(&mut self, hash: u64) -> bool {
        self.present.get_mut(&hash).is_some_and(|present| std::mem::replace(present, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_the_latest_and_forgets_the_rest() {
        let mut ghost = Ghost::default();
        for hash in 0..10 {
            ghost.add(hash, 4);
        }
        assert!((0..6).all(|hash| !ghost.take(hash)));
        assert!(ghost.take(7));
        assert!(!ghost.take(7), "asked once already");
        ghost.add(7, 4);
        assert!(ghost.take(7));
        assert_eq!(ghost.order.len(), 4);
    }
}
