//! One pinned thread, one ring: how a shard is set up, and what its tasks may use.

use std::collections::HashSet;
use std::future::Future;
use std::io;

use compio::driver::ProactorBuilder;
use compio::runtime::RuntimeBuilder;

pub use compio::runtime::{JoinHandle, ResumeUnwind, spawn};
pub use compio::time::{sleep, timeout};

/// Submissions that fit in the ring before it must be entered.
const RING_ENTRIES: u32 = 1024;
/// Wakes from other threads that fit before the waker spins (compio's default is 64).
const REMOTE_WAKES: usize = 4096;

/// Runs `main` on the calling thread until it ends, pinned to `cpu` when one is given.
/// The thread stays pinned afterwards, and so are the threads that it starts.
pub fn run_shard<F: Future>(cpu: Option<usize>, main: impl FnOnce() -> F) -> io::Result<F::Output> {
    let mut proactor = ProactorBuilder::new();
    proactor.capacity(RING_ENTRIES).single_issuer(true).defer_taskrun(true).taskrun_flag(true);
    let mut builder = RuntimeBuilder::new();
    builder.with_proactor(proactor).sync_queue_size(REMOTE_WAKES);
    if let Some(cpu) = cpu {
        builder.thread_affinity(HashSet::from([cpu]));
    }
    let runtime = builder.build()?;
    Ok(runtime.block_on(async { main().await }))
}

/// Runs `work` on the blocking pool; for system calls that the ring does not know.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    compio::runtime::spawn_blocking(work).await.resume_unwind().expect("never cancelled")
}
