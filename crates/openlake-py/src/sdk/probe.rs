//! `probe_drive`: what the drive itself gives.

use std::path::PathBuf;

use openlake_io::probe::{ProbeConfig, probe_drive as probe};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::settings::seconds;

#[expect(clippy::needless_pass_by_value, reason = "PyO3 extracts arguments by value")]
#[pyfunction]
#[pyo3(signature = (path, *, file_bytes, duration_s))]
pub fn probe_drive(
    py: Python<'_>,
    path: PathBuf,
    file_bytes: u64,
    duration_s: f64,
) -> PyResult<Bound<'_, PyDict>> {
    let config = ProbeConfig { file_bytes, time: seconds("duration_s", duration_s)? };
    let probe = py.detach(|| probe(&path, config))?;
    let answer = PyDict::new(py);
    answer.set_item("write_bytes_per_s", probe.write_bytes_per_s)?;
    answer.set_item("read_bytes_per_s", probe.read_bytes_per_s)?;
    answer.set_item("random_reads_per_s", probe.random_reads_per_s)?;
    answer.set_item("syncs_per_s", probe.syncs_per_s)?;
    answer.set_item("sync_ms_p50", probe.sync_p50.as_secs_f64() * 1e3)?;
    answer.set_item("sync_ms_p99", probe.sync_p99.as_secs_f64() * 1e3)?;
    Ok(answer)
}
