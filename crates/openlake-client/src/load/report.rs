//! What a run saw.

use std::collections::BTreeMap;
use std::time::Duration;

use super::histogram::Histogram;

#[derive(Clone, Default)]
pub struct LoadReport {
    /// From a request's start, or its due time in an open loop, to the last byte of its answer.
    pub latencies: Histogram,
    /// Answers of 2xx.
    pub succeeded: u64,
    /// What else there was, by name: `HTTP 503`, `closed`, `connect`.
    pub errors: BTreeMap<String, u64>,
    /// Object bytes of the successful requests, in either direction.
    pub bytes: u64,
    pub elapsed: Duration,
    /// CPU time of the generator's own threads.
    pub cpu: Duration,
    /// Requests of an open loop that were due but not begun by the end.
    pub unsent: u64,
    /// Requests that had no answer when the run gave up waiting.
    pub unfinished: u64,
}

impl LoadReport {
    pub(super) fn error(&mut self, name: impl Into<String>) {
        *self.errors.entry(name.into()).or_default() += 1;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.succeeded += other.succeeded;
        for (name, count) in &other.errors {
            *self.errors.entry(name.clone()).or_default() += count;
        }
        self.bytes += other.bytes;
        self.elapsed = self.elapsed.max(other.elapsed);
        self.cpu += other.cpu;
        self.unsent += other.unsent;
        self.unfinished += other.unfinished;
    }
}
