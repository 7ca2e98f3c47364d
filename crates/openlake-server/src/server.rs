//! Starts the shards, gives them their sockets once all have recovered, and stops them in order:
//! first the connections of all, then the stores, because a request may need another shard.

use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use openlake_io::buffer::BufferConfig;
use openlake_io::{Buffers, LARGE_BYTES, SMALL_BYTES, inbox, net, oneshot};
use openlake_s3::{ListTokenKey, ServiceConfig};
use openlake_store::{Deployment, OpenError};
use openlake_types::ShardIndex;

use crate::config::ServerConfig;
use crate::engine::{Engine, Message};
use crate::ring::Ring;
use crate::seats::Seats;
use crate::shard::{self, Entrance, Plan};

/// Calls of the control plane that may wait for a shard.
const CALLS_MAX: usize = 4096;
/// Buffers for small bodies, as a part of all buffer memory.
const SMALL_PART: u64 = 16;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("cannot reserve memory for buffers, or start a thread: {0}")]
    System(#[from] io::Error),
}

/// A running server. `C`: what engine calls complete with on the ring.
pub struct Server<C> {
    address: SocketAddr,
    ring: Ring<C>,
    engine: Engine,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<C: Send + 'static> Server<C> {
    /// Returns when every shard has recovered and listens. Nobody may sign a request until tables
    /// are set.
    pub fn start(config: ServerConfig) -> Result<Self, StartError> {
        let count = usize::from(config.store.shards);
        let deployment = Deployment::open(config.store.clone())?;
        let sockets = net::listen(config.listen, count)
            .map_err(|source| StartError::Listen { address: config.listen, source })?;
        let address = sockets[0].local_addr()?;
        let ring = Ring::new(config.control_requests_max)?;
        let buffers = Buffers::new(buffer_config(&config))?;
        buffers.prefault(config.prefault_bytes);
        let cpus = cpus(count);
        let (recovered, recoveries) = mpsc::channel();
        let mut senders = Vec::new();
        let mut doors = Vec::new();
        let mut threads = Vec::new();
        for number in 0..config.store.shards {
            let (sender, inbox) = inbox::channel(CALLS_MAX);
            let (door, entrance) = oneshot::channel();
            let plan = Plan {
                shard: ShardIndex(number),
                cpu: cpus.get(usize::from(number)).copied(),
                deployment: deployment.clone(),
                buffers: buffers.clone(),
                service: service_config(&config, &deployment),
                ring: ring.clone(),
                inbox,
                entrance,
                recovered: recovered.clone(),
            };
            let builder = std::thread::Builder::new().name(format!("shard-{number}"));
            threads.push(builder.spawn(move || shard::run(plan))?);
            senders.push(sender);
            doors.push(door);
        }
        drop(recovered);
        if let Err(error) = wait_for_recovery(&recoveries, count) {
            drop(doors);
            join(threads);
            return Err(error.into());
        }
        let engine = Engine::new(senders);
        let seats = Seats::new(count);
        for (door, socket) in doors.into_iter().zip(sockets) {
            door.send(Entrance { socket, engine: engine.clone(), seats: seats.clone() });
        }
        Ok(Self { address, ring, engine, threads: Mutex::new(threads) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn ring(&self) -> &Ring<C> {
        &self.ring
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Stops accepting, lets requests in flight finish for at most `drain_timeout`, commits, and
    /// ends the shards. The control plane has to go on answering meanwhile.
    pub fn shutdown(&self, drain_timeout: Duration) {
        let deadline = Instant::now() + drain_timeout;
        if let Ok(answers) = self.engine.send_all(Message::Drain) {
            for answer in answers {
                let rest = deadline.saturating_duration_since(Instant::now());
                answer.wait(rest);
            }
        }
        for shard in 0..self.engine.shard_count() {
            while self.engine.send(shard, Message::Stop) == Err(crate::engine::Refused::TooBusy) {
                std::thread::yield_now();
            }
        }
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        join(threads);
    }
}

fn join(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        // A shard that panicked has told stderr; the others still have to be waited for.
        let _ = thread.join();
    }
}

/// The first error that says more than that another shard failed.
fn wait_for_recovery(
    recoveries: &mpsc::Receiver<Result<(), OpenError>>,
    count: usize,
) -> Result<(), OpenError> {
    let mut first: Option<OpenError> = None;
    for _ in 0..count {
        let recovery = recoveries.recv().unwrap_or(Err(OpenError::OtherShard));
        if let Err(error) = recovery
            && matches!(first, None | Some(OpenError::OtherShard))
        {
            first = Some(error);
        }
    }
    first.map_or(Ok(()), Err)
}

/// The cache keeps blocks in the slots that they came in, so the pool has room for it as well.
fn buffer_config(config: &ServerConfig) -> BufferConfig {
    let small_bytes = config.buffer_bytes / SMALL_PART;
    let slots = |bytes: u64, slot: usize| (bytes / slot as u64).max(16) as usize;
    BufferConfig {
        large_count: slots(
            config.buffer_bytes - small_bytes + config.store.cache_bytes,
            LARGE_BYTES,
        ),
        small_count: slots(small_bytes, SMALL_BYTES),
    }
}

/// List tokens are the same on every shard and after a restart; they only say where to go on, so
/// the deployment's id is secret enough.
fn service_config(config: &ServerConfig, deployment: &Deployment) -> ServiceConfig {
    let key = openlake_coding::hmac_sha256(b"list tokens", &[&deployment.id().0.to_le_bytes()]);
    ServiceConfig {
        regions: vec![config.region.clone()],
        timeouts: config.timeouts,
        list_tokens: ListTokenKey(key),
        clock: config.store.clock.clone(),
    }
}

/// The CPUs to pin to: the first ones that this process may use; none if there are too few.
fn cpus(shards: usize) -> Vec<usize> {
    // SAFETY: an all-zero set is a valid empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let bytes = std::mem::size_of::<libc::cpu_set_t>();
    // SAFETY: the set has the size given.
    let status = unsafe { libc::sched_getaffinity(0, bytes, &raw mut set) };
    if status != 0 {
        return Vec::new();
    }
    let limit = libc::CPU_SETSIZE as usize;
    // SAFETY: every number below the limit lies in the set.
    let allowed: Vec<usize> =
        (0..limit).filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) }).collect();
    if allowed.len() < shards { Vec::new() } else { allowed }
}
