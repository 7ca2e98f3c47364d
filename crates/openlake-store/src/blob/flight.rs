//! An operation that runs to its end even when nobody waits for it any more: a file may only come
//! home when no operation on it is in the kernel.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use openlake_io::runtime::{JoinHandle, ResumeUnwind, spawn};

pub(super) struct Flight<T>(Option<JoinHandle<T>>);

impl<T: 'static> Flight<T> {
    pub fn start(operation: impl Future<Output = T> + 'static) -> Self {
        Self(Some(spawn(operation)))
    }
}

impl<T: 'static> Future for Flight<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let handle = self.0.as_mut().expect("polled until ready");
        Pin::new(handle).poll(context).map(|result| {
            result.resume_unwind().expect("only dropping the handle would cancel, and it detaches")
        })
    }
}

impl<T> Drop for Flight<T> {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            handle.detach();
        }
    }
}
