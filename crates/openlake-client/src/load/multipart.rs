//! Whole multipart uploads, one a connection at a time, on a thread each.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use super::config::LoadConfig;
use super::report::LoadReport;
use super::worker::Shared;
use crate::client::Client;
use crate::error::ClientError;
use crate::net::ThreadCpu;
use crate::ops::object::PutOptions;

pub fn run(client: &Client, config: &LoadConfig, shared: &Shared<'_>, part: &[u8]) -> LoadReport {
    let (start, cpu) = (Instant::now(), ThreadCpu::start());
    let end = start + config.duration;
    let mut report = LoadReport::default();
    while Instant::now() < end {
        let turn = shared.turn.fetch_add(1, Relaxed);
        if turn >= shared.requests_max {
            break;
        }
        let key = config.key((turn % u64::from(config.keys)) as u32);
        if let Err(error) = upload(client, config, &key, part, &mut report) {
            report.error(error.code.clone().unwrap_or_else(|| format!("{:?}", error.kind)));
        }
    }
    report.elapsed = start.elapsed();
    report.cpu = cpu.spent();
    report
}

fn upload(
    client: &Client,
    config: &LoadConfig,
    key: &str,
    part: &[u8],
    report: &mut LoadReport,
) -> Result<(), ClientError> {
    let (bucket, options) = (config.bucket.as_str(), PutOptions::default());
    let id = client.create_multipart_upload(bucket, key, &options)?;
    let mut send = |number| {
        let clock = Instant::now();
        let uploaded = client.upload_part(bucket, key, &id, number, part)?;
        report.latencies.record(clock.elapsed());
        report.succeeded += 1;
        report.bytes += part.len() as u64;
        Ok(uploaded)
    };
    let parts: Result<Vec<_>, ClientError> = (1..=config.parts).map(&mut send).collect();
    let outcome = parts
        .and_then(|parts| client.complete_multipart_upload(bucket, key, &id, &parts, &options));
    if outcome.is_err() {
        // The first error is the one to count, whatever becomes of the clean-up.
        let _ = client.abort_multipart_upload(bucket, key, &id);
    }
    outcome.map(drop)
}
