//! PutObject: what goes over the wire, and what comes back.

use crate::server::{Reply, Server};
use openlake_client::{ErrorKind, PutOptions};

#[test]
fn body_checksum_and_attributes_are_sent_as_s3_wants_them() {
    let server = Server::start(|_, _| Reply::new(200, "ETag: \"abc\"\r\n", b""));
    let options = PutOptions {
        content_type: Some("text/plain".to_owned()),
        metadata: vec![("Color".to_owned(), "red".to_owned())],
        if_none_match: true,
        if_match: None,
    };
    let outcome = server.client().put_object("bkt", "a b/é", b"123456789", &options).unwrap();
    assert_eq!(outcome.etag, "abc");
    let request = &server.received()[0];
    assert_eq!((request.method.as_str(), request.target.as_str()), ("PUT", "/bkt/a%20b/%C3%A9"));
    assert_eq!(request.body, b"123456789");
    // The check value of CRC-64/NVME, ae8b14860a799888, in base64.
    assert_eq!(request.header("x-amz-checksum-crc64nvme"), Some("rosUhgp5mIg="));
    assert_eq!(request.header("x-amz-content-sha256"), Some("UNSIGNED-PAYLOAD"));
    assert_eq!(request.header("x-amz-meta-color"), Some("red"));
    assert_eq!(request.header("content-type"), Some("text/plain"));
    assert_eq!(request.header("if-none-match"), Some("*"));
    let authorization = request.header("authorization").unwrap();
    assert!(
        authorization.contains(
            "SignedHeaders=content-type;host;if-none-match;x-amz-checksum-crc64nvme;\
             x-amz-content-sha256;x-amz-date;x-amz-meta-color,"
        ),
        "{authorization}"
    );
}

#[test]
fn a_large_body_arrives_whole_and_the_connection_is_used_again() {
    let server = Server::start(|_, _| Reply::new(200, "ETag: \"abc\"\r\n", b""));
    let client = server.client();
    let mut body = vec![0; (5 << 20) + 17];
    openlake_coding::pattern::fill(&mut body, 1, 0);
    for _ in 0..3 {
        client.put_object("bkt", "k", &body, &PutOptions::default()).unwrap();
    }
    assert!(server.received().iter().all(|request| request.body == body));
}

#[test]
fn a_refusal_before_the_body_is_read_is_reported_and_not_a_broken_pipe() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 16];
        stream.read_exact(&mut head).unwrap();
        let body = "<Error><Code>AccessDenied</Code><Message>no</Message></Error>";
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 403 X\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        // Hold the connection until the client has read the answer and hung up.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let mut config = Server::start(|_, _| Reply::error(500, "unused")).config();
    config.endpoint = endpoint;
    let client = openlake_client::Client::new(config).unwrap();
    let body = vec![1; 64 << 20];
    let error = client.put_object("bkt", "k", &body, &PutOptions::default()).unwrap_err();
    assert_eq!((error.kind, error.status), (ErrorKind::Service, Some(403)), "{error}");
    assert!(error.is_code("AccessDenied"));
    thread.join().unwrap();
}

#[test]
fn a_header_that_would_break_the_request_is_refused() {
    let server = Server::start(|_, _| Reply::error(500, "unused"));
    let options = PutOptions {
        metadata: vec![("a".to_owned(), "x\r\nHost: evil".to_owned())],
        ..PutOptions::default()
    };
    let error = server.client().put_object("bkt", "k", b"", &options).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidInput);
    assert!(server.received().is_empty());
}
