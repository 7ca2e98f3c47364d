//! `openlake._core`: what Python sees of the Rust side. Conversion and registration, no logic;
//! the documentation of each class is in `python/openlake/_core.pyi`.

use pyo3::prelude::*;

mod sdk;
mod server;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(version, module)?)?;
    server::register(module)?;
    sdk::register(module)
}
