//! The server that does nothing, for measuring what the client and loopback can do.

use std::sync::Mutex;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

#[pyclass(frozen, module = "openlake._core")]
pub struct NullServer {
    endpoint: String,
    server: Mutex<Option<openlake_client::NullServer>>,
}

#[pymethods]
impl NullServer {
    #[new]
    #[pyo3(signature = (*, threads = 1, body_bytes = 4096))]
    fn new(threads: usize, body_bytes: u64) -> PyResult<Self> {
        let server = openlake_client::NullServer::start(threads, body_bytes)?;
        let endpoint = format!("http://{}", server.address());
        Ok(Self { endpoint, server: Mutex::new(Some(server)) })
    }

    #[getter]
    fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Stops the server; a second call does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let taken = self
            .server
            .lock()
            .map_err(|_| PyRuntimeError::new_err("the null server broke"))?
            .take();
        match taken {
            Some(server) => Ok(py.detach(|| server.shutdown())?),
            None => Ok(()),
        }
    }

    const fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py)
    }
}
