//! `BufferMut`: a slot that is being filled, by a socket, a drive or code.

use std::mem::MaybeUninit;
use std::sync::Arc;

use compio::buf::{IoBuf, IoBufMut, SetLen};

use super::pool::Slot;
use super::shared::Buffer;

pub struct BufferMut {
    slot: Slot,
    len: usize,
}

impl BufferMut {
    pub(super) fn new(slot: Slot) -> Self {
        Self { slot, len: 0 }
    }

    /// Bytes that the slot holds at most.
    pub fn capacity(&self) -> usize {
        self.slot.bytes().len()
    }

    /// Bytes filled so far.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn filled(&self) -> &[u8] {
        &self.slot.bytes()[..self.len]
    }

    /// The whole slot, filled or not; what was not filled holds bytes of earlier uses.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        self.slot.bytes_mut()
    }

    /// Declares that the first `len` bytes are content.
    pub fn set_filled(&mut self, len: usize) {
        assert!(len <= self.capacity(), "a slot cannot hold {len} bytes");
        self.len = len;
    }

    /// Appends as much of `bytes` as fits; how much that was.
    pub fn append(&mut self, bytes: &[u8]) -> usize {
        let take = bytes.len().min(self.capacity() - self.len);
        let at = self.len;
        self.slot.bytes_mut()[at..at + take].copy_from_slice(&bytes[..take]);
        self.len += take;
        take
    }

    /// Fills with zeros up to a multiple of `unit` (writes with O_DIRECT are whole pages).
    pub fn pad_to(&mut self, unit: usize) {
        let end = self.len.next_multiple_of(unit);
        let at = self.len;
        self.slot.bytes_mut()[at..end].fill(0);
        self.len = end;
    }

    /// Ends the filling; from here on the bytes are immutable and shared.
    pub fn freeze(self) -> Buffer {
        Buffer::from_slot(Arc::new(self.slot), self.len)
    }
}

impl IoBuf for BufferMut {
    fn as_init(&self) -> &[u8] {
        self.filled()
    }
}

impl SetLen for BufferMut {
    unsafe fn set_len(&mut self, len: usize) {
        self.len = len;
    }
}

impl IoBufMut for BufferMut {
    fn as_uninit(&mut self) -> &mut [MaybeUninit<u8>] {
        let bytes = self.slot.bytes_mut();
        // SAFETY: initialised bytes are valid as MaybeUninit, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len()) }
    }
}
