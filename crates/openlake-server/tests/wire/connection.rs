//! CN: connections: order, Expect, refusals before the body, cut uploads, closing.

use crate::client::Request;
use crate::harness::TestServer;
use crate::life::pattern;

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = TestServer::start();
    let mut client = server.client();
    let put = Request::put("/bucket/a", "first");
    let mut bytes = client.signed_head(&put);
    bytes.extend_from_slice(&put.body);
    bytes.extend(client.signed_head(&Request::get("/bucket/a")));
    bytes.extend(client.signed_head(&Request::new("HEAD", "/bucket/missing")));
    bytes.extend(client.signed_head(&Request::get("/bucket/a")));
    client.send(&bytes);
    assert_eq!(client.answer(false).status, 200);
    assert_eq!(client.answer(false).body, b"first");
    assert_eq!(client.answer(true).status, 404);
    assert_eq!(client.answer(false).body, b"first");
}

#[test]
fn a_head_in_single_bytes_is_a_head() {
    let server = TestServer::start();
    let mut client = server.client();
    for byte in client.signed_head(&Request::new("HEAD", "/bucket/missing")) {
        client.send(&[byte]);
    }
    assert_eq!(client.answer(true).status, 404);
}

#[test]
fn cn1_an_accepted_body_is_asked_for_and_a_refused_one_is_not() {
    let server = TestServer::start();
    let mut client = server.client();
    let put = Request::put("/bucket/expected", "body").header("Expect", "100-continue");
    let head = client.signed_head(&put);
    client.send(&head);
    assert_eq!(client.answer(false).status, 100);
    client.send(b"body");
    assert_eq!(client.answer(false).status, 200);
    let refused = Request::put("/no-such-bucket/k", "body").header("Expect", "100-continue");
    let head = client.signed_head(&refused);
    client.send(&head);
    let answer = client.answer(false);
    assert_eq!(answer.refusal(), (404, "NoSuchBucket".to_owned()), "at once, without a 100");
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(client.is_closed());
}

#[test]
fn cn4_a_small_refused_body_is_drained_and_the_connection_goes_on() {
    let server = TestServer::start();
    let mut client = server.client();
    let refused = client.put("/no-such-bucket/k", &pattern(500_000, 1));
    assert_eq!(refused.refusal(), (404, "NoSuchBucket".to_owned()));
    assert_eq!(refused.header("connection"), None);
    assert_eq!(client.put("/bucket/k", b"next").status, 200);
}

#[test]
fn cn4_a_large_refused_body_can_be_sent_while_the_error_is_read() {
    let server = TestServer::start();
    let mut client = server.client();
    let refused = client.put("/no-such-bucket/k", &pattern(8 << 20, 1));
    assert_eq!(refused.refusal(), (404, "NoSuchBucket".to_owned()));
    assert_eq!(refused.header("connection"), Some("close"));
}

#[test]
fn a_cut_upload_leaves_the_old_object() {
    let server = TestServer::start();
    for size in [1000, 3 << 20] {
        let mut client = server.client();
        assert_eq!(client.put("/bucket/k", b"old").status, 200);
        let put = Request::put("/bucket/k", pattern(size, 1));
        let head = client.signed_head(&put);
        client.send(&head);
        client.send(&put.body[..size - 1]);
        client.finish_sending();
        assert_eq!(client.answer(false).refusal(), (400, "IncompleteBody".to_owned()));
        assert!(client.is_closed());
        assert_eq!(server.client().get("/bucket/k").body, b"old");
    }
}

#[test]
fn cn10_malformed_heads_are_400_and_close_and_the_server_goes_on() {
    let server = TestServer::start();
    for bytes in [
        &b"GARBAGE\r\n\r\n"[..],
        b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"PUT /bucket/k HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ] {
        let mut client = server.client();
        client.send(bytes);
        let answer = client.answer(false);
        assert_eq!(answer.refusal(), (400, "BadRequest".to_owned()), "{bytes:?}");
        assert_eq!(answer.header("content-type"), Some("application/xml"), "HD7");
        assert!(client.is_closed());
    }
    assert_eq!(server.client().head("/bucket/missing").status, 404);
}

#[test]
fn a_head_of_more_than_16_kib_is_refused() {
    let server = TestServer::start();
    let mut client = server.client();
    let fits = Request::new("HEAD", "/bucket/missing").header("filler", &"x".repeat(15 << 10));
    assert_eq!(client.call(&fits).status, 404);
    let mut bytes = b"GET / HTTP/1.1\r\nHost: a\r\nfiller: ".to_vec();
    bytes.extend(vec![b'x'; 16 << 10]);
    client.send(&bytes);
    let refusal = client.answer(false).refusal();
    assert_eq!(refusal, (400, "RequestHeaderSectionTooLarge".to_owned()));
}

#[test]
fn cn13_the_request_id_is_in_header_and_document() {
    let server = TestServer::start();
    let mut client = server.client();
    let put = client.put("/bucket/k", b"v");
    let missing = client.get("/bucket/missing");
    let id = missing.header("x-amz-request-id").expect("on errors");
    assert_eq!(missing.element("RequestId").as_deref(), Some(id));
    assert_ne!(put.header("x-amz-request-id").expect("on successes"), id);
    assert_eq!(missing.header("server"), Some("OpenLake"));
    assert!(missing.header("date").is_some());
}

#[test]
fn connection_close_is_obeyed() {
    let server = TestServer::start();
    let mut client = server.client();
    client.put("/bucket/k", b"v");
    let last = client.call(&Request::get("/bucket/k").header("Connection", "close"));
    assert_eq!((last.body.as_slice(), last.header("connection")), (&b"v"[..], Some("close")));
    assert!(client.is_closed());
}

#[test]
fn st15_a_body_in_http_chunks_is_put_by_its_decoded_length() {
    let server = TestServer::start();
    let mut client = server.client();
    let body = "5\r\nhello\r\n0\r\n\r\n";
    let put = Request::put("/bucket/chunked", "")
        .payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER")
        .header("x-amz-decoded-content-length", "5")
        .header("Transfer-Encoding", "chunked");
    let mut bytes = client.signed_head(&put);
    // The aws-chunked body, cut into HTTP chunks in the middle of its framing.
    for piece in [&body[..2], &body[2..9], &body[9..]] {
        bytes.extend(format!("{:x}\r\n{piece}\r\n", piece.len()).bytes());
    }
    bytes.extend(b"0\r\n\r\n");
    client.send(&bytes);
    let answer = client.answer(false);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(client.get("/bucket/chunked").body, b"hello");
    let without_length = Request::put("/bucket/x", "").header("Transfer-Encoding", "chunked");
    let mut bytes = client.signed_head(&without_length);
    bytes.extend(b"0\r\n\r\n");
    client.send(&bytes);
    assert_eq!(client.answer(false).refusal(), (411, "MissingContentLength".to_owned()), "ST16");
}

#[test]
fn cn6_a_shutdown_lets_the_answer_in_flight_finish() {
    let mut server = TestServer::start();
    let body = pattern(24 << 20, 9);
    server.client().put("/bucket/large", &body);
    let mut reading = server.client();
    let head = reading.signed_head(&Request::get("/bucket/large"));
    reading.send(&head);
    // Until the server has read the request, the connection is an idle one.
    reading.wait_for_answer();
    let mut idle = server.client();
    assert_eq!(idle.head("/bucket/large").status, 200);
    let stopping = std::thread::spawn(move || server.stop());
    assert!(idle.is_closed(), "an idle connection is closed at once");
    assert_eq!(reading.answer(false).body, body);
    stopping.join().expect("no panic");
    assert!(reading.is_closed());
}
