//! Every native failure as an exception of `openlake.errors`, chosen there in one place.

use openlake_client::{ClientError, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;

const fn name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidInput => "invalid_input",
        ErrorKind::Connect => "connect",
        ErrorKind::Connection => "connection",
        ErrorKind::Deadline => "deadline",
        ErrorKind::Protocol => "protocol",
        ErrorKind::Integrity => "integrity",
        ErrorKind::Service => "service",
    }
}

pub fn raised(py: Python<'_>, error: &ClientError) -> PyErr {
    exception(py, error).map_or_else(|failure| failure, PyErr::from_value)
}

fn exception<'py>(py: Python<'py>, error: &ClientError) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("message", &error.message)?;
    fields.set_item("status", error.status)?;
    fields.set_item("code", &error.code)?;
    fields.set_item("request_id", &error.request_id)?;
    fields.set_item("bucket", &error.bucket)?;
    fields.set_item("key", &error.key)?;
    fields.set_item("attempts", error.attempts)?;
    let choose = py.import("openlake.errors")?.getattr("of_native")?;
    choose.call((name(error.kind),), Some(&fields))
}
