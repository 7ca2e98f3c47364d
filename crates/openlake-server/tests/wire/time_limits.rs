//! CN9, SEC31: clients that are slow or silent.

use std::time::Duration;

use openlake_s3::Timeouts;

use crate::client::Request;
use crate::harness::TestServer;
use crate::life::pattern;

const SHORT: Timeouts = Timeouts {
    head: Duration::from_secs(1),
    idle: Duration::from_secs(1),
    stall: Duration::from_secs(1),
    buffer: Duration::from_secs(1),
    linger: Duration::from_secs(1),
};

#[test]
fn an_idle_connection_is_closed() {
    let server = TestServer::start_with(SHORT);
    let mut client = server.client();
    assert_eq!(client.head("/bucket/missing").status, 404);
    assert!(client.is_closed());
}

#[test]
fn a_head_that_does_not_end_is_a_request_timeout() {
    let server = TestServer::start_with(SHORT);
    let mut client = server.client();
    client.send(b"GET /bucket/k HTTP/1.1\r\nHost: a\r\n");
    assert_eq!(client.answer(false).refusal(), (400, "RequestTimeout".to_owned()));
    assert!(client.is_closed());
}

#[test]
fn cn9_a_stalled_upload_is_a_request_timeout_and_changes_nothing() {
    let server = TestServer::start_with(SHORT);
    for size in [1000, 3 << 20] {
        let mut client = server.client();
        assert_eq!(client.put("/bucket/k", b"old").status, 200);
        let put = Request::put("/bucket/k", pattern(size, 1));
        let head = client.signed_head(&put);
        client.send(&head);
        client.send(&put.body[..size / 2]);
        assert_eq!(client.answer(false).refusal(), (400, "RequestTimeout".to_owned()));
        assert_eq!(server.client().get("/bucket/k").body, b"old");
    }
}

#[test]
fn a_slow_upload_that_moves_enough_is_let_through() {
    let server = TestServer::start_with(SHORT);
    let mut client = server.client();
    let put = Request::put("/bucket/slow", pattern(600_000, 1));
    let head = client.signed_head(&put);
    client.send(&head);
    for piece in put.body.chunks(100_000) {
        // The pace of the client is what is tested here; the whole takes longer than the limit.
        std::thread::sleep(Duration::from_millis(400));
        client.send(piece);
    }
    assert_eq!(client.answer(false).status, 200);
}

#[test]
fn an_upload_that_trickles_is_a_request_timeout_and_changes_nothing() {
    let server = TestServer::start_with(SHORT);
    for size in [1000, 3 << 20] {
        let mut client = server.client();
        assert_eq!(client.put("/bucket/k", b"old").status, 200);
        let put = Request::put("/bucket/k", pattern(size, 1));
        let head = client.signed_head(&put);
        client.send(&head);
        let mut bytes = put.body.iter();
        while !client.has_answer_within(Duration::from_millis(100)) {
            client.send(&[*bytes.next().expect("an answer before the body ends")]);
        }
        assert_eq!(client.answer(false).refusal(), (400, "RequestTimeout".to_owned()));
        assert_eq!(server.client().get("/bucket/k").body, b"old");
    }
}

#[test]
fn a_download_that_trickles_is_cut() {
    let server = TestServer::start_with(SHORT);
    // More than the buffers of both sockets hold.
    let body = pattern(24 << 20, 1);
    assert_eq!(server.client().put("/bucket/k", &body).status, 200);
    let mut client = server.client();
    client.receive_little_at_once();
    let head = client.signed_head(&Request::get("/bucket/k"));
    client.send(&head);
    let mut received_bytes = 0;
    while server.counter("answers_cut_total") == 0 {
        assert!(received_bytes < 1 << 20, "cut long before");
        // The pace of the client, some 20 KB/s, is what is tested here.
        std::thread::sleep(Duration::from_millis(100));
        received_bytes += client.receive_at_most(2 << 10);
    }
}
