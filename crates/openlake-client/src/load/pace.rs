//! When requests are due: at once, or at random instants of a given rate.

use std::time::{Duration, Instant};

/// A stream of random numbers (xorshift64*), one a worker.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds must not give neighbouring streams; zero is the one forbidden state.
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Uniform in `0..bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Exponential with the given mean.
    fn pause(&mut self, mean: Duration) -> Duration {
        // One is added so that the logarithm is finite.
        let random = (self.next() >> 32) as u32;
        let uniform = (f64::from(random) + 1.0) / (f64::from(u32::MAX) + 1.0);
        mean.mul_f64(-uniform.ln())
    }
}

/// Arrivals of an open loop (a Poisson process).
pub struct Arrivals {
    mean: Duration,
    next: Instant,
}

impl Arrivals {
    pub fn new(start: Instant, rate_per_s: f64) -> Self {
        Self { mean: Duration::from_secs_f64(1.0 / rate_per_s), next: start }
    }

    pub const fn next_at(&self) -> Instant {
        self.next
    }

    /// The arrival that is due by `now`, if any.
    pub fn due(&mut self, now: Instant, random: &mut Random) -> Option<Instant> {
        if self.next > now {
            return None;
        }
        let at = self.next;
        self.next += random.pause(self.mean);
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_come_at_the_rate() {
        let (start, mut random) = (Instant::now(), Random::new(7));
        let mut arrivals = Arrivals::new(start, 1000.0);
        let end = start + Duration::from_secs(10);
        let count = std::iter::from_fn(|| arrivals.due(end, &mut random)).count();
        // Expected 10,000; six standard deviations of a Poisson process.
        assert!((9_400..10_600).contains(&count), "{count}");
        assert!(arrivals.next_at() > end);
    }

    #[test]
    fn numbers_below_a_bound_cover_it_evenly() {
        let mut random = Random::new(0);
        let mut counts = [0; 10];
        (0..10_000).for_each(|_| counts[random.below(10) as usize] += 1);
        assert!(counts.iter().all(|count| (820..1180).contains(count)), "{counts:?}");
    }
}
