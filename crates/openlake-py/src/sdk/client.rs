//! `NativeClient`: the S3 client's calls, each with the interpreter released while it runs.

use openlake_client::{Client, ClientError};
use openlake_types::ByteRange;
use pyo3::prelude::*;

use super::answers::{Bucket, GotObject, ListPage, ObjectHead, PutOutcome, UploadedPart};
use super::buffer::Memory;
use super::errors::raised;
use super::settings::{ClientSettings, ListSettings, PutSettings, TransferSettings};

#[pyclass(frozen, module = "openlake._core")]
pub struct NativeClient(Client);

/// First byte and the one behind the last.
type Range = Option<(u64, u64)>;

fn range_of(byte_range: Range) -> Option<ByteRange> {
    byte_range.map(|(start, end)| ByteRange { start, end })
}

/// Runs a call without the interpreter, and turns its error into an exception.
fn released<T: Send>(
    py: Python<'_>,
    call: impl FnOnce() -> Result<T, ClientError> + Send,
) -> PyResult<T> {
    py.detach(call).map_err(|error| raised(py, &error))
}

#[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts arguments by value")]
#[pymethods]
impl NativeClient {
    #[new]
    fn new(py: Python<'_>, settings: ClientSettings) -> PyResult<Self> {
        let config = settings.config()?;
        released(py, || Client::new(config)).map(Self)
    }

    fn put_object(
        &self,
        bucket: &str,
        key: &str,
        body: &Bound<'_, PyAny>,
        settings: PutSettings,
    ) -> PyResult<PutOutcome> {
        let (memory, options) = (Memory::readable(body)?, settings.into());
        let slice = memory.as_slice();
        released(body.py(), || self.0.put_object(bucket, key, slice, &options)).map(Into::into)
    }

    fn get_object(
        &self,
        py: Python<'_>,
        bucket: &str,
        key: &str,
        byte_range: Range,
    ) -> PyResult<GotObject> {
        let got = released(py, || self.0.get_object(bucket, key, range_of(byte_range)))?;
        Ok(GotObject::new(py, got))
    }

    /// The number of bytes received, and what is known of the object.
    fn get_object_into(
        &self,
        bucket: &str,
        key: &str,
        buffer: &Bound<'_, PyAny>,
        byte_range: Range,
    ) -> PyResult<(usize, ObjectHead)> {
        let mut memory = Memory::writable(buffer)?;
        let slice = memory.as_mut_slice();
        let call = || self.0.get_object_into(bucket, key, slice, range_of(byte_range));
        released(buffer.py(), call).map(|got| (got.received_bytes, got.info.into()))
    }

    fn upload(
        &self,
        bucket: &str,
        key: &str,
        body: &Bound<'_, PyAny>,
        transfer: TransferSettings,
        settings: PutSettings,
    ) -> PyResult<PutOutcome> {
        let (memory, options) = (Memory::readable(body)?, settings.into());
        let (slice, transfer) = (memory.as_slice(), transfer.transfer());
        let call = || self.0.upload(bucket, key, slice, transfer, &options);
        released(body.py(), call).map(Into::into)
    }

    fn create_multipart_upload(
        &self,
        py: Python<'_>,
        bucket: &str,
        key: &str,
        settings: PutSettings,
    ) -> PyResult<String> {
        let options = settings.into();
        released(py, || self.0.create_multipart_upload(bucket, key, &options))
    }

    fn upload_part(
        &self,
        bucket: &str,
        key: &str,
        upload_id: &str,
        number: u16,
        body: &Bound<'_, PyAny>,
    ) -> PyResult<UploadedPart> {
        let memory = Memory::readable(body)?;
        let slice = memory.as_slice();
        let call = || self.0.upload_part(bucket, key, upload_id, number, slice);
        released(body.py(), call).map(UploadedPart)
    }

    fn complete_multipart_upload(
        &self,
        bucket: &str,
        key: &str,
        upload_id: &str,
        parts: &Bound<'_, PyAny>,
        settings: PutSettings,
    ) -> PyResult<PutOutcome> {
        let (mut taken, options) = (Vec::new(), settings.into());
        for part in parts.try_iter()? {
            taken.push(part?.cast::<UploadedPart>()?.get().0.clone());
        }
        let call = || self.0.complete_multipart_upload(bucket, key, upload_id, &taken, &options);
        released(parts.py(), call).map(Into::into)
    }

    fn abort_multipart_upload(
        &self,
        py: Python<'_>,
        bucket: &str,
        key: &str,
        upload_id: &str,
    ) -> PyResult<()> {
        released(py, || self.0.abort_multipart_upload(bucket, key, upload_id))
    }

    fn download_into(
        &self,
        bucket: &str,
        key: &str,
        buffer: &Bound<'_, PyAny>,
        start: u64,
        transfer: TransferSettings,
    ) -> PyResult<ObjectHead> {
        let mut memory = Memory::writable(buffer)?;
        let (slice, transfer) = (memory.as_mut_slice(), transfer.transfer());
        let call = || self.0.download_into(bucket, key, slice, start, transfer);
        released(buffer.py(), call).map(Into::into)
    }

    fn head_object(&self, py: Python<'_>, bucket: &str, key: &str) -> PyResult<ObjectHead> {
        released(py, || self.0.head_object(bucket, key)).map(Into::into)
    }

    fn delete_object(&self, py: Python<'_>, bucket: &str, key: &str) -> PyResult<()> {
        released(py, || self.0.delete_object(bucket, key))
    }

    fn list_objects(
        &self,
        py: Python<'_>,
        bucket: &str,
        settings: ListSettings,
    ) -> PyResult<ListPage> {
        let options = settings.into();
        ListPage::new(py, released(py, || self.0.list_objects(bucket, &options))?)
    }

    fn create_bucket(&self, py: Python<'_>, bucket: &str) -> PyResult<()> {
        released(py, || self.0.create_bucket(bucket))
    }

    fn delete_bucket(&self, py: Python<'_>, bucket: &str) -> PyResult<()> {
        released(py, || self.0.delete_bucket(bucket))
    }

    fn head_bucket(&self, py: Python<'_>, bucket: &str) -> PyResult<bool> {
        released(py, || self.0.head_bucket(bucket))
    }

    fn list_buckets(&self, py: Python<'_>) -> PyResult<Vec<Bucket>> {
        let buckets = released(py, || self.0.list_buckets())?;
        Ok(buckets.into_iter().map(Into::into).collect())
    }
}
