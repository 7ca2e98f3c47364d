//! The control plane as a shard sees it: the ring.

use openlake_s3::control::{ControlAnswer, ControlPlane, ControlRequest};

use crate::ring::Ring;

/// Passes control requests through the ring; `C` is what engine calls complete with.
pub struct RingControl<C>(pub Ring<C>);

impl<C: Send + 'static> ControlPlane for RingControl<C> {
    async fn call(&self, request: ControlRequest) -> Option<ControlAnswer> {
        self.0.ask(request).await
    }
}
