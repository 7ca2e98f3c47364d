//! MP: UploadPart over the wire; aws-chunked bodies of several buffers.

use crate::client::Request;
use crate::harness::TestServer;
use crate::life::pattern;

#[test]
fn mp2_mp10_parts_need_a_number_and_an_upload() {
    let server = TestServer::start();
    let mut client = server.client();
    let upload = client.call(&Request::new("POST", "/bucket/k?uploads")).text();
    for number in ["0", "10001", "-1", "x"] {
        let refused = client.put(&format!("/bucket/k?partNumber={number}&uploadId={upload}"), b"v");
        assert_eq!(refused.refusal(), (400, "InvalidArgument".to_owned()), "{number}");
    }
    for upload in ["x", &"0".repeat(32)] {
        let refused = client.put(&format!("/bucket/k?partNumber=1&uploadId={upload}"), b"v");
        assert_eq!(refused.refusal(), (404, "NoSuchUpload".to_owned()), "{upload}");
    }
    let other = client.put(&format!("/bucket/other?partNumber=1&uploadId={upload}"), b"v");
    assert_eq!(other.refusal(), (404, "NoSuchUpload".to_owned()));
    let part = client.put(&format!("/bucket/k?partNumber=1&uploadId={upload}"), b"v");
    assert_eq!((part.status, part.header("etag").is_some()), (200, true));
    assert_eq!(client.head("/bucket/k").status, 404, "not visible before it is complete");
}

#[test]
fn st2_framing_never_reaches_the_object() {
    let server = TestServer::start();
    let mut client = server.client();
    let payload = pattern(3_500_000, 5);
    for chunk_bytes in [8192, 65_536, 1 << 20, 1_500_000] {
        let mut body = Vec::new();
        for chunk in payload.chunks(chunk_bytes) {
            body.extend(format!("{:x}\r\n", chunk.len()).bytes());
            body.extend_from_slice(chunk);
            body.extend(b"\r\n");
        }
        body.extend(b"0\r\n\r\n");
        let put = Request::put("/bucket/k", body)
            .payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER")
            .header("x-amz-decoded-content-length", &payload.len().to_string());
        let answer = client.call(&put);
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(client.get("/bucket/k").body == payload, "chunks of {chunk_bytes}");
    }
}

#[test]
fn many_connections_upload_at_once() {
    let server = TestServer::start();
    let uploads: Vec<_> = (0..12)
        .map(|number| {
            let mut client = server.client();
            std::thread::spawn(move || {
                let body = pattern(4_000_000 + number, number as u64);
                let target = format!("/bucket/many/{number}");
                assert_eq!(client.put(&target, &body).status, 200);
                assert_eq!(client.get(&target).body, body);
            })
        })
        .collect();
    for upload in uploads {
        upload.join().expect("bytes come back");
    }
    assert_eq!(server.counter("requests_put_object_total"), 12);
    assert_eq!(server.counter("requests_get_object_total"), 12);
}
