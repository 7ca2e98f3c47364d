//! Buckets and system records.

use bytes::Bytes;
use openlake_store::CreateBucket;
use pyo3::prelude::*;

use super::arguments::bucket;
use crate::server::Server;
use crate::server::values::NamedBytes;

#[pymethods]
impl Server {
    fn create_bucket(
        &self,
        py: Python<'_>,
        name: &str,
        owner: String,
        config: &[u8],
    ) -> PyResult<u64> {
        let config = Bytes::copy_from_slice(config);
        let request = CreateBucket { name: bucket(name)?, owner, config };
        self.call(py, |store| async move { store.create_bucket(request).await })
    }

    fn delete_bucket(&self, py: Python<'_>, name: &str) -> PyResult<u64> {
        let name = bucket(name)?;
        self.call(py, |store| async move { store.delete_bucket(name).await })
    }

    fn list_buckets(&self, py: Python<'_>) -> PyResult<u64> {
        self.call(py, |store| async move { Ok(store.list_buckets()) })
    }

    fn put_system_record(
        &self,
        py: Python<'_>,
        kind: String,
        name: String,
        value: &[u8],
    ) -> PyResult<u64> {
        let value = Bytes::copy_from_slice(value);
        self.call(py, |store| async move { store.put_system_record(&kind, &name, value).await })
    }

    fn delete_system_record(&self, py: Python<'_>, kind: String, name: String) -> PyResult<u64> {
        self.call(py, |store| async move { store.delete_system_record(&kind, &name).await })
    }

    fn list_system_records(&self, py: Python<'_>, kind: String) -> PyResult<u64> {
        self.call(py, |store| async move {
            let records = store.list_system_records(&kind).await?;
            let named = records.into_iter().map(|(name, value)| NamedBytes(name, value));
            Ok(named.collect::<Vec<_>>())
        })
    }
}
