//! Seeded content for tests and benchmarks, made and checked at memory speed.

use openlake_coding::pattern;
use pyo3::prelude::*;

use super::buffer::Memory;

#[pyfunction]
pub fn pattern_fill(buffer: &Bound<'_, PyAny>, seed: u64, offset: u64) -> PyResult<()> {
    let mut memory = Memory::writable(buffer)?;
    let slice = memory.as_mut_slice();
    buffer.py().detach(|| pattern::fill(slice, seed, offset));
    Ok(())
}

#[pyfunction]
pub fn pattern_first_difference(
    buffer: &Bound<'_, PyAny>,
    seed: u64,
    offset: u64,
) -> PyResult<Option<usize>> {
    let memory = Memory::readable(buffer)?;
    let slice = memory.as_slice();
    Ok(buffer.py().detach(|| pattern::first_difference(slice, seed, offset)))
}
