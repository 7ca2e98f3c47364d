//! Multipart uploads, but for their parts' bytes.

use bytes::Bytes;
use openlake_store::{
    AbortMultipartUpload, CompleteMultipartUpload, CompletedPart, CreateMultipartUpload,
    ListMultipartUploads, ListParts, UploadListPosition,
};
use openlake_types::{ChecksumKind, PartNumber};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::arguments::{bucket, checksum, condition, invalid, key, kind, parse};
use crate::server::Server;
use crate::server::values::ObjectAttributes;

/// Number, ETag, and algorithm with base64 value if the client sent one.
type PartArgument = (u16, String, Option<(String, String)>);

#[derive(FromPyObject)]
struct CompleteRequest {
    bucket: String,
    key: PyBackedBytes,
    upload_id: String,
    parts: Vec<PartArgument>,
    if_match: Option<String>,
    if_none_match: bool,
    /// Algorithm, type and base64 value of the whole object.
    checksum: Option<(String, String, String)>,
    checksum_kind: Option<String>,
    size_bytes: Option<u64>,
}

#[derive(FromPyObject)]
struct ListUploadsRequest {
    bucket: String,
    prefix: PyBackedBytes,
    delimiter: Option<PyBackedBytes>,
    key_marker: Option<PyBackedBytes>,
    upload_id_marker: Option<String>,
    max_uploads: usize,
}

fn completed_part((number, etag, value): PartArgument) -> PyResult<CompletedPart> {
    let value = value.map(|(algorithm, base64)| {
        // A part's own checksum always covers all of the part.
        checksum(&algorithm, ChecksumKind::FullObject, &base64)
    });
    Ok(CompletedPart {
        number: PartNumber::new(number).map_err(invalid)?,
        etag: parse(&etag)?,
        checksum: value.transpose()?,
    })
}

/// A marker that ends with the delimiter is a common prefix of the page before.
fn position(request: &ListUploadsRequest) -> PyResult<Option<UploadListPosition>> {
    let Some(marker) = &request.key_marker else { return Ok(None) };
    let bytes = Bytes::copy_from_slice(marker);
    let after_prefix = request.delimiter.as_ref().is_some_and(|delimiter| {
        marker.len() > request.prefix.len() && marker.ends_with(delimiter)
    });
    Ok(Some(match &request.upload_id_marker {
        Some(upload) if !upload.is_empty() => UploadListPosition::Upload(bytes, parse(upload)?),
        _ if after_prefix => UploadListPosition::CommonPrefix(bytes),
        _ => UploadListPosition::Key(bytes),
    }))
}

#[pymethods]
impl Server {
    #[pyo3(signature = (bucket_name, key_bytes, attributes, checksum=None))]
    fn create_multipart_upload(
        &self,
        py: Python<'_>,
        bucket_name: &str,
        key_bytes: &[u8],
        attributes: ObjectAttributes,
        checksum: Option<(String, String)>,
    ) -> PyResult<u64> {
        let checksum =
            checksum.map(|(algorithm, text)| Ok::<_, PyErr>((parse(&algorithm)?, kind(&text)?)));
        let request = CreateMultipartUpload {
            bucket: bucket(bucket_name)?,
            key: key(key_bytes)?,
            attributes: attributes.into(),
            checksum: checksum.transpose()?,
        };
        self.call(py, |store| async move { store.create_multipart_upload(request).await })
    }

    fn complete_multipart_upload(&self, py: Python<'_>, request: CompleteRequest) -> PyResult<u64> {
        let whole = request
            .checksum
            .map(|(algorithm, text, base64)| checksum(&algorithm, kind(&text)?, &base64));
        let parts: PyResult<Vec<_>> = request.parts.into_iter().map(completed_part).collect();
        let request = CompleteMultipartUpload {
            bucket: bucket(&request.bucket)?,
            key: key(&request.key)?,
            upload: parse(&request.upload_id)?,
            parts: parts?,
            condition: condition(request.if_match.as_deref(), request.if_none_match)?,
            checksum: whole.transpose()?,
            checksum_kind: request.checksum_kind.as_deref().map(kind).transpose()?,
            size: request.size_bytes,
        };
        self.call(py, |store| async move { store.complete_multipart_upload(request).await })
    }

    fn abort_multipart_upload(
        &self,
        py: Python<'_>,
        bucket_name: &str,
        key_bytes: &[u8],
        upload_id: &str,
    ) -> PyResult<u64> {
        let request = AbortMultipartUpload {
            bucket: bucket(bucket_name)?,
            key: key(key_bytes)?,
            upload: parse(upload_id)?,
        };
        self.call(py, |store| async move { store.abort_multipart_upload(request).await })
    }

    #[allow(clippy::too_many_arguments, reason = "the interpreter's token is one of them")]
    fn list_parts(
        &self,
        py: Python<'_>,
        bucket_name: &str,
        key_bytes: &[u8],
        upload_id: &str,
        after: u16,
        max_parts: usize,
    ) -> PyResult<u64> {
        let request = ListParts {
            bucket: bucket(bucket_name)?,
            key: key(key_bytes)?,
            upload: parse(upload_id)?,
            after: PartNumber::new(after).ok(),
            max_parts,
        };
        self.call(py, |store| async move { store.list_parts(request).await })
    }

    fn list_multipart_uploads(&self, py: Python<'_>, request: ListUploadsRequest) -> PyResult<u64> {
        let request = ListMultipartUploads {
            after: position(&request)?,
            bucket: bucket(&request.bucket)?,
            prefix: Bytes::copy_from_slice(&request.prefix),
            delimiter: request.delimiter.as_deref().map(Bytes::copy_from_slice),
            max_uploads: request.max_uploads,
        };
        self.call(py, |store| async move { store.list_multipart_uploads(request).await })
    }
}
