//! What the client's calls return: small frozen values.

use std::fmt::Write;

use openlake_types::ChecksumKind;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// `Name(field=value, …)` from the names and representations.
fn shown(name: &str, fields: &[(&str, String)]) -> String {
    let mut text = format!("{name}(");
    for (index, (field, value)) in fields.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(text, "{comma}{field}={value}").expect("writing to a String cannot fail");
    }
    text.push(')');
    text
}

#[pyclass(frozen, eq, module = "openlake._core")]
#[derive(PartialEq)]
pub struct PutOutcome {
    #[pyo3(get)]
    etag: String,
    /// Eight bytes, big-endian.
    crc64nvme: Vec<u8>,
}

#[pymethods]
impl PutOutcome {
    #[getter]
    fn crc64nvme<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.crc64nvme)
    }

    fn __repr__(&self) -> String {
        shown("PutOutcome", &[("etag", format!("{:?}", self.etag))])
    }
}

impl From<openlake_client::PutOutcome> for PutOutcome {
    fn from(outcome: openlake_client::PutOutcome) -> Self {
        Self { etag: outcome.etag, crc64nvme: outcome.crc64nvme.to_vec() }
    }
}

#[pyclass(frozen, eq, module = "openlake._core")]
#[derive(PartialEq)]
pub struct UploadedPart(pub openlake_client::UploadedPart);

#[pymethods]
impl UploadedPart {
    #[getter]
    const fn number(&self) -> u16 {
        self.0.number
    }

    #[getter]
    fn etag(&self) -> &str {
        &self.0.etag
    }

    #[getter]
    const fn size_bytes(&self) -> u64 {
        self.0.size_bytes
    }

    fn __repr__(&self) -> String {
        let part = &self.0;
        let fields = [
            ("number", part.number.to_string()),
            ("etag", format!("{:?}", part.etag)),
            ("size_bytes", part.size_bytes.to_string()),
        ];
        shown("UploadedPart", &fields)
    }
}

#[pyclass(frozen, eq, module = "openlake._core")]
#[derive(Clone, PartialEq)]
pub struct ObjectHead(openlake_client::ObjectInfo);

#[pymethods]
impl ObjectHead {
    #[getter]
    const fn size_bytes(&self) -> u64 {
        self.0.size_bytes
    }

    #[getter]
    fn etag(&self) -> &str {
        &self.0.etag
    }

    #[getter]
    fn last_modified(&self) -> &str {
        &self.0.last_modified
    }

    #[getter]
    fn content_type(&self) -> &str {
        &self.0.content_type
    }

    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let metadata = PyDict::new(py);
        for (name, value) in &self.0.metadata {
            metadata.set_item(name, value)?;
        }
        Ok(metadata)
    }

    #[getter]
    fn checksum_algorithm(&self) -> Option<&'static str> {
        self.0.checksum.map(|sum| sum.algorithm.name())
    }

    #[getter]
    fn checksum<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.checksum.map(|sum| PyBytes::new(py, sum.value()))
    }

    #[getter]
    fn checksum_is_full_object(&self) -> bool {
        self.0.checksum.is_some_and(|sum| sum.kind == ChecksumKind::FullObject)
    }

    fn __repr__(&self) -> String {
        let info = &self.0;
        let fields = [
            ("size_bytes", info.size_bytes.to_string()),
            ("etag", format!("{:?}", info.etag)),
            ("last_modified", format!("{:?}", info.last_modified)),
        ];
        shown("ObjectHead", &fields)
    }
}

impl From<openlake_client::ObjectInfo> for ObjectHead {
    fn from(info: openlake_client::ObjectInfo) -> Self {
        Self(info)
    }
}

#[pyclass(frozen, get_all, module = "openlake._core")]
pub struct GotObject {
    head: ObjectHead,
    body: Py<PyBytes>,
}

#[pymethods]
impl GotObject {
    fn __repr__(&self) -> String {
        shown("GotObject", &[("head", self.head.__repr__())])
    }
}

impl GotObject {
    pub fn new(py: Python<'_>, got: openlake_client::GotObject) -> Self {
        Self { head: got.info.into(), body: PyBytes::new(py, &got.body).unbind() }
    }
}

#[pyclass(frozen, eq, get_all, module = "openlake._core")]
#[derive(Clone, PartialEq)]
pub struct ListedObject {
    key: String,
    size_bytes: u64,
    etag: String,
    last_modified: String,
}

#[pymethods]
impl ListedObject {
    fn __repr__(&self) -> String {
        let fields = [
            ("key", format!("{:?}", self.key)),
            ("size_bytes", self.size_bytes.to_string()),
            ("etag", format!("{:?}", self.etag)),
        ];
        shown("ListedObject", &fields)
    }
}

#[pyclass(frozen, get_all, module = "openlake._core")]
pub struct ListPage {
    objects: Vec<Py<ListedObject>>,
    common_prefixes: Vec<String>,
    next_continuation_token: Option<String>,
}

#[pymethods]
impl ListPage {
    fn __repr__(&self) -> String {
        let fields = [
            ("objects", format!("<{}>", self.objects.len())),
            ("common_prefixes", format!("<{}>", self.common_prefixes.len())),
        ];
        shown("ListPage", &fields)
    }
}

impl ListPage {
    pub fn new(py: Python<'_>, page: openlake_client::ListPage) -> PyResult<Self> {
        let listed = |object: openlake_client::ListedObject| {
            let openlake_client::ListedObject { key, size_bytes, etag, last_modified } = object;
            Py::new(py, ListedObject { key, size_bytes, etag, last_modified })
        };
        Ok(Self {
            objects: page.objects.into_iter().map(listed).collect::<PyResult<_>>()?,
            common_prefixes: page.common_prefixes,
            next_continuation_token: page.next_continuation_token,
        })
    }
}

#[pyclass(frozen, eq, get_all, module = "openlake._core")]
#[derive(PartialEq)]
pub struct Bucket {
    name: String,
    creation_date: String,
}

#[pymethods]
impl Bucket {
    fn __repr__(&self) -> String {
        shown("Bucket", &[("name", format!("{:?}", self.name))])
    }
}

impl From<openlake_client::Bucket> for Bucket {
    fn from(bucket: openlake_client::Bucket) -> Self {
        Self { name: bucket.name, creation_date: bucket.creation_date }
    }
}
