//! A control request, as Python answers it.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use openlake_io::oneshot;
use openlake_s3::control::{ControlAnswer, ControlRequest};
use openlake_server::PendingRequest;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Dropped unanswered, the client is told to slow down.
#[pyclass(frozen, module = "openlake._core")]
pub struct Request {
    request: ControlRequest,
    reply: Mutex<Option<oneshot::Reply<ControlAnswer>>>,
}

impl Request {
    pub fn new(pending: PendingRequest) -> Self {
        Self { request: pending.request, reply: Mutex::new(Some(pending.reply)) }
    }
}

#[pymethods]
impl Request {
    #[getter]
    fn request_id(&self) -> &str {
        &self.request.request_id
    }

    #[getter]
    fn method(&self) -> &str {
        self.request.method.name().unwrap_or("OTHER")
    }

    #[getter]
    fn target(&self) -> String {
        String::from_utf8_lossy(&self.request.target).into_owned()
    }

    #[getter]
    fn host(&self) -> String {
        let host = self.request.headers.get("host");
        host.map(|host| String::from_utf8_lossy(host).into_owned()).unwrap_or_default()
    }

    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        let headers = self.request.headers.iter();
        let named = headers.map(|(name, value)| {
            (String::from_utf8_lossy(name).into_owned(), PyBytes::new(py, value))
        });
        named.collect()
    }

    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.request.body)
    }

    #[getter]
    fn user_id(&self) -> &str {
        self.request.identity.user_id()
    }

    #[getter]
    fn is_root(&self) -> bool {
        self.request.identity.is_root()
    }

    /// Sends the answer; a second one is an error of the caller.
    fn answer(&self, status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> PyResult<()> {
        let reply = self.reply.lock().unwrap_or_else(PoisonError::into_inner).take();
        let reply =
            reply.ok_or_else(|| PyRuntimeError::new_err("the request was answered before"))?;
        reply.send(ControlAnswer { status, headers, body: Bytes::from(body) });
        Ok(())
    }
}
