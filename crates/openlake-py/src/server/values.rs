//! The values that cross to Python, and how engine values become them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openlake_store::{
    BucketInfo as StoreBucket, ListedUpload, ObjectAttributes as StoreAttributes,
    ObjectInfo as StoreObject, PartInfo, PartsPage as StorePartsPage, UploadListPage,
    UploadListPosition,
};
use openlake_types::{Checksum, ChecksumAlgorithm, ChecksumKind, ETag, UploadId};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// Engine values that Python can be given.
pub trait ToPython {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>>;
}

/// Algorithm, type and base64 value, as S3 writes them.
pub type ChecksumText = (&'static str, &'static str, String);

pub fn checksum_text(checksum: &Checksum) -> ChecksumText {
    (checksum.algorithm.name(), checksum.kind.name(), STANDARD.encode(checksum.value()))
}

fn algorithm_text(
    checksum: Option<(ChecksumAlgorithm, ChecksumKind)>,
) -> Option<(&'static str, &'static str)> {
    checksum.map(|(algorithm, kind)| (algorithm.name(), kind.name()))
}

/// Content headers and user metadata of an object.
#[pyclass(frozen, from_py_object, get_all, module = "openlake._core")]
#[derive(Clone)]
pub struct ObjectAttributes {
    content_type: Option<String>,
    content_encoding: Option<String>,
    content_language: Option<String>,
    content_disposition: Option<String>,
    cache_control: Option<String>,
    expires: Option<String>,
    user_metadata: Vec<(String, String)>,
}

#[pymethods]
impl ObjectAttributes {
    #[new]
    #[pyo3(signature = (*, content_type=None, content_encoding=None, content_language=None,
                        content_disposition=None, cache_control=None, expires=None,
                        user_metadata=Vec::new()))]
    #[allow(clippy::too_many_arguments, reason = "keywords only, one a header")]
    fn new(
        content_type: Option<String>,
        content_encoding: Option<String>,
        content_language: Option<String>,
        content_disposition: Option<String>,
        cache_control: Option<String>,
        expires: Option<String>,
        user_metadata: Vec<(String, String)>,
    ) -> Self {
        Self {
            content_type,
            content_encoding,
            content_language,
            content_disposition,
            cache_control,
            expires,
            user_metadata,
        }
    }
}

impl From<StoreAttributes> for ObjectAttributes {
    fn from(from: StoreAttributes) -> Self {
        Self {
            content_type: from.content_type,
            content_encoding: from.content_encoding,
            content_language: from.content_language,
            content_disposition: from.content_disposition,
            cache_control: from.cache_control,
            expires: from.expires,
            user_metadata: from.user_metadata,
        }
    }
}

impl From<ObjectAttributes> for StoreAttributes {
    fn from(from: ObjectAttributes) -> Self {
        Self {
            content_type: from.content_type,
            content_encoding: from.content_encoding,
            content_language: from.content_language,
            content_disposition: from.content_disposition,
            cache_control: from.cache_control,
            expires: from.expires,
            user_metadata: from.user_metadata,
            ..Self::new(ETag::of_md5([0; 16]))
        }
    }
}

#[pyclass(frozen, get_all, module = "openlake._core")]
pub struct EngineObject {
    size_bytes: u64,
    etag: String,
    last_modified_ms: u64,
    attributes: ObjectAttributes,
    checksum: Option<ChecksumText>,
    parts_count: u16,
}

impl ToPython for StoreObject {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let info = EngineObject {
            size_bytes: self.size,
            etag: self.etag().to_string(),
            last_modified_ms: self.last_modified.0,
            checksum: self.checksum().as_ref().map(checksum_text),
            parts_count: self.parts_count,
            attributes: self.attributes.into(),
        };
        Ok(Py::new(py, info)?.into_any())
    }
}

#[pyclass(frozen, get_all, module = "openlake._core")]
pub struct BucketInfo {
    name: String,
    owner: String,
    created_ms: u64,
    config: Py<PyBytes>,
}

impl ToPython for StoreBucket {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let info = BucketInfo {
            name: self.name.to_string(),
            owner: self.owner,
            created_ms: self.created.0,
            config: PyBytes::new(py, &self.config).unbind(),
        };
        Ok(Py::new(py, info)?.into_any())
    }
}

#[pyclass(frozen, get_all, module = "openlake._core")]
pub struct Part {
    number: u16,
    size_bytes: u64,
    etag: String,
    last_modified_ms: u64,
    checksum: Option<ChecksumText>,
}

impl ToPython for PartInfo {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let part = Part {
            number: self.number.get(),
            size_bytes: self.size,
            etag: self.etag.to_string(),
            last_modified_ms: self.last_modified.0,
            checksum: self.checksum.as_ref().map(checksum_text),
        };
        Ok(Py::new(py, part)?.into_any())
    }
}

#[pyclass(frozen, get_all, module = "openlake._core")]
pub struct PartsPage {
    initiated_ms: u64,
    checksum: Option<(&'static str, &'static str)>,
    attributes: ObjectAttributes,
    parts: Py<PyAny>,
    is_truncated: bool,
}

impl ToPython for StorePartsPage {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let page = PartsPage {
            initiated_ms: self.initiated.0,
            checksum: algorithm_text(self.checksum),
            attributes: self.attributes.into(),
            parts: self.parts.to_python(py)?,
            is_truncated: self.is_truncated,
        };
        Ok(Py::new(py, page)?.into_any())
    }
}

#[allow(clippy::struct_field_names, reason = "upload_id is S3's word")]
#[pyclass(frozen, get_all, module = "openlake._core")]
pub struct Upload {
    key: Py<PyBytes>,
    upload_id: String,
    initiated_ms: u64,
    checksum: Option<(&'static str, &'static str)>,
}

impl ToPython for ListedUpload {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let upload = Upload {
            key: PyBytes::new(py, self.key.as_bytes()).unbind(),
            upload_id: self.upload.to_string(),
            initiated_ms: self.initiated.0,
            checksum: algorithm_text(self.checksum),
        };
        Ok(Py::new(py, upload)?.into_any())
    }
}

#[pyclass(frozen, get_all, module = "openlake._core")]
pub struct UploadsPage {
    uploads: Py<PyAny>,
    common_prefixes: Vec<Py<PyBytes>>,
    is_truncated: bool,
    next_key_marker: Option<Py<PyBytes>>,
    next_upload_id_marker: Option<String>,
}

impl ToPython for UploadListPage {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let is_truncated = self.next.is_some();
        let (key, upload) = match self.next {
            Some(UploadListPosition::Upload(key, upload)) => (Some(key), Some(upload)),
            Some(UploadListPosition::Key(key) | UploadListPosition::CommonPrefix(key)) => {
                (Some(key), None)
            }
            None => (None, None),
        };
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes).unbind();
        let page = UploadsPage {
            uploads: self.uploads.to_python(py)?,
            common_prefixes: self.common_prefixes.iter().map(|prefix| bytes(prefix)).collect(),
            is_truncated,
            next_key_marker: key.map(|key| bytes(&key)),
            next_upload_id_marker: upload.map(|upload| upload.to_string()),
        };
        Ok(Py::new(py, page)?.into_any())
    }
}

/// The value of a system record, or of any opaque bytes with a name.
pub struct NamedBytes(pub String, pub bytes::Bytes);

impl ToPython for NamedBytes {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let pair = (self.0, PyBytes::new(py, &self.1));
        Ok(pair.into_pyobject(py)?.into_any().unbind())
    }
}

impl ToPython for () {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(py.None())
    }
}

impl ToPython for bool {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.into_pyobject(py)?.to_owned().into_any().unbind())
    }
}

impl ToPython for UploadId {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.to_string().into_pyobject(py)?.into_any().unbind())
    }
}

impl<T: ToPython> ToPython for Vec<T> {
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let list = PyList::empty(py);
        for item in self {
            list.append(item.to_python(py)?)?;
        }
        Ok(list.into_any().unbind())
    }
}
