//! What a shard asks of the control plane: a verb that is not hot, with its signature verified and
//! its body collected; and what comes back. Values only, so that they cross threads.

use std::cell::Cell;
use std::rc::Rc;

use bytes::Bytes;

use crate::auth::Identity;
use crate::request_head::{HeaderMap, Method};

/// Bodies of a shard that are collected, or wait for their answer, at the same time: sixteen of
/// the largest, or thousands of usual ones.
pub const COLLECTED_BYTES_MAX: u64 = 32 << 20;

#[derive(Clone, Debug)]
pub struct ControlRequest {
    /// As in the answer's `x-amz-request-id`.
    pub request_id: String,
    pub method: Method,
    /// As it came: path and query, undecoded.
    pub target: Bytes,
    /// Lower-case names.
    pub headers: HeaderMap,
    /// At most `CONTROL_BODY_BYTES_MAX`; what the signature and the checksums cover.
    pub body: Bytes,
    pub identity: Identity,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlAnswer {
    pub status: u16,
    /// Without Content-Length, Date, Server and x-amz-request-id, which the connection adds.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

#[allow(async_fn_in_trait, reason = "futures stay on their shard, so no Send bound is wanted")]
pub trait ControlPlane: 'static {
    /// `None`: too many requests wait for it, or it has gone; the client is told to slow down.
    async fn call(&self, request: ControlRequest) -> Option<ControlAnswer>;
}

/// What is left for the bodies of a shard.
pub(crate) struct CollectedBudget(Cell<u64>);

/// A body's share, given back when it drops.
pub(crate) struct CollectedShare {
    budget: Rc<CollectedBudget>,
    bytes: u64,
}

impl CollectedBudget {
    pub fn new() -> Rc<Self> {
        Rc::new(Self(Cell::new(COLLECTED_BYTES_MAX)))
    }

    pub fn take(self: &Rc<Self>, bytes: u64) -> Option<CollectedShare> {
        self.0.set(self.0.get().checked_sub(bytes)?);
        Some(CollectedShare { budget: self.clone(), bytes })
    }
}

impl Drop for CollectedShare {
    fn drop(&mut self) {
        self.budget.0.set(self.budget.0.get() + self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_come_back_and_never_sum_to_more_than_the_budget() {
        let budget = CollectedBudget::new();
        let most = budget.take(COLLECTED_BYTES_MAX - 1).expect("all is free");
        let last = budget.take(1).expect("one byte is left");
        assert!(budget.take(1).is_none());
        assert!(budget.take(0).is_some());
        drop(last);
        assert!(budget.take(2).is_none());
        drop(most);
        assert!(budget.take(COLLECTED_BYTES_MAX + 1).is_none());
        assert!(budget.take(COLLECTED_BYTES_MAX).is_some());
    }
}
