//! Parallel upload and download against a small multipart store.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use crate::server::{Received, Reply, Server};
use openlake_client::{ErrorKind, PutOptions, Transfer};
use openlake_coding::{crc64nvme, pattern};

const PART_BYTES: usize = 5 << 20;

fn content(bytes: usize) -> Vec<u8> {
    let mut data = vec![0; bytes];
    pattern::fill(&mut data, 9, 0);
    data
}

fn query<'a>(request: &'a Received, name: &str) -> Option<&'a str> {
    let (_, query) = request.target.split_once('?')?;
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

type Parts = Arc<Mutex<BTreeMap<u16, Vec<u8>>>>;

fn store(parts: Parts, refuse: Option<u16>) -> Server {
    Server::start(move |_, request| {
        if request.method == "DELETE" {
            return Reply::new(204, "", b"");
        }
        if request.target.ends_with("?uploads=") {
            let body = b"<InitiateMultipartUploadResult><UploadId>U</UploadId>\
                         </InitiateMultipartUploadResult>";
            return Reply::new(200, "", body);
        }
        assert_eq!(query(request, "uploadId"), Some("U"));
        let Some(number) = query(request, "partNumber") else {
            let body = b"<CompleteMultipartUploadResult><ETag>&quot;whole-3&quot;</ETag>\
                         </CompleteMultipartUploadResult>";
            return Reply::new(200, "", body);
        };
        let number = number.parse().unwrap();
        if refuse == Some(number) {
            return Reply::error(507, "InsufficientStorage");
        }
        parts.lock().unwrap().insert(number, request.body.clone());
        Reply::new(200, &format!("ETag: \"part{number}\"\r\n"), b"")
    })
}

#[test]
fn parts_and_the_whole_are_checked_by_their_crcs() {
    let parts = Parts::default();
    let server = store(Arc::clone(&parts), None);
    let body = content(2 * PART_BYTES + 1234);
    let progress = AtomicU64::new(0);
    let transfer = Transfer { part_bytes: PART_BYTES, parallel: 3, progress: Some(&progress) };
    let outcome =
        server.client().upload("bkt", "k", &body, transfer, &PutOptions::default()).unwrap();
    assert_eq!(outcome.etag, "whole-3");
    assert_eq!(outcome.crc64nvme, crc64nvme(&body).to_be_bytes());
    assert_eq!(progress.load(Relaxed), body.len() as u64);
    let stored: Vec<u8> = parts.lock().unwrap().values().flatten().copied().collect();
    assert_eq!(stored, body);
    let received = server.received();
    assert_eq!(received[0].header("x-amz-checksum-type"), Some("FULL_OBJECT"));
    assert_eq!(received[0].header("x-amz-checksum-algorithm"), Some("CRC64NVME"));
    let complete = received.last().unwrap();
    assert_eq!(complete.header("x-amz-mp-object-size"), Some(body.len().to_string().as_str()));
    assert_eq!(complete.header("x-amz-checksum-type"), Some("FULL_OBJECT"));
    let text = String::from_utf8(complete.body.clone()).unwrap();
    let positions: Vec<_> = (1..=3)
        .map(|n| text.find(&format!("<PartNumber>{n}</PartNumber><ETag>&quot;part{n}&quot;")))
        .collect();
    assert!(positions.iter().all(Option::is_some) && positions.is_sorted(), "{text}");
}

#[test]
fn a_failed_part_fails_the_upload_and_nothing_is_left() {
    let server = store(Parts::default(), Some(2));
    let body = content(4 * PART_BYTES);
    let transfer = Transfer { part_bytes: PART_BYTES, parallel: 2, progress: None };
    let error =
        server.client().upload("bkt", "k", &body, transfer, &PutOptions::default()).unwrap_err();
    assert!(error.is_code("InsufficientStorage"), "{error}");
    let received = server.received();
    assert_eq!(received.last().unwrap().method, "DELETE");
    let completed = |r: &&Received| r.method == "POST" && query(r, "uploadId").is_some();
    assert!(!received.iter().any(|request| completed(&request)), "no Complete");
}

#[test]
fn what_fits_in_a_part_goes_in_one_piece() {
    let server = Server::start(|_, _| Reply::new(200, "etag: \"one\"\r\n", b""));
    let transfer = Transfer { part_bytes: PART_BYTES, parallel: 4, progress: None };
    let options = PutOptions::default();
    let outcome = server.client().upload("bkt", "k", b"abc", transfer, &options).unwrap();
    assert_eq!(outcome.etag, "one");
    assert_eq!(server.received()[0].target, "/bkt/k");
}

#[test]
fn a_plan_that_s3_forbids_is_refused() {
    let server = Server::start(|_, _| Reply::error(500, "unused"));
    for (part_bytes, parallel) in [(1 << 20, 1), (PART_BYTES, 0)] {
        let transfer = Transfer { part_bytes, parallel, progress: None };
        let options = PutOptions::default();
        let error = server.client().upload("bkt", "k", b"abc", transfer, &options).unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidInput);
    }
    assert!(server.received().is_empty());
}

/// Serves `body` by ranges, with the checksum of `summed`.
fn serve(body: Vec<u8>, summed: &[u8]) -> Server {
    use base64::Engine as _;
    let sum = base64::engine::general_purpose::STANDARD.encode(crc64nvme(summed).to_be_bytes());
    Server::start(move |_, request| {
        let size = body.len();
        if request.method == "HEAD" {
            let head = format!(
                "HTTP/1.1 200 X\r\ncontent-length: {size}\r\netag: \"v1\"\r\n\
                 x-amz-checksum-crc64nvme: {sum}\r\nx-amz-checksum-type: FULL_OBJECT\r\n\r\n"
            );
            return Reply { bytes: head.into_bytes(), keep: true };
        }
        assert_eq!(request.header("if-match"), Some("\"v1\""));
        let range = request.header("range").and_then(|r| r.strip_prefix("bytes=")).unwrap();
        let (first, last) = range.split_once('-').unwrap();
        let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
        let header = format!("content-range: bytes {first}-{last}/{size}\r\netag: \"v1\"\r\n");
        Reply::new(206, &header, &body[first..=last])
    })
}

#[test]
fn a_download_is_put_together_and_checked() {
    let body = content(700_001);
    let server = serve(body.clone(), &body);
    let mut buffer = vec![0; body.len()];
    let transfer = Transfer { part_bytes: 100_000, parallel: 4, progress: None };
    let info = server.client().download_into("bkt", "k", &mut buffer, 0, transfer).unwrap();
    assert_eq!(info.size_bytes, 700_001);
    assert_eq!(buffer, body);
    assert_eq!(server.received().len(), 1 + 8);
    let mut middle = vec![0; 250_000];
    server.client().download_into("bkt", "k", &mut middle, 5, transfer).unwrap();
    assert_eq!(middle, body[5..250_005]);
}

#[test]
fn a_download_of_other_bytes_is_an_integrity_error() {
    let body = content(300_000);
    let server = serve(body.clone(), b"something else");
    let mut buffer = vec![0; body.len()];
    let transfer = Transfer { part_bytes: 100_000, parallel: 2, progress: None };
    let error = server.client().download_into("bkt", "k", &mut buffer, 0, transfer).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Integrity, "{error}");
}

#[test]
fn a_download_beyond_the_end_is_refused() {
    let body = content(1000);
    let server = serve(body.clone(), &body);
    let mut buffer = vec![0; 1000];
    let transfer = Transfer { part_bytes: 100, parallel: 2, progress: None };
    let error = server.client().download_into("bkt", "k", &mut buffer, 1, transfer).err().unwrap();
    assert_eq!(error.kind, ErrorKind::InvalidInput, "{error}");
}
