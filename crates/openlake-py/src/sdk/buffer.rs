//! Python objects with the buffer protocol (bytes, bytearray, memoryview, mmap, numpy, torch by
//! numpy) as slices, without a copy.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

/// A buffer held open; its memory stays where it is until this is dropped.
pub struct Memory(PyUntypedBuffer);

impl Memory {
    pub fn readable(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyUntypedBuffer::get(object)?;
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err("the buffer is not contiguous; copy it first"));
        }
        Ok(Self(buffer))
    }

    pub fn writable(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let memory = Self::readable(object)?;
        if memory.0.readonly() {
            return Err(PyBufferError::new_err("the buffer is read-only"));
        }
        Ok(memory)
    }

    pub fn as_slice(&self) -> &[u8] {
        let bytes = self.0.len_bytes();
        if bytes == 0 {
            return &[];
        }
        // SAFETY: the exporter keeps `len_bytes` contiguous bytes in place while the buffer is
        // held. That no other thread writes to them meanwhile is the documented duty of the caller.
        unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast(), bytes) }
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        let bytes = self.0.len_bytes();
        if bytes == 0 {
            return &mut [];
        }
        // SAFETY: as above, and `writable` has seen that the exporter allows writing. That no other
        // thread uses them meanwhile is the documented duty of the caller.
        unsafe { std::slice::from_raw_parts_mut(self.0.buf_ptr().cast(), bytes) }
    }
}
