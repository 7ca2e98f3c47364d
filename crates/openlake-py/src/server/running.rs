//! The server as a Python object: start, drain, stop. Engine calls are in `calls`.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use openlake_io::UringDisk;
use openlake_s3::AccessTables;
use openlake_s3::auth::SecretKey;
use openlake_server::{RingItem, Server as NativeServer};
use openlake_store::{Store, StoreError};
use openlake_types::BucketName;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::completion::{Completion, Finished, Outcome};
use super::errors::{self, StartError};
use super::request::Request;
use super::{config, values};

/// Access key, secret key, user id, whether it is root.
type Key = (String, String, String, bool);

#[pyclass(frozen, module = "openlake._core")]
pub struct Server {
    native: NativeServer<Finished>,
    address: String,
    tokens: AtomicU64,
}

#[pymethods]
impl Server {
    #[staticmethod]
    fn start(py: Python<'_>, config: &Bound<'_, PyAny>) -> PyResult<Self> {
        let config = config::read(config)?;
        let native = py
            .detach(|| NativeServer::start(config))
            .map_err(|error| StartError::new_err(error.to_string()))?;
        let address = native.address().to_string();
        Ok(Self { native, address, tokens: AtomicU64::new(1) })
    }

    #[getter]
    fn address(&self) -> &str {
        &self.address
    }

    fn fileno(&self) -> i32 {
        self.native.ring().fd()
    }

    fn drain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for item in self.native.ring().drain() {
            match item {
                RingItem::Request(pending) => list.append(Py::new(py, Request::new(*pending))?)?,
                RingItem::Completion(finished) => {
                    list.append(Py::new(py, Completion::new(py, finished))?)?;
                }
            }
        }
        Ok(list)
    }

    fn set_access(
        &self,
        py: Python<'_>,
        keys: Vec<Key>,
        owners: Vec<(String, String)>,
    ) -> PyResult<u64> {
        let mut tables = AccessTables::default();
        for (access_key, secret, user_id, is_root) in keys {
            let secret = SecretKey::new(&secret);
            let secret = secret.map_err(|error| PyValueError::new_err(error.to_string()))?;
            tables.keys.insert(&access_key, secret, &user_id, is_root);
        }
        for (bucket, owner) in owners {
            let bucket = BucketName::new(&bucket);
            let bucket = bucket.map_err(|error| PyValueError::new_err(error.to_string()))?;
            tables.owners.insert(bucket, owner.into());
        }
        let token = self.token();
        let ring = self.native.ring().clone();
        let outcome: Outcome = Box::new(|py| Ok(py.None()));
        let done = move || ring.complete(Finished { token, outcome });
        let sent = self.native.engine().set_tables(tables, done);
        sent.map(|()| token).map_err(|refused| errors::of_refused(py, refused))
    }

    fn metrics(&self, py: Python<'_>) -> PyResult<u64> {
        let token = self.token();
        let ring = self.native.ring().clone();
        let sent = self.native.engine().counters(move |counters| {
            let outcome: Outcome = Box::new(move |py| {
                let table = PyDict::new(py);
                for (name, count) in counters {
                    table.set_item(name, count)?;
                }
                Ok(table.into_any().unbind())
            });
            ring.complete(Finished { token, outcome });
        });
        sent.map(|()| token).map_err(|refused| errors::of_refused(py, refused))
    }

    /// Blocks without the GIL; the event loop has to go on draining meanwhile.
    fn shutdown(&self, py: Python<'_>, drain_timeout_s: f64) -> PyResult<()> {
        let limit = Duration::try_from_secs_f64(drain_timeout_s)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        py.detach(|| self.native.shutdown(limit));
        Ok(())
    }
}

impl Server {
    pub fn token(&self) -> u64 {
        self.tokens.fetch_add(1, Ordering::Relaxed)
    }

    /// Runs `work` on a shard; what it resolves to completes the returned token.
    pub fn call<T, F>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Store<UringDisk>) -> F + Send + 'static,
    ) -> PyResult<u64>
    where
        T: values::ToPython + Send + 'static,
        F: Future<Output = Result<T, StoreError>> + 'static,
    {
        let token = self.token();
        let ring = self.native.ring().clone();
        let sent = self.native.engine().call(move |store| async move {
            let result = work(store).await;
            let outcome: Outcome = Box::new(move |py| match result {
                Ok(value) => value.to_python(py),
                Err(error) => Err(errors::of_store(py, &error)),
            });
            ring.complete(Finished { token, outcome });
        });
        sent.map(|()| token).map_err(|refused| errors::of_refused(py, refused))
    }
}
