//! The load generator against the null server, whose answers are known.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use openlake_client::load::{LoadConfig, LoadReport, Verb, run};
use openlake_client::{ClientConfig, Credentials, ErrorKind, NullServer};

use crate::server::{Reply, Server};

fn config(server: &NullServer, verb: Verb) -> LoadConfig {
    let credentials = Credentials {
        access_key: "access".to_owned(),
        secret_key: "secret".to_owned(),
        session_token: None,
    };
    let client = ClientConfig::new(format!("http://{}", server.address()), credentials);
    let mut config = LoadConfig::new(client, verb, "bkt");
    config.duration = Duration::from_secs(30);
    (config.connections, config.threads) = (5, 2);
    config
}

fn assert_clean(report: &LoadReport, requests: u64) {
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert_eq!((report.succeeded, report.latencies.total()), (requests, requests));
    assert_eq!((report.unsent, report.unfinished), (0, 0));
}

#[test]
fn every_verb_counts_the_requests_and_bytes_that_it_was_told_to_make() {
    let server = NullServer::start(1, 10_000).unwrap();
    for (verb, bytes) in [
        (Verb::Put, 4096),
        (Verb::Get, 10_000),
        (Verb::Head, 0),
        (Verb::Range, 512),
        (Verb::Delete, 0),
        (Verb::List, 0),
    ] {
        let mut config = config(&server, verb);
        config.requests_max = Some(200);
        config.range_bytes = 512;
        let report = run(&config).unwrap();
        assert_clean(&report, 200);
        assert_eq!(report.bytes, 200 * bytes, "{verb:?}");
    }
    server.shutdown().unwrap();
}

#[test]
fn bodies_larger_than_any_socket_buffer_go_both_ways() {
    let server = NullServer::start(2, 40 << 20).unwrap();
    for verb in [Verb::Put, Verb::Get] {
        let mut config = config(&server, verb);
        (config.requests_max, config.object_bytes) = (Some(10), 40 << 20);
        let report = run(&config).unwrap();
        assert_clean(&report, 10);
        assert_eq!(report.bytes, 10 * (40 << 20));
    }
}

#[test]
fn an_open_loop_keeps_its_rate_and_not_the_servers() {
    let server = NullServer::start(1, 100).unwrap();
    let mut config = config(&server, Verb::Get);
    (config.duration, config.rate_per_s) = (Duration::from_millis(500), Some(2000.0));
    let report = run(&config).unwrap();
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    // Expected 1,000 arrivals; six standard deviations of a Poisson process.
    let arrived = report.succeeded + report.unsent;
    assert!((810..1190).contains(&arrived), "{arrived}");
}

#[test]
fn latency_of_an_open_loop_counts_from_when_the_request_was_due() {
    let server = Server::start(|_, _| {
        // A server of 100 answers a second under a load of 1,000 on one connection.
        std::thread::sleep(Duration::from_millis(10));
        Reply::new(200, "", b"")
    });
    let mut config = LoadConfig::new(server.config(), Verb::Get, "bkt");
    (config.duration, config.rate_per_s) = (Duration::from_millis(300), Some(1000.0));
    let report = run(&config).unwrap();
    // The queue grows all the time, so the last answered waited for most of the run.
    assert!(report.latencies.max() > Duration::from_millis(150), "{:?}", report.latencies.max());
    assert!(report.unsent > 150, "{}", report.unsent);
}

#[test]
fn errors_are_counted_by_their_status() {
    let server = Server::start(|number, _| match number % 2 {
        0 => Reply::error(503, "SlowDown"),
        _ => Reply::new(200, "connection: close\r\n", b"x").closing(),
    });
    let mut config = LoadConfig::new(server.config(), Verb::Get, "bkt");
    config.requests_max = Some(20);
    let report = run(&config).unwrap();
    assert_eq!(report.errors.get("HTTP 503"), Some(&10), "{:?}", report.errors);
    assert_eq!(report.succeeded, 10);
}

#[test]
fn multipart_uploads_time_each_part() {
    let server = Server::start(|_, request| {
        if request.target.ends_with("?uploads=") {
            let body = b"<InitiateMultipartUploadResult><UploadId>U</UploadId>\
                         </InitiateMultipartUploadResult>";
            return Reply::new(200, "", body);
        }
        let body = b"<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>";
        Reply::new(200, "etag: \"e\"\r\n", if request.method == "POST" { body } else { b"" })
    });
    let mut config = LoadConfig::new(server.config(), Verb::MultipartPut, "bkt");
    (config.part_bytes, config.parts, config.requests_max) = (5 << 20, 3, Some(2));
    config.duration = Duration::from_secs(30);
    let report = run(&config).unwrap();
    assert_clean(&report, 6);
    assert_eq!(report.bytes, 6 * (5 << 20));
}

#[test]
fn parts_go_to_uploads_that_begin_before_the_clock_and_are_aborted_after_it() {
    let server = Server::start(|_, request| {
        match request.method.as_str() {
        "POST" => Reply::new(
            200,
            "",
            b"<InitiateMultipartUploadResult><UploadId>U</UploadId></InitiateMultipartUploadResult>",
        ),
        "PUT" => Reply::new(200, "etag: \"e\"\r\n", b""),
        _ => Reply::new(204, "", b""),
    }
    });
    let mut config = LoadConfig::new(server.config(), Verb::UploadPart, "bkt");
    (config.keys, config.parts, config.part_bytes) = (2, 3, 5 << 20);
    (config.requests_max, config.duration) = (Some(12), Duration::from_secs(30));
    let report = run(&config).unwrap();
    assert_clean(&report, 12);
    assert_eq!(report.bytes, 12 * (5 << 20));
    let received = server.received();
    let of = |method: &str| received.iter().filter(|request| request.method == method).count();
    assert_eq!((of("POST"), of("PUT"), of("DELETE")), (2, 12, 2));
    for part in received.iter().filter(|request| request.method == "PUT") {
        let crc = openlake_coding::crc64nvme(&part.body).to_be_bytes();
        let sent = BASE64.decode(part.header("x-amz-checksum-crc64nvme").unwrap()).unwrap();
        assert_eq!(sent, crc, "{}", part.target);
    }
    // Each of two keys' three parts twice.
    let mut targets: Vec<_> = received.iter().filter(|r| r.method == "PUT").collect();
    targets.sort_by(|a, b| a.target.cmp(&b.target));
    targets.dedup_by(|a, b| a.target == b.target);
    assert_eq!(targets.len(), 6);
    assert!(targets.iter().all(|request| request.target.contains("uploadId=U")));
}

#[test]
fn plans_that_cannot_work_are_refused() {
    let server = NullServer::start(1, 0).unwrap();
    let bad: [fn(&mut LoadConfig); 5] = [
        |config| config.connections = 0,
        |config| config.duration = Duration::from_hours(1),
        |config| config.rate_per_s = Some(0.0),
        |config| config.range_bytes = 1 << 20,
        |config| config.keys = 0,
    ];
    for spoil in bad {
        let mut config = config(&server, Verb::Range);
        spoil(&mut config);
        assert_eq!(run(&config).err().unwrap().kind, ErrorKind::InvalidInput);
    }
}
