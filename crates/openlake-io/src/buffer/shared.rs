//! `Buffer`: immutable bytes, shared by clones on any thread.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytes::Bytes;
use compio::buf::IoBuf;

use super::pool::Slot;

/// A view of a filled slot, or of bytes on the heap; clones and slices share the memory.
#[derive(Clone)]
pub struct Buffer {
    memory: Memory,
    start: usize,
    end: usize,
}

#[derive(Clone)]
enum Memory {
    Slot(Arc<Slot>),
    Heap(Bytes),
}

impl Buffer {
    pub(super) fn from_slot(slot: Arc<Slot>, len: usize) -> Self {
        Self { memory: Memory::Slot(slot), start: 0, end: len }
    }

    /// A narrower view; `range` counts from this view's start.
    #[must_use]
    pub fn view(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "{range:?} lies outside");
        Self {
            memory: self.memory.clone(),
            start: self.start + range.start,
            end: self.start + range.end,
        }
    }

    /// The same memory with `len` bytes of its slot in view, to see padding behind the content.
    #[must_use]
    pub fn extended_to(&self, len: usize) -> Self {
        let capacity = match &self.memory {
            Memory::Slot(slot) => slot.bytes().len(),
            Memory::Heap(bytes) => bytes.len(),
        };
        assert!(self.start + len <= capacity, "{len} bytes lie outside the slot");
        Self { memory: self.memory.clone(), start: self.start, end: self.start + len }
    }

    /// Bytes of memory that this view keeps alive: a slot counts in full.
    pub fn held_bytes(&self) -> usize {
        match &self.memory {
            Memory::Slot(slot) => slot.bytes().len(),
            Memory::Heap(bytes) => bytes.len(),
        }
    }

    /// The same bytes as `Bytes`, without a copy.
    pub fn into_bytes(self) -> Bytes {
        match self.memory {
            Memory::Heap(bytes) => Bytes::slice(&bytes, self.start..self.end),
            Memory::Slot(_) => Bytes::from_owner(self),
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.memory {
            Memory::Slot(slot) => &slot.bytes()[self.start..self.end],
            Memory::Heap(bytes) => &bytes[self.start..self.end],
        }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Bytes> for Buffer {
    fn from(bytes: Bytes) -> Self {
        let end = bytes.len();
        Self { memory: Memory::Heap(bytes), start: 0, end }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len())
    }
}

impl IoBuf for Buffer {
    fn as_init(&self) -> &[u8] {
        self
    }
}
