//! Starts the workers and puts their reports together.

use std::io;
use std::sync::atomic::AtomicU64;

use openlake_coding::pattern;

use super::config::{LoadConfig, Verb};
use super::multipart;
use super::report::LoadReport;
use super::requests::Requests;
use super::worker::{Shared, Worker};
use crate::client::Client;
use crate::config::Endpoint;
use crate::error::{ClientError, ErrorKind};
use crate::ops::object::PutOptions;

/// Runs the load and waits for its end.
pub fn run(config: &LoadConfig) -> Result<LoadReport, ClientError> {
    config.check()?;
    let client = Client::new(config.client.clone())?;
    let endpoint = Endpoint::parse(&config.client.endpoint)?;
    let turn = AtomicU64::new(0);
    let uploads = Uploads::begin(&client, config)?;
    let requests = Requests::new(&client, config, &uploads.ids);
    let shared = Shared {
        requests: &requests,
        addresses: &endpoint.addresses,
        turn: &turn,
        requests_max: config.requests_max.unwrap_or(u64::MAX),
        duration: config.duration,
    };
    let reports: io::Result<Vec<LoadReport>> = if config.verb == Verb::MultipartPut {
        let mut part = vec![0; config.part_bytes];
        pattern::fill(&mut part, config.seed, 0);
        in_threads(config.connections, |_| Ok(multipart::run(&client, config, &shared, &part)))
    } else {
        let threads = config.threads.min(config.connections);
        in_threads(threads, |number| {
            let connections =
                config.connections / threads + u32::from(number < config.connections % threads);
            let rate = config.rate_per_s.map(|rate| rate / f64::from(threads));
            let seed = config.seed ^ (u64::from(number) << 32);
            Worker::new(&shared, connections, rate, seed)?.run()
        })
    };
    uploads.abort(&client, config)?;
    let reports = reports.map_err(|error| {
        let message = format!("the load on {} stopped: {error}", config.client.endpoint);
        ClientError::new(ErrorKind::Connection, message)
    })?;
    let mut whole = LoadReport::default();
    for report in &reports {
        whole.merge(report);
    }
    Ok(whole)
}

/// The uploads that parts go to, one a key.
struct Uploads {
    ids: Vec<String>,
}

impl Uploads {
    fn begin(client: &Client, config: &LoadConfig) -> Result<Self, ClientError> {
        if config.verb != Verb::UploadPart {
            return Ok(Self { ids: Vec::new() });
        }
        let options = PutOptions::default();
        let begin =
            |number| client.create_multipart_upload(&config.bucket, &config.key(number), &options);
        Ok(Self { ids: (0..config.keys).map(begin).collect::<Result<_, _>>()? })
    }

    fn abort(&self, client: &Client, config: &LoadConfig) -> Result<(), ClientError> {
        for (number, id) in self.ids.iter().enumerate() {
            client.abort_multipart_upload(&config.bucket, &config.key(number as u32), id)?;
        }
        Ok(())
    }
}

fn in_threads(
    threads: u32,
    work: impl Fn(u32) -> io::Result<LoadReport> + Sync,
) -> io::Result<Vec<LoadReport>> {
    let work = &work;
    std::thread::scope(|scope| {
        let handles: Vec<_> =
            (0..threads).map(|number| scope.spawn(move || work(number))).collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
