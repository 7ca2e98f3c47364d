//! The eviction rule against a model, its byte accounting, and its resistance to scans.

use std::collections::HashMap;

use proptest::prelude::*;

use super::s3_fifo::S3Fifo;
use super::weight::{ENTRY_OVERHEAD_BYTES, Weigh, Weight};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Value {
    number: u64,
    weight: Weight,
}

impl Weigh for Value {
    fn weight(&self) -> Weight {
        self.weight
    }
}

/// A value that costs `cost` bytes with its entry.
fn costing(number: u64, cost: Weight) -> Value {
    Value { number, weight: cost - ENTRY_OVERHEAD_BYTES }
}

const UNIT: Weight = 1000;

#[test]
fn what_fits_stays() {
    let mut cache = S3Fifo::new(10 * UNIT);
    for key in 0..10 {
        cache.insert(key, costing(key, UNIT));
    }
    assert_eq!(cache.bytes(), 10 * UNIT);
    assert!((0..10).all(|key| cache.get(&key).is_some_and(|value| value.number == key)));
    let stats = cache.stats();
    assert_eq!((stats.hits, stats.misses, stats.evictions, stats.entries), (10, 0, 0, 10));
}

/// 100 units of budget. 80 popular entries were each asked for again, so they are in the main
/// queue as soon as they are pushed on. A scan of 10,000 entries, each seen once, has only the
/// other 20 units: all 80 stay. A plain FIFO or LRU of 100 would have kept none.
#[test]
fn a_scan_passes_through_without_displacing_what_is_in_use() {
    let mut cache = S3Fifo::new(100 * UNIT);
    for key in 0..80 {
        cache.insert(key, costing(key, UNIT));
        assert!(cache.get(&key).is_some());
    }
    for key in 1000..11_000 {
        cache.insert(key, costing(key, UNIT));
    }
    assert_eq!((0..80).filter(|key| cache.get(key).is_some()).count(), 80);
    // 10,080 came in, 100 are held: all that left were of the scan.
    assert_eq!(cache.stats().evictions, 9980);
}

/// An entry that left the probation queue and comes back while it is remembered goes to the main
/// queue at once: a loop over 150 units through 100 units of budget keeps a part of itself, where
/// FIFO and LRU hit nothing at all.
#[test]
fn a_loop_larger_than_the_cache_still_hits() {
    let mut cache = S3Fifo::new(100 * UNIT);
    let mut hits = 0;
    for _ in 0..10 {
        for key in 0..150_u64 {
            if cache.get(&key).is_some() {
                hits += 1;
            } else {
                cache.insert(key, costing(key, UNIT));
            }
        }
    }
    assert!(hits > 300, "{hits} of 1500");
}

#[test]
fn evict_gives_back_at_least_what_was_asked() {
    let mut cache = S3Fifo::new(10 * UNIT);
    for key in 0..10 {
        cache.insert(key, costing(key, UNIT));
    }
    assert_eq!(cache.evict(2 * UNIT + 1), 3 * UNIT);
    assert_eq!(cache.stats().entries, 7);
    assert_eq!(cache.evict(u64::MAX), 7 * UNIT);
    assert_eq!(cache.evict(1), 0);
    assert_eq!(cache.bytes(), 0);
}

#[test]
fn a_value_larger_than_the_budget_is_refused_and_displaces_nothing() {
    let mut cache = S3Fifo::new(10 * UNIT);
    cache.insert(1, costing(1, UNIT));
    cache.insert(2, costing(2, 10 * UNIT + 1));
    assert!(cache.get(&2).is_none());
    assert!(cache.get(&1).is_some());
    assert_eq!(cache.stats().refusals, 1);
}

#[test]
fn a_smaller_budget_holds_at_once() {
    let mut cache = S3Fifo::new(10 * UNIT);
    for key in 0..10 {
        cache.insert(key, costing(key, UNIT));
        cache.get(&key);
    }
    cache.set_budget(4 * UNIT);
    assert_eq!(cache.bytes(), 4 * UNIT);
}

#[derive(Clone, Debug)]
enum Action {
    Get(u8),
    Insert(u8, Weight),
    Remove(u8),
    Evict(Weight),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        any::<u8>().prop_map(Action::Get),
        (any::<u8>(), 200_u64..3000).prop_map(|(key, cost)| Action::Insert(key, cost)),
        any::<u8>().prop_map(Action::Remove),
        (0_u64..5000).prop_map(Action::Evict),
    ]
}

proptest! {
    /// Whatever is done: a hit is the latest value of its key, the bytes are the sum of what is
    /// held and never above the budget, and each entry that came in is held, removed, replaced or
    /// counted as evicted.
    #[test]
    fn agrees_with_a_map_that_never_forgets(actions in proptest::collection::vec(action(), 1..400)) {
        let budget = 20_000;
        let mut cache = S3Fifo::new(budget);
        let mut latest: HashMap<u8, Value> = HashMap::new();
        let (mut number, mut left) = (0, 0);
        for action in actions {
            match action {
                Action::Get(key) => {
                    if let Some(value) = cache.get(&key) {
                        prop_assert_eq!(Some(value), latest.get(&key));
                    }
                }
                Action::Insert(key, cost) => {
                    number += 1;
                    let before = cache.stats();
                    cache.insert(key, costing(number, cost));
                    let after = cache.stats();
                    let evicted = after.evictions - before.evictions;
                    left += u64::from(before.entries + 1 > after.entries + evicted);
                    latest.insert(key, costing(number, cost));
                    prop_assert_eq!(cache.get(&key), latest.get(&key));
                }
                Action::Remove(key) => {
                    left += u64::from(cache.remove(&key).is_some());
                    latest.remove(&key);
                    prop_assert_eq!(cache.get(&key), None);
                }
                Action::Evict(bytes) => {
                    let (before, freed) = (cache.bytes(), cache.evict(bytes));
                    prop_assert_eq!(before - freed, cache.bytes());
                    prop_assert!(freed >= bytes.min(before));
                }
            }
            let held: Weight = (0..=255)
                .filter_map(|key| cache.peek(&key))
                .map(|value| value.weight + ENTRY_OVERHEAD_BYTES)
                .sum();
            prop_assert_eq!(held, cache.bytes());
            prop_assert!(held <= budget);
            let stats = cache.stats();
            prop_assert_eq!(stats.insertions, stats.entries + stats.evictions + left);
        }
    }
}
