//! One shard's thread: recover, say so, serve, drain, stop.

use std::net::TcpListener as StdListener;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;

use openlake_io::net::{TcpListener, TcpStream};
use openlake_io::runtime::{JoinHandle, run_shard, sleep, spawn};
use openlake_io::{Buffers, UringDisk, inbox, oneshot};
use openlake_s3::{AccessTables, Service, ServiceConfig};
use openlake_store::{Deployment, OpenError, Store};
use openlake_types::ShardIndex;

use crate::control::RingControl;
use crate::counters;
use crate::engine::{Engine, Message, ShardContext};
use crate::ring::Ring;
use crate::seats::{Seat, Seats};

/// What a shard thread is given.
pub(crate) struct Plan<C> {
    pub shard: ShardIndex,
    pub cpu: Option<usize>,
    pub deployment: Arc<Deployment>,
    pub buffers: Buffers,
    pub service: ServiceConfig,
    pub ring: Ring<C>,
    pub inbox: inbox::Inbox<Message>,
    /// Resolves when every shard has recovered; dropped when one has not.
    pub entrance: oneshot::Answer<Entrance>,
    pub recovered: mpsc::Sender<Result<(), OpenError>>,
}

/// Where connections come in.
pub(crate) struct Entrance {
    pub socket: StdListener,
    /// The other shards.
    pub engine: Engine,
    pub seats: Seats,
}

/// How often a draining shard looks whether its connections have closed.
const DRAIN_LOOK: std::time::Duration = std::time::Duration::from_millis(5);
/// Pause after a failed accept: out of descriptors is not healed by trying at once.
const ACCEPT_PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// The thread's whole life.
pub(crate) fn run<C: Send + 'static>(plan: Plan<C>) {
    let recovered = plan.recovered.clone();
    let end = run_shard(plan.cpu, || serve(plan));
    if let Err(source) = end {
        let path = "io_uring".to_owned();
        // The starter may have given up already; then nobody is left to tell.
        let _ = recovered.send(Err(OpenError::Io { path, source }));
    }
}

async fn serve<C: Send + 'static>(plan: Plan<C>) {
    let Plan { shard, deployment, buffers, service, ring, mut inbox, entrance, recovered, .. } =
        plan;
    let store = match Store::open(deployment, shard, UringDisk, buffers.clone()).await {
        Ok(store) => store,
        Err(error) => {
            let _ = recovered.send(Err(error));
            return;
        }
    };
    spawn(store.clone().run_inbox()).detach();
    let _ = recovered.send(Ok(()));
    let tables = Arc::new(AccessTables::default());
    let control = RingControl(ring);
    let service = Service::new(service, store.clone(), buffers, tables, control);
    let mut accepting = match entrance.await {
        Some(entrance) => accept(entrance, usize::from(shard.0), &service),
        None => None,
    };
    if accepting.is_none() {
        store.shutdown().await;
        return;
    }
    let counters: Box<dyn Fn() -> counters::Named> = {
        let (store, service) = (store.clone(), service.clone());
        let is_first = shard.0 == 0;
        Box::new(move || {
            [counters::of_store(&store.stats(), is_first), service.metrics().named()].concat()
        })
    };
    let context = ShardContext { store: store.clone(), counters };
    loop {
        match inbox.next().await {
            Message::Run(job) => spawn(job(&context)).detach(),
            Message::SetTables(tables, reply) => {
                service.set_tables(tables);
                reply.send(());
            }
            Message::Connection(socket, seat) => {
                if let Ok(stream) = TcpStream::from_std(socket.into()) {
                    serve_seated(&service, stream, seat);
                }
            }
            Message::Drain(reply) => {
                drop(accepting.take());
                service.begin_shutdown();
                spawn(drain(service.clone(), reply)).detach();
            }
            Message::Stop => {
                service.abort();
                break;
            }
        }
    }
    store.shutdown().await;
}

type SharedService<C> = Rc<Service<RingControl<C>>>;

/// Starts to accept; dropping the handle stops it and closes the socket.
fn accept<C: Send + 'static>(
    entrance: Entrance,
    here: usize,
    service: &SharedService<C>,
) -> Option<JoinHandle<()>> {
    let Entrance { socket, engine, seats } = entrance;
    let listener = TcpListener::from_std(socket).ok()?;
    let service = service.clone();
    Some(spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let seat = seats.take(here);
            if seat.shard == here {
                serve_seated(&service, stream, seat);
            } else {
                hand_over(&engine, &stream, seat);
            }
        }
    }))
}

fn serve_seated<C: Send + 'static>(service: &SharedService<C>, stream: TcpStream, seat: Seat) {
    let service = service.clone();
    spawn(async move {
        service.serve(stream).await;
        drop(seat);
    })
    .detach();
}

/// A shard that cannot take even this, or no descriptor to give: the connection ends, as one that
/// was never accepted.
fn hand_over(engine: &Engine, stream: &TcpStream, seat: Seat) {
    if let Ok(socket) = stream.as_fd().try_clone_to_owned() {
        let _ = engine.send(seat.shard, Message::Connection(socket, seat));
    }
}

async fn drain<C: Send + 'static>(service: SharedService<C>, reply: oneshot::Reply<()>) {
    while service.connections() > 0 {
        sleep(DRAIN_LOOK).await;
    }
    reply.send(());
}
