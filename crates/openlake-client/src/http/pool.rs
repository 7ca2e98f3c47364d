//! Idle connections, last used first out, so that few stay warm and the rest can be dropped.

use std::io;
use std::sync::Mutex;
use std::time::Instant;

use super::connection::Connection;
use crate::config::Endpoint;

pub struct Pool {
    endpoint: Endpoint,
    idle_max: usize,
    idle: Mutex<Vec<Connection>>,
}

impl Pool {
    pub fn new(endpoint: Endpoint, idle_max: usize) -> Self {
        Self { endpoint, idle_max, idle: Mutex::new(Vec::new()) }
    }

    pub fn authority(&self) -> &str {
        &self.endpoint.authority
    }

    /// An idle connection that the server has not closed, or a new one, to be made by `deadline`.
    pub fn take(&self, deadline: Instant) -> io::Result<Connection> {
        while let Some(connection) = self.pop() {
            if connection.is_quiet() {
                return Ok(connection);
            }
        }
        self.connect(deadline)
    }

    /// A new connection, to be made by `deadline`.
    pub fn connect(&self, deadline: Instant) -> io::Result<Connection> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the endpoint has no address");
        for address in &self.endpoint.addresses {
            match Connection::open(*address, deadline) {
                Ok(connection) => return Ok(connection),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Keeps a connection whose answer was read to the end.
    pub fn give_back(&self, connection: Connection) {
        let mut idle = self.idle.lock().expect("no holder of this lock can panic");
        if idle.len() < self.idle_max {
            idle.push(connection);
        }
    }

    fn pop(&self) -> Option<Connection> {
        self.idle.lock().expect("no holder of this lock can panic").pop()
    }
}
