//! A drive in memory that keeps what was synced apart from what was only written.
//! `crash` forgets a random part of the rest, as a power loss does; rules make the nth matching
//! operation fail, lie or take long. Deterministic: one thread, one seed.

mod content;
mod dice;
mod drive;
mod names;
mod rules;

#[cfg(test)]
mod tests;

pub use drive::{FaultDisk, FaultFile};
pub use rules::{Action, Operation, Rule};
