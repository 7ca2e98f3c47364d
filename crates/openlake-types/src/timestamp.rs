//! Wall-clock instants in milliseconds, the precision that S3 shows.

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(pub u64);

impl Timestamp {
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1000)
    }

    /// Whole seconds, rounded down: HTTP dates and conditional headers compare these.
    pub const fn secs(self) -> u64 {
        self.0 / 1000
    }
}
