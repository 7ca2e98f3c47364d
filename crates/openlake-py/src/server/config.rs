//! The configuration object of the control plane, read by attribute.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use openlake_s3::Timeouts;
use openlake_server::ServerConfig;
use openlake_store::StoreConfig;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Raises `ValueError` for values that no server can have.
pub fn read(config: &Bound<'_, PyAny>) -> PyResult<ServerConfig> {
    let cores: u16 = attribute(config, "cores")?;
    let data_dir: String = attribute(config, "data_dir")?;
    let mut store = StoreConfig::new(data_dir, if cores == 0 { all_cores() } else { cores });
    store.inline_bytes_max = attribute(config, "inline_bytes_max")?;
    store.journal_segment_bytes = attribute(config, "journal_segment_bytes")?;
    store.cache_bytes = attribute(config, "cache_bytes")?;
    store.recycle_bytes_max = attribute(config, "recycle_bytes_max")?;
    Ok(ServerConfig {
        listen: address(&attribute::<String>(config, "listen")?)?,
        region: attribute(config, "region")?,
        store,
        buffer_bytes: attribute(config, "buffer_bytes")?,
        prefault_bytes: attribute(config, "prefault_bytes")?,
        timeouts: Timeouts {
            head: seconds(config, "head_timeout_s")?,
            idle: seconds(config, "idle_timeout_s")?,
            stall: seconds(config, "body_timeout_s")?,
            ..Timeouts::default()
        },
        control_requests_max: attribute(config, "control_requests_max")?,
    })
}

fn attribute<'py, T>(config: &Bound<'py, PyAny>, name: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    config.getattr(name)?.extract::<T>().map_err(Into::into)
}

fn seconds(config: &Bound<'_, PyAny>, name: &str) -> PyResult<Duration> {
    let seconds: f64 = attribute(config, name)?;
    Duration::try_from_secs_f64(seconds)
        .map_err(|error| PyValueError::new_err(format!("{name}: {error}")))
}

fn address(text: &str) -> PyResult<SocketAddr> {
    let found = text.to_socket_addrs().map_err(|error| {
        PyValueError::new_err(format!("{text} is no address to listen on: {error}"))
    })?;
    found.into_iter().next().ok_or_else(|| PyValueError::new_err(format!("{text} has no address")))
}

fn all_cores() -> u16 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u16)
}
