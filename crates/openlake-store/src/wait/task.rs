//! Work that runs to its end even when nobody waits for it any more: a record that goes to disk
//! must also reach the index.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use openlake_io::runtime::{JoinHandle, ResumeUnwind, spawn};

/// Resolves with the result of the work; dropping it leaves the work running.
pub struct Task<T>(Option<JoinHandle<T>>);

impl<T: 'static> Task<T> {
    pub fn start(work: impl Future<Output = T> + 'static) -> Self {
        Self(Some(spawn(work)))
    }
}

impl<T: 'static> Future for Task<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let handle = self.0.as_mut().expect("present until dropped");
        Pin::new(handle).poll(context).map(|result| {
            result.resume_unwind().expect("only dropping the handle would cancel, and it detaches")
        })
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            handle.detach();
        }
    }
}
