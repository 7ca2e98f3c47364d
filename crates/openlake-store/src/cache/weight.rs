//! What a cached value costs: the bytes of memory that it keeps from other uses.

/// Bytes held.
pub type Weight = u64;

/// Bytes that one entry costs beside its value: slab entry, map entry, ghost.
pub const ENTRY_OVERHEAD_BYTES: Weight = 160;

pub trait Weigh {
    fn weight(&self) -> Weight;
}
