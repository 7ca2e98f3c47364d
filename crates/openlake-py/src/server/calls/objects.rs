//! Objects, as far as control verbs touch them.

use openlake_store::{CopyObject, DeleteObject, GetObject};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::arguments::{bucket, condition, key, parse};
use crate::server::Server;
use crate::server::values::ObjectAttributes;

/// What `copy_object` is told, read by attribute.
#[derive(FromPyObject)]
struct CopyRequest {
    source_bucket: String,
    source_key: PyBackedBytes,
    source_etag: Option<String>,
    bucket: String,
    key: PyBackedBytes,
    attributes: Option<ObjectAttributes>,
    if_match: Option<String>,
    if_none_match: bool,
}

#[pymethods]
impl Server {
    fn head_object(&self, py: Python<'_>, bucket_name: &str, key_bytes: &[u8]) -> PyResult<u64> {
        let request = GetObject { bucket: bucket(bucket_name)?, key: key(key_bytes)? };
        self.call(py, |store| async move { store.head_object(request).await })
    }

    #[pyo3(signature = (bucket_name, key_bytes, if_match=None))]
    fn delete_object(
        &self,
        py: Python<'_>,
        bucket_name: &str,
        key_bytes: &[u8],
        if_match: Option<&str>,
    ) -> PyResult<u64> {
        let request = DeleteObject {
            bucket: bucket(bucket_name)?,
            key: key(key_bytes)?,
            condition: condition(if_match, false)?,
        };
        self.call(py, |store| async move { Ok(store.delete_object(request).await?.existed) })
    }

    fn copy_object(&self, py: Python<'_>, request: CopyRequest) -> PyResult<u64> {
        let request = CopyObject {
            source_bucket: bucket(&request.source_bucket)?,
            source_key: key(&request.source_key)?,
            source_etag: request.source_etag.as_deref().map(parse).transpose()?,
            bucket: bucket(&request.bucket)?,
            key: key(&request.key)?,
            attributes: request.attributes.map(Into::into),
            condition: condition(request.if_match.as_deref(), request.if_none_match)?,
        };
        self.call(py, |store| async move { store.copy_object(request).await })
    }
}
