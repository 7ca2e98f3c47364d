//! How long to wait before the next attempt: exponential, with full jitter.

use std::time::Duration;

/// The pause after attempt number `attempt` (from 1); `random` is uniform in 0..2^64.
pub fn pause(base: Duration, max: Duration, attempt: u32, random: u64) -> Duration {
    let doubled = base.saturating_mul(1 << attempt.saturating_sub(1).min(20));
    let ceiling_nanos = u64::try_from(doubled.min(max).as_nanos()).unwrap_or(u64::MAX);
    let scaled = (u128::from(ceiling_nanos) * u128::from(random)) >> 64;
    Duration::from_nanos(scaled as u64)
}

/// A small generator, good enough to keep clients from marching in step.
pub fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_doubles_up_to_the_maximum() {
        let (base, max) = (Duration::from_millis(50), Duration::from_secs(1));
        let ceiling = |attempt| pause(base, max, attempt, u64::MAX).as_millis() + 1;
        assert_eq!([1, 2, 3, 4, 5, 6].map(ceiling), [50, 100, 200, 400, 800, 1000]);
        assert_eq!(pause(base, max, 99, u64::MAX).as_millis() + 1, 1000);
        assert_eq!(pause(base, max, 3, 0), Duration::ZERO);
        assert_eq!(pause(base, max, 2, 1 << 63), Duration::from_millis(50));
    }
}
