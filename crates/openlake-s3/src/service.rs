//! The S3 service of one shard: what its connections share, and its life from start to shutdown.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use openlake_io::net::TcpStream;
use openlake_io::runtime::spawn;
use openlake_io::{Buffers, UringDisk};
use openlake_store::{Clock, ObjectHandle, ObjectReader, Store};
use openlake_types::Timestamp;

use crate::access::AccessTables;
use crate::auth::Verifier;
use crate::control::{CollectedBudget, ControlPlane};
use crate::hashing::Hasher;
use crate::http::answer::Answer;
use crate::http_date::{DateText, http_date};
use crate::metrics::{Counters, ServiceMetrics};
use crate::ops::ListTokenKey;
use crate::request_id::RequestIds;
use crate::timeouts::{Reaper, Timeouts};

pub(crate) type Disk = UringDisk;
pub(crate) type Handle = ObjectHandle<Disk>;
/// An answer whose body the store may still have to read.
pub(crate) type HotAnswer = Answer<ObjectReader<Disk>>;

#[derive(Clone)]
pub struct ServiceConfig {
    /// Regions whose signatures are accepted; the first is the server's own.
    pub regions: Vec<String>,
    pub timeouts: Timeouts,
    pub list_tokens: ListTokenKey,
    pub clock: Clock,
}

pub struct Service<C: ControlPlane> {
    config: ServiceConfig,
    store: Store<Disk>,
    buffers: Buffers,
    tables: RefCell<Arc<AccessTables>>,
    control: C,
    collected: Rc<CollectedBudget>,
    verifier: Verifier,
    hasher: Rc<Hasher>,
    reaper: Rc<Reaper>,
    is_closing: Cell<bool>,
    date: Cell<(u64, DateText<29>)>,
    pub(crate) counters: Counters,
    pub(crate) request_ids: RequestIds,
}

impl<C: ControlPlane> Service<C> {
    /// To be called on the shard's thread: starts the shard's hashing and reaper tasks.
    pub fn new(
        config: ServiceConfig,
        store: Store<Disk>,
        buffers: Buffers,
        tables: Arc<AccessTables>,
        control: C,
    ) -> Rc<Self> {
        let regions: Vec<_> = config.regions.iter().map(String::as_str).collect();
        let verifier = Verifier::new(&regions);
        let (hasher, reaper) = (Hasher::new(), Reaper::new(config.timeouts));
        spawn(hasher.clone().run()).detach();
        spawn(reaper.clone().run()).detach();
        Rc::new(Self {
            config,
            store,
            buffers,
            tables: RefCell::new(tables),
            control,
            collected: CollectedBudget::new(),
            verifier,
            hasher,
            reaper,
            is_closing: Cell::new(false),
            date: Cell::new((u64::MAX, http_date(Timestamp(0)))),
            counters: Counters::default(),
            request_ids: RequestIds::default(),
        })
    }

    /// One connection, from its first request to its end.
    pub async fn serve(self: Rc<Self>, stream: TcpStream) {
        self.counters.connections.add(1);
        crate::exchange::serve(&self, stream).await;
    }

    /// Requests that begin after this see the new tables.
    pub fn set_tables(&self, tables: Arc<AccessTables>) {
        *self.tables.borrow_mut() = tables;
    }

    /// Connections without a request end now, the others after the one in flight.
    pub fn begin_shutdown(&self) {
        self.is_closing.set(true);
        self.reaper.close_idle();
    }

    /// Ends every connection where it stands.
    pub fn abort(&self) {
        self.is_closing.set(true);
        self.reaper.close_all();
    }

    pub fn connections(&self) -> usize {
        self.reaper.connections()
    }

    pub fn metrics(&self) -> ServiceMetrics {
        self.counters.snapshot(self.connections() as u64)
    }

    pub(crate) const fn timeouts(&self) -> &Timeouts {
        &self.config.timeouts
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.get()
    }

    pub(crate) fn tables(&self) -> Arc<AccessTables> {
        self.tables.borrow().clone()
    }

    pub(crate) const fn store(&self) -> &Store<Disk> {
        &self.store
    }

    pub(crate) const fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    pub(crate) const fn control(&self) -> &C {
        &self.control
    }

    pub(crate) const fn collected(&self) -> &Rc<CollectedBudget> {
        &self.collected
    }

    pub(crate) const fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    pub(crate) const fn hasher(&self) -> &Rc<Hasher> {
        &self.hasher
    }

    pub(crate) const fn reaper(&self) -> &Rc<Reaper> {
        &self.reaper
    }

    pub(crate) const fn list_tokens(&self) -> &ListTokenKey {
        &self.config.list_tokens
    }

    pub(crate) fn region(&self) -> &str {
        self.config.regions.first().map_or("us-east-1", String::as_str)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.config.clock.now()
    }

    /// The Date header, written once a second.
    pub(crate) fn date(&self) -> DateText<29> {
        let now = self.now();
        let (secs, date) = self.date.get();
        if secs == now.secs() {
            return date;
        }
        let date = http_date(now);
        self.date.set((now.secs(), date));
        date
    }
}
