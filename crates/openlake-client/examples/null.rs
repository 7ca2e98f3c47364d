//! What does loopback give under our own load generator? The ceiling for the server: a null server
//! in this process, a line a case. Bound: one core's system calls (small) or memory copies (large).
//!
//! `cargo run --release -p openlake-client --example null`
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::time::Duration;

use openlake_client::load::{LoadConfig, Verb, run};
use openlake_client::{ClientConfig, Credentials, NullServer};

fn case(verb: Verb, bytes: u64, connections: u32) {
    let server = NullServer::start(1, bytes).expect("a free loopback port");
    let credentials = Credentials {
        access_key: "access".to_owned(),
        secret_key: "secret".to_owned(),
        session_token: None,
    };
    let client = ClientConfig::new(format!("http://{}", server.address()), credentials);
    let mut config = LoadConfig::new(client, verb, "bucket");
    (config.object_bytes, config.connections) = (bytes, connections);
    config.duration = Duration::from_millis(1500);
    let report = run(&config).expect("the null server answers");
    let (seconds, requests) = (report.elapsed.as_secs_f64(), report.succeeded as f64);
    println!(
        "{:8} {bytes:>9} B {connections:>3} conns {:>8.0}/s {:>7.3} GiB/s p50 {:>6.0} us p99 {:>6.0} us \
         client {:.1} us/request",
        format!("{verb:?}"),
        requests / seconds,
        report.bytes as f64 / seconds / f64::from(1 << 30),
        report.latencies.quantile(500_000).as_secs_f64() * 1e6,
        report.latencies.quantile(990_000).as_secs_f64() * 1e6,
        report.cpu.as_secs_f64() / requests * 1e6,
    );
    assert!(report.errors.is_empty(), "{:?}", report.errors);
}

fn main() {
    for connections in [1, 16, 64] {
        case(Verb::Get, 4096, connections);
        case(Verb::Put, 4096, connections);
    }
    for connections in [1, 4, 8] {
        case(Verb::Get, 32 << 20, connections);
        case(Verb::Put, 32 << 20, connections);
    }
}
