//! Latencies, counted in buckets that grow with the value: any quantile within 1.6 %.

use std::time::Duration;

/// Each power of two is cut in this many buckets.
const CUTS: u64 = 64;
const CUT_BITS: u32 = CUTS.trailing_zeros();
const BUCKETS: usize = (64 - CUT_BITS as usize + 1) * CUTS as usize;

#[derive(Clone)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    sum_nanos: u128,
    max_nanos: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0, sum_nanos: 0, max_nanos: 0 }
    }
}

impl Histogram {
    pub fn record(&mut self, latency: Duration) {
        let nanos = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.counts[bucket_of(nanos)] += 1;
        self.total += 1;
        self.sum_nanos += u128::from(nanos);
        self.max_nanos = self.max_nanos.max(nanos);
    }

    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total += other.total;
        self.sum_nanos += other.sum_nanos;
        self.max_nanos = self.max_nanos.max(other.max_nanos);
    }

    pub const fn total(&self) -> u64 {
        self.total
    }

    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.max_nanos)
    }

    pub fn mean(&self) -> Duration {
        let mean = self.sum_nanos.checked_div(u128::from(self.total)).unwrap_or(0);
        Duration::from_nanos(mean as u64)
    }

    /// The latency that `per_million` of a million requests do not pass (500,000 is the median);
    /// zero if nothing was recorded.
    pub fn quantile(&self, per_million: u32) -> Duration {
        let rank = (u128::from(self.total) * u128::from(per_million)).div_ceil(1_000_000).max(1);
        let mut seen = 0u128;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += u128::from(*count);
            if seen >= rank {
                return Duration::from_nanos(upper_bound(bucket).min(self.max_nanos));
            }
        }
        Duration::ZERO
    }

    /// The buckets in use: upper bound and count, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        let used = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        used.map(|(bucket, count)| (Duration::from_nanos(upper_bound(bucket)), *count))
    }
}

/// Values below 2 * CUTS have a bucket each; above, the leading bits choose.
fn bucket_of(nanos: u64) -> usize {
    let shift = (nanos | 1).ilog2().saturating_sub(CUT_BITS);
    (u64::from(shift) * CUTS + (nanos >> shift)) as usize
}

/// The highest value that falls in the bucket.
fn upper_bound(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / CUTS).saturating_sub(1);
    let lead = bucket - shift * CUTS;
    let next = u128::from(lead + 1) << shift;
    u64::try_from(next - 1).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_of_one_to_a_thousand_microseconds() {
        let mut histogram = Histogram::default();
        for micros in 1..=1000 {
            histogram.record(Duration::from_micros(micros));
        }
        for (per_million, want) in [(500_000, 500.0), (990_000, 990.0), (999_000, 999.0)] {
            let got = histogram.quantile(per_million).as_secs_f64() * 1e6;
            assert!((want..want * 1.016).contains(&got), "{got} for {want}");
        }
        assert_eq!(histogram.quantile(1_000_000), Duration::from_millis(1));
        assert_eq!(histogram.max(), Duration::from_millis(1));
        assert_eq!(histogram.mean(), Duration::from_nanos(500_500));
        assert_eq!(histogram.buckets().map(|(_, count)| count).sum::<u64>(), 1000);
    }

    #[test]
    fn nothing_recorded_is_zero() {
        let histogram = Histogram::default();
        assert_eq!(histogram.quantile(500_000), Duration::ZERO);
        assert_eq!(histogram.mean(), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn a_value_lies_within_its_bucket(nanos: u64) {
            let bucket = bucket_of(nanos);
            prop_assert!(bucket < BUCKETS);
            prop_assert!(nanos <= upper_bound(bucket));
            prop_assert!(bucket == 0 || upper_bound(bucket - 1) < nanos);
            prop_assert!(upper_bound(bucket) - nanos <= nanos / CUTS);
        }

        #[test]
        fn merging_is_recording_together(a in prop::collection::vec(0u64..1 << 40, 0..50),
                                         b in prop::collection::vec(0u64..1 << 40, 0..50)) {
            let of = |values: &[u64]| {
                let mut histogram = Histogram::default();
                for nanos in values {
                    histogram.record(Duration::from_nanos(*nanos));
                }
                histogram
            };
            let mut merged = of(&a);
            merged.merge(&of(&b));
            let together = of(&[a, b].concat());
            prop_assert_eq!(merged.total(), together.total());
            prop_assert_eq!(merged.quantile(900_000), together.quantile(900_000));
            prop_assert_eq!(merged.mean(), together.mean());
        }
    }
}
