//! Every native failure as one of two Python exceptions.

use openlake_server::Refused;
use openlake_store::StoreError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{create_exception, exceptions::PyException};

create_exception!(_core, EngineError, PyException, "An engine operation that did not happen.");
create_exception!(_core, StartError, PyException, "A server that did not start.");

/// The variant's name, which is the contract with the control plane.
const fn kind(error: &StoreError) -> &'static str {
    match error {
        StoreError::NoSuchBucket => "NoSuchBucket",
        StoreError::BucketExists { .. } => "BucketExists",
        StoreError::BucketNotEmpty => "BucketNotEmpty",
        StoreError::NoSuchKey => "NoSuchKey",
        StoreError::NoSuchPart => "NoSuchPart",
        StoreError::NoSuchUpload => "NoSuchUpload",
        StoreError::InvalidPart { .. } => "InvalidPart",
        StoreError::InvalidPartOrder => "InvalidPartOrder",
        StoreError::PartTooSmall { .. } => "PartTooSmall",
        StoreError::NoParts => "NoParts",
        StoreError::SizeMismatch { .. } => "SizeMismatch",
        StoreError::ChecksumMismatch => "ChecksumMismatch",
        StoreError::ChecksumAlgorithmMismatch => "ChecksumAlgorithmMismatch",
        StoreError::ChecksumKindMismatch { .. } => "ChecksumKindMismatch",
        StoreError::PreconditionFailed => "PreconditionFailed",
        StoreError::OutOfSpace => "OutOfSpace",
        StoreError::Corrupt { .. } => "Corrupt",
        StoreError::Poisoned => "Poisoned",
        StoreError::TooBusy => "TooBusy",
        StoreError::ShuttingDown => "ShuttingDown",
        StoreError::Io(_) => "Io",
    }
}

fn details(error: &StoreError) -> Vec<(&'static str, String)> {
    match error {
        StoreError::BucketExists { owner } => vec![("owner", owner.clone())],
        StoreError::InvalidPart { number } => vec![("part_number", number.get().to_string())],
        StoreError::PartTooSmall { number, size_bytes } => {
            vec![("part_number", number.get().to_string()), ("size_bytes", size_bytes.to_string())]
        }
        StoreError::SizeMismatch { expected, found } => {
            vec![("expected_bytes", expected.to_string()), ("found_bytes", found.to_string())]
        }
        _ => Vec::new(),
    }
}

/// `EngineError(kind, message)` with the attributes `kind` and `details`.
fn engine_error(
    py: Python<'_>,
    kind: &str,
    message: String,
    details: &[(&str, String)],
) -> PyResult<PyErr> {
    let error = EngineError::new_err((kind.to_owned(), message));
    let value = error.value(py);
    value.setattr("kind", kind)?;
    let fields = PyDict::new(py);
    for (name, text) in details {
        fields.set_item(name, text)?;
    }
    value.setattr("details", fields)?;
    Ok(error)
}

pub fn of_store(py: Python<'_>, error: &StoreError) -> PyErr {
    engine_error(py, kind(error), error.to_string(), &details(error))
        .unwrap_or_else(|raised| raised)
}

pub fn of_refused(py: Python<'_>, error: Refused) -> PyErr {
    let kind = match error {
        Refused::TooBusy => "TooBusy",
        Refused::ShuttingDown => "ShuttingDown",
    };
    engine_error(py, kind, error.to_string(), &[]).unwrap_or_else(|raised| raised)
}
