//! What Python hands over: the attributes of the frozen dataclasses of `openlake.sdk.settings`.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use openlake_client::{ClientConfig, Credentials, ListOptions, PartETag, PutOptions, Transfer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Grows while a transfer runs; read it from any thread.
#[pyclass(frozen, module = "openlake._core")]
#[derive(Default)]
pub struct Progress(pub AtomicU64);

#[pymethods]
impl Progress {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.0.load(Relaxed)
    }

    fn __repr__(&self) -> String {
        format!("Progress(bytes={})", self.bytes())
    }
}

#[derive(FromPyObject)]
pub struct ClientSettings {
    endpoint: String,
    access_key: String,
    secret_key: String,
    session_token: Option<String>,
    region: String,
    connect_timeout_s: f64,
    deadline_s: f64,
    attempts_max: u32,
    idle_connections_max: usize,
    part_etag: String,
}

impl ClientSettings {
    pub fn config(self) -> PyResult<ClientConfig> {
        let credentials = Credentials {
            access_key: self.access_key,
            secret_key: self.secret_key,
            session_token: self.session_token,
        };
        let mut config = ClientConfig::new(self.endpoint, credentials);
        config.region = self.region;
        config.connect_timeout = seconds("connect_timeout_s", self.connect_timeout_s)?;
        config.deadline = seconds("deadline_s", self.deadline_s)?;
        config.attempts_max = self.attempts_max;
        config.idle_connections_max = self.idle_connections_max;
        config.part_etag = part_etag(&self.part_etag)?;
        Ok(config)
    }
}

fn part_etag(name: &str) -> PyResult<PartETag> {
    match name {
        "crc64nvme" => Ok(PartETag::Crc64Nvme),
        "md5" => Ok(PartETag::Md5),
        _ => Err(PyValueError::new_err(format!("part_etag is {name:?}: give crc64nvme or md5"))),
    }
}

pub fn seconds(name: &str, value: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(value)
        .map_err(|error| PyValueError::new_err(format!("{name} is {value}: {error}")))
}

#[derive(FromPyObject)]
pub struct PutSettings {
    content_type: Option<String>,
    metadata: Vec<(String, String)>,
    if_none_match: bool,
    if_match: Option<String>,
}

impl From<PutSettings> for PutOptions {
    fn from(settings: PutSettings) -> Self {
        Self {
            content_type: settings.content_type,
            metadata: settings.metadata,
            if_none_match: settings.if_none_match,
            if_match: settings.if_match,
        }
    }
}

#[derive(FromPyObject)]
pub struct TransferSettings {
    part_bytes: usize,
    parallel: usize,
    progress: Option<Py<Progress>>,
}

impl TransferSettings {
    pub fn transfer(&self) -> Transfer<'_> {
        Transfer {
            part_bytes: self.part_bytes,
            parallel: self.parallel,
            progress: self.progress.as_ref().map(|progress| &progress.get().0),
        }
    }
}

#[derive(FromPyObject)]
pub struct ListSettings {
    prefix: String,
    delimiter: Option<String>,
    start_after: Option<String>,
    continuation_token: Option<String>,
    max_keys: Option<u32>,
}

impl From<ListSettings> for ListOptions {
    fn from(settings: ListSettings) -> Self {
        Self {
            prefix: settings.prefix,
            delimiter: settings.delimiter,
            start_after: settings.start_after,
            continuation_token: settings.continuation_token,
            max_keys: settings.max_keys,
        }
    }
}
