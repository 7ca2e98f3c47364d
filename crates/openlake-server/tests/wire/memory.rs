//! SEC31: what clients that stand still hold of the server's memory has an end, and others are told.

use std::time::{Duration, Instant};

use openlake_s3::Timeouts;
use openlake_s3::control::COLLECTED_BYTES_MAX;

use crate::client::{Client, Request};
use crate::harness::TestServer;
use crate::life::pattern;

/// Clients stand still for as long as a test takes; only the wait for memory is short.
const PATIENT: Timeouts = Timeouts {
    head: Duration::from_mins(10),
    idle: Duration::from_mins(10),
    stall: Duration::from_mins(10),
    buffer: Duration::from_secs(1),
    linger: Duration::from_secs(1),
};

/// Sends a request but for the last bytes of its body.
fn begin(server: &TestServer, request: &Request) -> Client {
    let mut client = server.client();
    let head = client.signed_head(request);
    client.send(&head);
    client.send(&request.body[..request.body.len() / 2]);
    client
}

/// Waits until so many of the clients are told to slow down, and gives back the others.
fn until_refused(clients: Vec<Client>, count: usize) -> Vec<Client> {
    let (mut waiting, mut refused) = (clients, 0);
    let begun = Instant::now();
    while refused < count {
        assert!(begun.elapsed() < Duration::from_secs(20), "{refused} of {count} were refused");
        let has_answer = |client: &mut Client| client.has_answer_within(Duration::from_millis(10));
        for mut answered in waiting.extract_if(.., has_answer) {
            assert_eq!(answered.answer(false).refusal(), (503, "SlowDown".to_owned()));
            refused += 1;
        }
    }
    waiting
}

#[test]
fn an_upload_that_finds_no_buffer_in_time_is_told_to_slow_down() {
    let server = TestServer::start_with_few_buffers(PATIENT);
    for size in [100_000, 3 << 20] {
        let put = Request::put("/bucket/held", pattern(size, 1));
        let clients = (0..20).map(|_| begin(&server, &put)).collect();
        let held = until_refused(clients, 1);
        let more = pattern(size, 2);
        let refused = server.client().put("/bucket/more", &more);
        assert_eq!(refused.refusal(), (503, "SlowDown".to_owned()));
        assert_eq!(server.client().head("/bucket/more").status, 404);
        drop(held);
        let mut answers = (0..10).map(|_| server.client().put("/bucket/more", &more).status);
        assert!(answers.any(|status| status == 200));
        assert_eq!(server.client().get("/bucket/more").body, more);
        assert_eq!(server.client().delete("/bucket/more").status, 204);
    }
    assert_eq!(server.client().head("/bucket/held").status, 404);
}

#[test]
fn bodies_for_the_control_plane_are_collected_within_a_budget() {
    let server = TestServer::start_with(PATIENT);
    let post = Request { body: pattern(2 << 20, 1), ..Request::new("POST", "/bucket?delete") };
    let head = server.client().signed_head(&post);
    // Two shards, to which connections go in turn; each is full with so many bodies.
    let full = (COLLECTED_BYTES_MAX / post.body.len() as u64) as usize;
    let clients = (0..2 * (full + 1)).map(|_| {
        let mut client = server.client();
        client.send(&head);
        client
    });
    let held = until_refused(clients.collect(), 2);
    assert_eq!(held.len(), 2 * full);
    assert_eq!(server.client().call(&post).refusal(), (503, "SlowDown".to_owned()));
    // What needs no such memory goes on.
    assert_eq!(server.client().put("/bucket/k", b"new").status, 200);
    assert_eq!(server.client().get("/bucket?location").status, 200);
    drop(held);
    let mut answers = (0..100).map(|_| server.client().call(&post));
    let answer = answers.find(|answer| answer.status == 200).expect("the others have gone");
    assert_eq!(answer.text(), "Post /bucket?delete 2097152");
}

#[test]
fn a_download_that_finds_no_buffer_in_time_is_told_to_slow_down() {
    let server = TestServer::start_with_few_buffers(PATIENT);
    let stored = pattern(3 << 20, 3);
    assert_eq!(server.client().put("/bucket/stored", &stored).status, 200);
    let put = Request::put("/bucket/held", pattern(3 << 20, 1));
    let held = until_refused((0..20).map(|_| begin(&server, &put)).collect(), 1);
    // The cache takes one block at most; the second is on the drive.
    let range = Request::get("/bucket/stored").header("range", "bytes=2097152-");
    let refused = server.client().call(&range);
    assert_eq!(refused.refusal(), (503, "SlowDown".to_owned()));
    drop(held);
    let mut answers = (0..10).map(|_| server.client().get("/bucket/stored"));
    assert!(answers.any(|answer| answer.status == 200 && answer.body == stored));
}
