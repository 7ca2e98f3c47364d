//! `run_load`: the load generator, told and answered in plain values.

use openlake_client::load::{LoadConfig, LoadReport, run};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::errors::raised;
use super::settings::{ClientSettings, seconds};

/// The attributes of `openlake.sdk.load.Load`.
#[derive(FromPyObject)]
pub struct LoadSettings {
    client: ClientSettings,
    verb: String,
    bucket: String,
    key_prefix: String,
    keys: u32,
    object_bytes: u64,
    range_bytes: u64,
    part_bytes: usize,
    parts: u16,
    connections: u32,
    threads: u32,
    duration_s: f64,
    requests_max: Option<u64>,
    rate_per_s: Option<f64>,
    checksum: bool,
    seed: u64,
}

impl LoadSettings {
    fn config(self, py: Python<'_>) -> PyResult<LoadConfig> {
        let verb = self.verb.parse().map_err(|error| raised(py, &error))?;
        let mut config = LoadConfig::new(self.client.config()?, verb, self.bucket);
        config.key_prefix = self.key_prefix;
        config.keys = self.keys;
        config.object_bytes = self.object_bytes;
        config.range_bytes = self.range_bytes;
        config.part_bytes = self.part_bytes;
        config.parts = self.parts;
        config.connections = self.connections;
        config.threads = self.threads;
        config.duration = seconds("duration_s", self.duration_s)?;
        config.requests_max = self.requests_max;
        config.rate_per_s = self.rate_per_s;
        config.checksum = self.checksum;
        config.seed = self.seed;
        Ok(config)
    }
}

#[pyfunction]
pub fn run_load(py: Python<'_>, settings: LoadSettings) -> PyResult<Bound<'_, PyDict>> {
    let config = settings.config(py)?;
    let report = py.detach(|| run(&config)).map_err(|error| raised(py, &error))?;
    answer(py, &report)
}

fn answer<'py>(py: Python<'py>, report: &LoadReport) -> PyResult<Bound<'py, PyDict>> {
    let latencies = &report.latencies;
    let milliseconds = |per_million| latencies.quantile(per_million).as_secs_f64() * 1e3;
    let answer = PyDict::new(py);
    answer.set_item("succeeded", report.succeeded)?;
    answer.set_item("errors", &report.errors)?;
    answer.set_item("bytes", report.bytes)?;
    answer.set_item("elapsed_s", report.elapsed.as_secs_f64())?;
    answer.set_item("client_cpu_s", report.cpu.as_secs_f64())?;
    answer.set_item("unsent", report.unsent)?;
    answer.set_item("unfinished", report.unfinished)?;
    answer.set_item("latency_ms_mean", latencies.mean().as_secs_f64() * 1e3)?;
    answer.set_item("latency_ms_p50", milliseconds(500_000))?;
    answer.set_item("latency_ms_p90", milliseconds(900_000))?;
    answer.set_item("latency_ms_p99", milliseconds(990_000))?;
    answer.set_item("latency_ms_p999", milliseconds(999_000))?;
    answer.set_item("latency_ms_max", latencies.max().as_secs_f64() * 1e3)?;
    let buckets: Vec<(f64, u64)> =
        latencies.buckets().map(|(upper, count)| (upper.as_secs_f64() * 1e3, count)).collect();
    answer.set_item("latency_ms_histogram", buckets)?;
    Ok(answer)
}
