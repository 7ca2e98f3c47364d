//! CN9: windows of transfers, on real sockets with a clock that the test moves.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;

use super::*;

const WINDOW: Duration = Duration::from_mins(1);
const LIMITS: Timeouts = Timeouts {
    head: Duration::from_secs(1),
    idle: Duration::from_secs(1),
    stall: WINDOW,
    buffer: Duration::from_secs(1),
    linger: Duration::from_secs(1),
};
const ENOUGH: usize = STALL_BYTES_MIN as usize;

struct Pair {
    client: TcpStream,
    server: TcpStream,
    watch: Watch,
    now: Instant,
}

impl Pair {
    fn new(phase: Phase) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let client = TcpStream::connect(address).expect("it listens");
        let (server, _) = listener.accept().expect("connected");
        let watch = Reaper::new(LIMITS).watch(server.as_raw_fd());
        watch.enter(phase);
        Self { client, server, watch, now: Instant::now() }
    }

    fn client_sends(&mut self, count: usize) {
        self.client.write_all(&vec![1; count]).expect("sent");
        self.server.read_exact(&mut vec![0; count]).expect("received");
    }

    fn client_takes(&mut self, count: usize) {
        let descriptor = self.server.as_raw_fd();
        let acknowledged = || moved_bytes(descriptor).1;
        let before = acknowledged();
        self.server.write_all(&vec![1; count]).expect("sent");
        self.client.read_exact(&mut vec![0; count]).expect("received");
        while acknowledged() < before + count as u64 {
            std::thread::yield_now();
        }
    }

    /// Whether the wait has ended when the reaper looks after this time.
    fn ends_after(&mut self, waited: Duration) -> bool {
        self.now += waited;
        self.watch.check(&LIMITS, self.now);
        self.watch.timed_out()
    }
}

#[test]
fn a_body_that_moves_enough_in_each_window_goes_on() {
    let mut pair = Pair::new(Phase::Body);
    for _ in 0..5 {
        assert!(!pair.ends_after(WINDOW));
        pair.client_sends(ENOUGH);
    }
    assert!(!pair.ends_after(WINDOW));
}

#[test]
fn a_body_that_moves_less_than_enough_in_a_window_ends() {
    let mut pair = Pair::new(Phase::Body);
    assert!(!pair.ends_after(Duration::from_secs(1)));
    pair.client_sends(ENOUGH - 1);
    assert!(!pair.ends_after(WINDOW / 2));
    assert!(pair.ends_after(WINDOW / 2));
}

#[test]
fn a_byte_now_and_then_does_not_begin_a_window() {
    let mut pair = Pair::new(Phase::Body);
    assert!(!pair.ends_after(Duration::ZERO));
    for _ in 0..59 {
        pair.client_sends(1);
        // As every piece of a chunked body does.
        pair.watch.enter(Phase::Work);
        pair.watch.enter(Phase::Body);
        assert!(!pair.ends_after(Duration::from_secs(1)));
    }
    assert!(pair.ends_after(Duration::from_secs(2)));
}

#[test]
fn the_servers_own_work_is_not_the_clients_time() {
    let mut pair = Pair::new(Phase::Body);
    assert!(!pair.ends_after(Duration::ZERO));
    assert!(!pair.ends_after(WINDOW / 2));
    pair.watch.enter(Phase::Work);
    assert!(!pair.ends_after(10 * WINDOW));
    // The clock of the test has moved on, that of the machine has not.
    let paused = pair.watch.paused.get().checked_sub(10 * WINDOW);
    pair.watch.paused.set(paused.expect("clocks go back that far"));
    pair.watch.enter(Phase::Body);
    assert!(!pair.ends_after(WINDOW / 4));
    assert!(pair.ends_after(WINDOW / 2));
}

#[test]
fn an_answer_counts_what_the_client_takes() {
    let mut pair = Pair::new(Phase::Answer);
    assert!(!pair.ends_after(Duration::ZERO));
    pair.client_takes(ENOUGH);
    assert!(!pair.ends_after(WINDOW));
    pair.client_takes(ENOUGH - 1);
    // What it sends meanwhile is no part of the answer.
    pair.client_sends(ENOUGH);
    assert!(pair.ends_after(WINDOW));
}

#[test]
fn an_answer_after_a_body_has_a_window_of_its_own() {
    let mut pair = Pair::new(Phase::Body);
    assert!(!pair.ends_after(Duration::ZERO));
    assert!(!pair.ends_after(WINDOW * 59 / 60));
    pair.watch.enter(Phase::Answer);
    assert!(!pair.ends_after(WINDOW / 2));
    assert!(!pair.ends_after(WINDOW / 2));
    assert!(pair.ends_after(WINDOW / 2));
}
