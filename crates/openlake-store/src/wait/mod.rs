//! Waiting inside one shard: no threads, no atomics.

mod event;
mod fifo_lock;
mod key_locks;
mod task;

pub use event::Event;
pub use fifo_lock::{FifoGuard, FifoLock};
pub use key_locks::{KeyGuard, KeyLocks};
pub use task::Task;
