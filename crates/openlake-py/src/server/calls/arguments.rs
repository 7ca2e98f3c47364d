//! Python arguments as engine types; a wrong one is a `ValueError` of the caller.

use std::fmt::Display;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use openlake_store::WriteCondition;
use openlake_types::{BucketName, Checksum, ChecksumAlgorithm, ChecksumKind, ETag, ObjectKey};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub fn invalid(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub fn bucket(name: &str) -> PyResult<BucketName> {
    BucketName::new(name).map_err(invalid)
}

pub fn key(bytes: &[u8]) -> PyResult<ObjectKey> {
    ObjectKey::new(Bytes::copy_from_slice(bytes)).map_err(invalid)
}

pub fn parse<T: FromStr<Err: Display>>(text: &str) -> PyResult<T> {
    text.parse().map_err(invalid)
}

/// `if_match`: an ETag or `*`.
pub fn condition(if_match: Option<&str>, if_none_match: bool) -> PyResult<WriteCondition> {
    match (if_match, if_none_match) {
        (Some(_), true) => Err(invalid("if_match and if_none_match exclude each other")),
        (None, true) => Ok(WriteCondition::IfNoneMatchAny),
        (Some("*"), false) => Ok(WriteCondition::IfMatchAny),
        (Some(etag), false) => Ok(WriteCondition::IfMatch(parse::<ETag>(etag)?)),
        (None, false) => Ok(WriteCondition::None),
    }
}

pub fn kind(text: &str) -> PyResult<ChecksumKind> {
    match text {
        "FULL_OBJECT" => Ok(ChecksumKind::FullObject),
        "COMPOSITE" => Ok(ChecksumKind::Composite),
        other => Err(invalid(format!("{other} is no checksum type"))),
    }
}

pub fn checksum(algorithm: &str, kind: ChecksumKind, base64: &str) -> PyResult<Checksum> {
    let value = STANDARD.decode(base64).map_err(invalid)?;
    Checksum::new(parse::<ChecksumAlgorithm>(algorithm)?, kind, &value).map_err(invalid)
}
