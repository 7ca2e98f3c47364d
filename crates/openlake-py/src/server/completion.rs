//! What came of an engine call, carried through the ring and turned into Python when asked for.

use pyo3::prelude::*;

/// Makes the result on the interpreter's thread; shards never touch the interpreter.
pub type Outcome = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// What travels through the ring.
pub struct Finished {
    pub token: u64,
    pub outcome: Outcome,
}

/// A finished engine call.
#[pyclass(frozen, module = "openlake._core")]
pub struct Completion {
    #[pyo3(get)]
    token: u64,
    result: PyResult<Py<PyAny>>,
}

impl Completion {
    pub fn new(py: Python<'_>, finished: Finished) -> Self {
        Self { token: finished.token, result: (finished.outcome)(py) }
    }
}

#[pymethods]
impl Completion {
    /// The value, or the exception.
    fn result(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.result {
            Ok(value) => Ok(value.clone_ref(py)),
            Err(error) => Err(error.clone_ref(py)),
        }
    }
}
