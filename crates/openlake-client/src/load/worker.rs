//! One thread of the generator with its share of the connections.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::connection::{Answer, LoadConnection, Progress};
use super::pace::{Arrivals, Random};
use super::report::LoadReport;
use super::requests::Requests;
use crate::net::{Epoll, Interest, ThreadCpu, yield_to_others};

/// How long the end of a run waits for answers under way.
const PATIENCE: Duration = Duration::from_secs(10);
/// Arrivals of an open loop that wait for a connection; later ones count as unsent.
const BACKLOG_MAX: usize = 1 << 20;

/// What all workers of a run share.
pub struct Shared<'a> {
    pub requests: &'a Requests,
    pub addresses: &'a [SocketAddr],
    /// Requests begun by all workers together, and how many may be.
    pub turn: &'a AtomicU64,
    pub requests_max: u64,
    pub duration: Duration,
}

pub struct Worker<'a> {
    shared: &'a Shared<'a>,
    connections: Vec<LoadConnection>,
    epoll: Epoll,
    random: Random,
    rate_per_s: Option<f64>,
    arrivals: Option<Arrivals>,
    /// Due, but without a connection yet.
    backlog: VecDeque<Instant>,
    idle: Vec<usize>,
    busy: usize,
    end: Instant,
    report: LoadReport,
}

impl<'a> Worker<'a> {
    pub fn new(
        shared: &'a Shared<'a>,
        connections: u32,
        rate_per_s: Option<f64>,
        seed: u64,
    ) -> io::Result<Self> {
        let epoll = Epoll::new()?;
        let mut opened = Vec::with_capacity(connections as usize);
        for number in 0..u64::from(connections) {
            let connection = LoadConnection::open(shared.addresses)?;
            epoll.add(&connection.socket, number, Interest::Readable)?;
            opened.push(connection);
        }
        Ok(Self {
            shared,
            idle: (0..opened.len()).rev().collect(),
            connections: opened,
            epoll,
            random: Random::new(seed),
            rate_per_s,
            arrivals: None,
            backlog: VecDeque::new(),
            busy: 0,
            end: Instant::now(),
            report: LoadReport::default(),
        })
    }

    pub fn run(mut self) -> io::Result<LoadReport> {
        let start = Instant::now();
        let cpu = ThreadCpu::start();
        self.end = start + self.shared.duration;
        self.arrivals = self.rate_per_s.map(|rate| Arrivals::new(start, rate));
        yield_to_others()?;
        let mut scratch = vec![0; 64 << 10];
        let mut ready = Vec::new();
        loop {
            let now = Instant::now();
            let over = self.start_due(now)?;
            if over && (self.busy == 0 || now > self.end + PATIENCE) {
                break;
            }
            self.epoll.wait(self.timeout(now), &mut ready)?;
            for number in ready.drain(..) {
                self.serve(number as usize, &mut scratch)?;
            }
        }
        self.report.elapsed = start.elapsed();
        self.report.cpu = cpu.spent();
        self.report.unsent += self.backlog.len() as u64;
        self.report.unfinished = self.busy as u64;
        Ok(self.report)
    }

    fn timeout(&self, now: Instant) -> Duration {
        let longest = Duration::from_millis(100);
        self.arrivals.as_ref().map_or(longest, |arrivals| {
            arrivals.next_at().saturating_duration_since(now).min(longest)
        })
    }

    /// Begins what is due on idle connections; true if nothing more will ever be due.
    fn start_due(&mut self, now: Instant) -> io::Result<bool> {
        let time_over = now >= self.end;
        if let (Some(arrivals), false) = (&mut self.arrivals, time_over) {
            while let Some(at) = arrivals.due(now, &mut self.random) {
                if self.backlog.len() < BACKLOG_MAX {
                    self.backlog.push_back(at);
                } else {
                    self.report.unsent += 1;
                }
            }
        }
        let mut over = time_over;
        while !over {
            let since = match (&self.arrivals, self.backlog.front()) {
                (None, _) => Instant::now(),
                (Some(_), Some(at)) => *at,
                (Some(_), None) => break,
            };
            let Some(number) = self.idle.pop() else { break };
            let late = self.arrivals.is_none() && since >= self.end;
            let turn = self.shared.turn.fetch_add(1, Relaxed);
            if late || turn >= self.shared.requests_max {
                self.idle.push(number);
                over = true;
                break;
            }
            self.backlog.pop_front();
            self.begin(number, turn, since)?;
        }
        Ok(over)
    }

    fn begin(&mut self, number: usize, turn: u64, since: Instant) -> io::Result<()> {
        let connection = &mut self.connections[number];
        self.shared.requests.write(&mut connection.head, turn, &mut self.random);
        connection.begin(since);
        self.busy += 1;
        match connection.send(&self.shared.requests.body) {
            Ok(true) => Ok(()),
            Ok(false) => self.await_interest(number, Interest::Writable),
            Err(_) => self.replace(number, "closed"),
        }
    }

    fn serve(&mut self, number: usize, scratch: &mut [u8]) -> io::Result<()> {
        let connection = &mut self.connections[number];
        if !connection.busy {
            return self.replace(number, "closed while idle");
        }
        match connection.send(&self.shared.requests.body) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(_) => return self.replace(number, "closed"),
        }
        match connection.receive(scratch, self.shared.requests.of_head()) {
            // All is sent: from here on only the answer matters.
            Ok(Progress::Waiting) => self.await_interest(number, Interest::Readable),
            Ok(Progress::Done(answer)) => {
                self.await_interest(number, Interest::Readable)?;
                self.finish(number, answer)
            }
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Err(error),
            Err(_) => self.replace(number, "closed"),
        }
    }

    fn await_interest(&mut self, number: usize, interest: Interest) -> io::Result<()> {
        let connection = &mut self.connections[number];
        if connection.waits_for == interest {
            return Ok(());
        }
        connection.waits_for = interest;
        self.epoll.modify(&connection.socket, number as u64, interest)
    }

    fn finish(&mut self, number: usize, answer: Answer) -> io::Result<()> {
        let connection = &self.connections[number];
        self.report.latencies.record(connection.since.elapsed());
        if (200..300).contains(&answer.status) {
            self.report.succeeded += 1;
            self.report.bytes += self.shared.requests.payload_bytes(answer.body_bytes);
        } else {
            self.report.error(format!("HTTP {}", answer.status));
        }
        self.busy -= 1;
        if answer.close {
            return self.reopen(number);
        }
        self.idle.push(number);
        Ok(())
    }

    /// Counts a broken request and gives its connection a new socket.
    fn replace(&mut self, number: usize, error: &str) -> io::Result<()> {
        self.report.error(error);
        if self.connections[number].busy {
            self.busy -= 1;
        } else {
            self.idle.retain(|idle| *idle != number);
        }
        self.reopen(number)
    }

    fn reopen(&mut self, number: usize) -> io::Result<()> {
        self.connections[number] = LoadConnection::open(self.shared.addresses)?;
        self.epoll.add(&self.connections[number].socket, number as u64, Interest::Readable)?;
        self.idle.push(number);
        Ok(())
    }
}
