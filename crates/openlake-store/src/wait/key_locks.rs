//! One writer a key at a time: what makes a condition and its commit one step.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use openlake_types::ObjectKey;

use super::fifo_lock::FifoLock;

/// A bucket's identity and a key.
pub type LockName = (u64, ObjectKey);

#[derive(Default)]
pub struct KeyLocks(RefCell<HashMap<LockName, Rc<FifoLock>>>);

/// Holds the key until dropped.
pub struct KeyGuard {
    locks: Rc<KeyLocks>,
    name: LockName,
    lock: Rc<FifoLock>,
}

impl KeyLocks {
    pub async fn lock(self: &Rc<Self>, bucket: u64, key: &ObjectKey) -> KeyGuard {
        let name = (bucket, key.clone());
        let lock = self.0.borrow_mut().entry(name.clone()).or_default().clone();
        lock.acquire().await;
        KeyGuard { locks: self.clone(), name, lock }
    }
}

impl Drop for KeyGuard {
    fn drop(&mut self) {
        self.lock.release();
        // The map and this guard hold the only references when nobody else waits.
        if Rc::strong_count(&self.lock) == 2 {
            self.locks.0.borrow_mut().remove(&self.name);
        }
    }
}
