//! HD: headers of objects: stored, returned, overridden.

use crate::client::{Request, hex};
use crate::harness::TestServer;

#[test]
fn hd1_head_has_the_size_and_no_body() {
    let server = TestServer::start();
    let mut client = server.client();
    client.put("/bucket/k", &[7; 5000]);
    let head = client.head("/bucket/k");
    assert_eq!((head.status, head.header("content-length")), (200, Some("5000")));
    assert_eq!(head.header("accept-ranges"), Some("bytes"));
    assert_eq!(client.get("/bucket/k").body.len(), 5000, "the connection is in step");
    let missing = client.head("/bucket/missing");
    assert_eq!((missing.status, missing.header("content-length")), (404, Some("0")), "HD2");
}

#[test]
fn hd10_content_headers_and_metadata_come_back_as_sent() {
    let server = TestServer::start();
    let mut client = server.client();
    let sent = [
        ("content-type", "text/plain; charset=utf-8"),
        ("cache-control", "max-age=1, private"),
        ("content-disposition", "attachment; filename=\"a b\""),
        ("content-language", "de, en"),
        ("expires", "Thu, 01 Dec 2026 16:00:00 GMT"),
        ("x-amz-meta-colour", "blue"),
        ("x-amz-meta-a-b_c", "1 2 3"),
    ];
    let mut put = Request::put("/bucket/k", "v").header("content-encoding", "aws-chunked,gzip");
    for (name, value) in sent {
        put = put.header(name, value);
    }
    assert_eq!(client.call(&put).status, 200);
    for answer in [client.get("/bucket/k"), client.head("/bucket/k")] {
        for (name, value) in sent {
            assert_eq!(answer.header(name), Some(value));
        }
        assert_eq!(answer.header("content-encoding"), Some("gzip"));
    }
}

#[test]
fn hd4_metadata_outside_ascii_comes_back_as_sent() {
    let server = TestServer::start();
    let mut client = server.client();
    let put = Request::put("/bucket/k", "v").header("x-amz-meta-name", "J\u{f8}rgen \u{65e5}");
    assert_eq!(client.call(&put).status, 200);
    assert_eq!(client.head("/bucket/k").header("x-amz-meta-name"), Some("J\u{f8}rgen \u{65e5}"));
}

#[test]
fn hd6_an_object_without_a_type_is_a_stream_of_octets() {
    let server = TestServer::start();
    let mut client = server.client();
    client.put("/bucket/k", b"v");
    assert_eq!(client.head("/bucket/k").header("content-type"), Some("binary/octet-stream"));
}

#[test]
fn hd11_etags_are_quoted_md5_sums() {
    let server = TestServer::start();
    let mut client = server.client();
    // RFC 1321, A.5.
    let etag = "\"f96b697d7cb7938d525a2f31aaf161d0\"";
    let put = client.put("/bucket/k/", b"message digest");
    assert_eq!(put.header("etag"), Some(etag));
    assert_eq!(client.head("/bucket/k/").header("etag"), Some(etag));
    let listed = client.get("/bucket?list-type=2").element("ETag").expect("listed");
    assert_eq!(listed.replace("&quot;", "\""), etag);
    assert_eq!(put.header("content-length"), Some("0"));
}

#[test]
fn overrides_of_response_headers_are_for_this_answer() {
    let server = TestServer::start();
    let mut client = server.client();
    client.call(&Request::put("/bucket/k", "v").header("content-type", "text/plain"));
    let target = "/bucket/k?response-cache-control=no-cache&response-content-type=image%2Fpng";
    let got = client.get(target);
    assert_eq!(got.header("content-type"), Some("image/png"));
    assert_eq!(got.header("cache-control"), Some("no-cache"));
    assert_eq!(client.get("/bucket/k").header("content-type"), Some("text/plain"));
    let split = client.get("/bucket/k?response-content-type=a%0D%0Ab%3A%20c");
    assert_eq!(split.refusal(), (400, "InvalidArgument".to_owned()));
}

#[test]
fn ck1_checksums_are_computed_stored_and_shown_when_asked_for() {
    let server = TestServer::start();
    let mut client = server.client();
    // CRC-64/NVME of "123456789" is ae8b14860a799888.
    let crc64 = "rosUhgp5mIg=";
    let put = client.put("/bucket/k", b"123456789");
    assert_eq!(put.header("x-amz-checksum-crc64nvme"), Some(crc64));
    assert_eq!(put.header("x-amz-checksum-type"), Some("FULL_OBJECT"));
    assert_eq!(client.head("/bucket/k").header("x-amz-checksum-crc64nvme"), None);
    let asks = |method| Request::new(method, "/bucket/k").header("x-amz-checksum-mode", "ENABLED");
    for method in ["GET", "HEAD"] {
        let shown = client.call(&asks(method));
        assert_eq!(shown.header("x-amz-checksum-crc64nvme"), Some(crc64));
    }
    let partial = client.call(&asks("GET").header("range", "bytes=0-3"));
    assert_eq!(partial.header("x-amz-checksum-crc64nvme"), None, "CK11");
    // CRC-32C of "123456789" is e3069283.
    let named = Request::put("/bucket/c", "123456789").header("x-amz-checksum-crc32c", "4waSgw==");
    assert_eq!(client.call(&named).header("x-amz-checksum-crc32c"), Some("4waSgw=="));
    let wrong = Request::put("/bucket/c", "123456780").header("x-amz-checksum-crc32c", "4waSgw==");
    assert_eq!(client.call(&wrong).refusal(), (400, "BadDigest".to_owned()));
    assert_eq!(client.get("/bucket/c").body, b"123456789");
}

#[test]
fn a_signed_payload_must_be_the_body() {
    let server = TestServer::start();
    let mut client = server.client();
    let body = vec![3; 3_000_000];
    let hash = hex(&openlake_coding::sha256(&body));
    assert_eq!(client.call(&Request::put("/bucket/k", body.clone()).payload(&hash)).status, 200);
    let mut other = body;
    other[2_000_000] ^= 1;
    let refused = client.call(&Request::put("/bucket/k2", other).payload(&hash));
    assert_eq!(refused.refusal(), (400, "XAmzContentSHA256Mismatch".to_owned()));
    assert_eq!(client.head("/bucket/k2").status, 404, "nothing was stored");
}
