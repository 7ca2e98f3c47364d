//! A pause in long work: every task that is ready runs, and the ring hands over what has completed.
//! Only waking oneself would not do: the executor runs up to 61 ready tasks before it looks there.

use compio::driver::{OpCode, OpEntry};
use io_uring::opcode;

struct Nop;

// SAFETY: no memory is referenced.
unsafe impl OpCode for Nop {
    type Control = ();

    fn create_entry(&mut self, (): &mut ()) -> OpEntry {
        opcode::Nop::new().build().into()
    }
}

/// Resolves after the ring was entered once.
pub async fn ring_turn() {
    // It does nothing, so there is nothing to fail that its caller could want to know.
    let _ = compio::runtime::submit(Nop).await;
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn operations_complete_between_the_turns_of_a_busy_task() {
        let turns = crate::runtime::run_shard(None, || async {
            let done = Rc::new(Cell::new(false));
            let is_done = done.clone();
            crate::runtime::spawn(async move {
                ring_turn().await;
                is_done.set(true);
            })
            .detach();
            let mut turns = 0;
            while !done.get() {
                ring_turn().await;
                turns += 1;
            }
            turns
        });
        // The other's operation is at most one turn behind.
        assert!(turns.expect("a ring") <= 2, "the ring is entered at every turn");
    }
}
