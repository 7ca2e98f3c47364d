//! Which shard serves a new connection. The kernel spreads connections by a hash of their addresses,
//! which leaves cores idle when there are few; a shard that has more than another hands it over.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Connections of each shard; clones share the counts.
#[derive(Clone)]
pub(crate) struct Seats(Arc<[AtomicUsize]>);

/// A connection's place in the count of its shard, as long as it lives.
pub(crate) struct Seat {
    seats: Seats,
    pub shard: usize,
}

impl Seats {
    pub fn new(shards: usize) -> Self {
        Self((0..shards).map(|_| AtomicUsize::new(0)).collect())
    }

    /// A seat at the shard with the fewest connections, here if there is a choice. Shards that
    /// accept at the same moment may choose the same one: the next connection makes up for it.
    pub fn take(&self, here: usize) -> Seat {
        let mut shard = here;
        let mut fewest = self.0[here].load(Relaxed);
        for (other, count) in self.0.iter().enumerate() {
            let count = count.load(Relaxed);
            if count < fewest {
                (shard, fewest) = (other, count);
            }
        }
        self.at(shard)
    }

    fn at(&self, shard: usize) -> Seat {
        self.0[shard].fetch_add(1, Relaxed);
        Seat { seats: self.clone(), shard }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.0[self.shard].fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_go_where_the_fewest_are_and_here_if_there_is_a_choice() {
        let seats = Seats::new(3);
        let first = seats.take(1);
        assert_eq!(first.shard, 1);
        let rest = [seats.take(1), seats.take(1)];
        assert_eq!(rest.each_ref().map(|seat| seat.shard), [0, 2]);
        let again = seats.take(2);
        assert_eq!(again.shard, 2, "all have one");
        drop(first);
        assert_eq!(seats.take(0).shard, 1, "the one that ended left a place");
    }
}
