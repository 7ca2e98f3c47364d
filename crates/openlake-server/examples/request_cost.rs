//! What does a request cost the server? CPU time of the shard threads alone, a line a case, with
//! the load generator in the same process. Marks: at most 25 us a cached 4 KiB GET, 30 us a durable
//! 4 KiB PUT, signatures verified; at most 0.5 CPU seconds a GiB of large bodies.
//!
//! `cargo run --release -p openlake-server --example request_cost -- DIRECTORY [seconds a case]`
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use bytes::Bytes;
use openlake_client::load::{LoadConfig, Verb, run};
use openlake_client::{ClientConfig, Credentials};
use openlake_s3::auth::SecretKey;
use openlake_s3::{AccessTables, Timeouts};
use openlake_server::{Server, ServerConfig};
use openlake_store::{CreateBucket, StoreConfig};
use openlake_types::BucketName;

fn start(directory: &Path) -> Server<()> {
    let mut store = StoreConfig::new(directory, 2);
    store.cache_bytes = 256 << 20;
    let server = Server::start(ServerConfig {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        region: "us-east-1".to_owned(),
        store,
        buffer_bytes: 512 << 20,
        prefault_bytes: 0,
        timeouts: Timeouts::default(),
        control_requests_max: 64,
    });
    let server = server.expect("an empty directory");
    let mut tables = AccessTables::default();
    let secret = SecretKey::new("secret").expect("not empty");
    tables.keys.insert("access", secret, "root", true);
    let (done, is_set) = mpsc::channel();
    server.engine().set_tables(tables, move || done.send(()).expect("waited for")).expect("up");
    is_set.recv().expect("the shards answer");
    let name = BucketName::new("bucket").expect("valid");
    let create = CreateBucket { name, owner: "root".to_owned(), config: Bytes::new() };
    let (done, created) = mpsc::channel();
    let work = |store: openlake_store::Store<_>| async move {
        // A directory of an earlier run has the bucket already.
        let _ = store.create_bucket(create).await;
        done.send(()).expect("waited for");
    };
    server.engine().call(work).expect("up");
    created.recv().expect("the shard answers");
    server
}

/// CPU time of the threads named `shard-*`, in nanoseconds.
fn shard_cpu() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").expect("Linux");
    threads
        .flatten()
        .filter(|thread| {
            let name = std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
            name.starts_with("shard-")
        })
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok())
        .filter_map(|text| text.split(' ').next().and_then(|nanos| nanos.parse::<u64>().ok()))
        .sum()
}

fn case(server: &Server<()>, (verb, bytes, connections): (Verb, u64, u32), seconds: f64) {
    let credentials = Credentials {
        access_key: "access".to_owned(),
        secret_key: "secret".to_owned(),
        session_token: None,
    };
    let client = ClientConfig::new(format!("http://{}", server.address()), credentials);
    let mut config = LoadConfig::new(client, verb, "bucket");
    (config.object_bytes, config.connections) = (bytes, connections);
    config.keys = if bytes > 1 << 20 { 4 } else { 1024 };
    config.key_prefix = format!("{bytes}/");
    config.duration = Duration::from_secs_f64(seconds);
    let cpu_before = shard_cpu();
    let report = run(&config).expect("the server answers");
    let cpu_nanos = (shard_cpu() - cpu_before) as f64;
    let requests = report.succeeded as f64;
    let gib = report.bytes as f64 / f64::from(1 << 30);
    println!(
        "{:6} {bytes:>9} B {connections:>3} conns {:>8.0}/s {:>6.2} GiB/s p50 {:>6.0} us p99 {:>6.0} us  \
         server {:>6.1} us a request, {:.3} s a GiB",
        format!("{verb:?}"),
        requests / report.elapsed.as_secs_f64(),
        gib / report.elapsed.as_secs_f64(),
        report.latencies.quantile(500_000).as_secs_f64() * 1e6,
        report.latencies.quantile(990_000).as_secs_f64() * 1e6,
        cpu_nanos / requests / 1e3,
        cpu_nanos / 1e9 / gib,
    );
    assert!(report.errors.is_empty(), "{:?}", report.errors);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().expect("a directory for the data");
    let seconds = arguments.next().map_or(2.0, |text| text.parse().expect("seconds"));
    let only = arguments.next();
    let server = start(Path::new(&directory));
    for case_of in [
        (Verb::Put, 4096, 1),
        (Verb::Put, 4096, 16),
        (Verb::Put, 4096, 64),
        (Verb::Get, 4096, 1),
        (Verb::Get, 4096, 16),
        (Verb::Get, 4096, 64),
        (Verb::Head, 4096, 16),
        (Verb::Put, 32 << 20, 4),
        (Verb::Get, 32 << 20, 4),
    ] {
        let name = format!("{:?}-{}", case_of.0, case_of.1).to_lowercase();
        if only.as_ref().is_none_or(|only| only.split(',').any(|only| name.starts_with(only))) {
            case(&server, case_of, seconds);
        }
    }
    server.shutdown(Duration::from_secs(10));
}
