//! Starts a server on a fresh directory, with a control plane that knows just enough: bytes in,
//! engine calls, bytes out.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use openlake_s3::auth::SecretKey;
use openlake_s3::{AccessTables, ControlAnswer, Timeouts};
use openlake_server::{Engine, Ring, RingItem, Server, ServerConfig};
use openlake_store::{
    CompleteMultipartUpload, CompletedPart, CreateBucket, CreateMultipartUpload, ObjectAttributes,
    StoreConfig, WriteCondition,
};
use openlake_types::{BucketName, ETag, ObjectKey, PartNumber};

use crate::client::{ANN, Client, Keys, ROOT};

pub const BUCKET: &str = "bucket";
/// Belongs to Ann.
pub const ANNS: &str = "anns-bucket";

/// Bytes of the cache and of the buffers.
type Memory = (u64, u64);

const AMPLE: Memory = (32 << 20, 64 << 20);
/// The fewest buffers that a server has: 16 of each size.
const SCARCE: Memory = (1 << 20, 1 << 20);

pub struct TestServer {
    server: Arc<Server<()>>,
    control: Option<JoinHandle<()>>,
    stops: Arc<AtomicBool>,
    directory: PathBuf,
}

impl TestServer {
    pub fn start() -> Self {
        Self::start_with(Timeouts::default())
    }

    pub fn start_with(timeouts: Timeouts) -> Self {
        Self::start_in(AMPLE, timeouts)
    }

    pub fn start_with_few_buffers(timeouts: Timeouts) -> Self {
        Self::start_in(SCARCE, timeouts)
    }

    fn start_in(memory: Memory, timeouts: Timeouts) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("wire-{}-{number}", std::process::id());
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let server = Self::open(directory, memory, timeouts);
        for (bucket, owner) in [(BUCKET, "root"), (ANNS, "ann")] {
            server.create_bucket(bucket, owner);
        }
        server
    }

    fn open(directory: PathBuf, (cache_bytes, buffer_bytes): Memory, timeouts: Timeouts) -> Self {
        let mut store = StoreConfig::new(&directory, 2);
        store.journal_segment_bytes = 4 << 20;
        store.cache_bytes = cache_bytes;
        let config = ServerConfig {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            region: "us-east-1".to_owned(),
            store,
            buffer_bytes,
            prefault_bytes: 0,
            timeouts,
            control_requests_max: 64,
        };
        let server = Arc::new(Server::start(config).expect("a fresh directory and a free port"));
        let stops = Arc::new(AtomicBool::new(false));
        let (ring, engine) = (server.ring().clone(), server.engine().clone());
        let control = std::thread::spawn({
            let stops = stops.clone();
            move || control(&ring, &engine, &stops)
        });
        let (done, tables_are_set) = mpsc::channel();
        server
            .engine()
            .set_tables(tables(), move || done.send(()).expect("somebody waits"))
            .expect("just started");
        tables_are_set.recv().expect("the shards answer");
        Self { server, control: Some(control), stops, directory }
    }

    /// Stops and starts again on the same data.
    pub fn restart(self) -> Self {
        self.restart_after(|_| ())
    }

    /// The same, with something done to the data directory in between.
    pub fn restart_after(mut self, change: impl FnOnce(&Path)) -> Self {
        self.stop();
        let directory = std::mem::take(&mut self.directory);
        change(&directory);
        Self::open(directory, AMPLE, Timeouts::default())
    }

    pub fn stop(&mut self) {
        self.server.shutdown(Duration::from_secs(10));
        self.stops.store(true, Ordering::SeqCst);
        self.server.ring().complete(());
        if let Some(control) = self.control.take() {
            control.join().expect("the control plane does not panic");
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    pub fn client(&self) -> Client {
        self.client_of(ROOT)
    }

    pub fn client_of(&self, keys: Keys) -> Client {
        Client::connect(self.address(), keys)
    }

    fn create_bucket(&self, name: &str, owner: &str) {
        let name = BucketName::new(name).expect("valid");
        let create = CreateBucket { name, owner: owner.to_owned(), config: Bytes::new() };
        let (done, created) = mpsc::channel();
        let work = |store: openlake_store::Store<_>| async move {
            done.send(store.create_bucket(create).await).expect("somebody waits");
        };
        self.server.engine().call(work).expect("the server runs");
        created.recv().expect("the shard answers").expect("a new bucket");
    }

    /// The value of a counter of `/metrics`.
    pub fn counter(&self, name: &str) -> u64 {
        let (done, counted) = mpsc::channel();
        let done = move |counters| done.send(counters).expect("somebody waits");
        self.server.engine().counters(done).expect("the server runs");
        let counters: Vec<(&str, u64)> = counted.recv().expect("the shards answer");
        counters.iter().find(|(own, _)| *own == name).expect(name).1
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if self.directory.as_os_str().is_empty() {
            return;
        }
        self.stop();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn tables() -> AccessTables {
    let mut tables = AccessTables::default();
    for (keys, user, is_root) in [(ROOT, "root", true), (ANN, "ann", false)] {
        let secret = SecretKey::new(keys.secret).expect("not empty");
        tables.keys.insert(keys.access_key, secret, user, is_root);
    }
    for (bucket, owner) in [(BUCKET, "root"), (ANNS, "ann")] {
        tables.owners.insert(BucketName::new(bucket).expect("valid"), owner.into());
    }
    tables
}

fn control(ring: &Ring<()>, engine: &Engine, stops: &AtomicBool) {
    loop {
        let mut poll = libc::pollfd { fd: ring.fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry, which lives during the call.
        unsafe { libc::poll(&raw mut poll, 1, -1) };
        for item in ring.drain() {
            if let RingItem::Request(pending) = item {
                answer(*pending, engine);
            }
        }
        if stops.load(Ordering::SeqCst) {
            return;
        }
    }
}

/// `POST ?uploads` gives an upload id; `POST ?uploadId=` takes lines of `number etag`; everything
/// else is echoed.
fn answer(pending: openlake_server::PendingRequest, engine: &Engine) {
    let request = pending.request;
    let target = String::from_utf8(request.target.to_vec()).expect("text");
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let say =
        |status, body: String| ControlAnswer { status, headers: Vec::new(), body: body.into() };
    let object = path[1..].split_once('/').map(|(bucket, key)| {
        (BucketName::new(bucket).expect("valid"), ObjectKey::new(key.to_owned()).expect("valid"))
    });
    let Some((bucket, key)) = object.filter(|_| query.starts_with("upload")) else {
        let text = format!("{:?} {target} {}", request.method, request.body.len());
        return pending.reply.send(say(200, text));
    };
    let query = query.to_owned();
    let called = engine.call(move |store| async move {
        let Some(upload) = query.strip_prefix("uploadId=") else {
            let attributes = ObjectAttributes::new(ETag::of_md5([0; 16]));
            let create = CreateMultipartUpload { bucket, key, attributes, checksum: None };
            let upload = store.create_multipart_upload(create).await.expect("begun");
            return pending.reply.send(say(200, upload.to_string()));
        };
        let text = String::from_utf8(request.body.to_vec()).expect("text");
        let parts = text.lines().map(|line| {
            let (number, etag) = line.split_once(' ').expect("two words");
            let number = PartNumber::new(number.parse().expect("a number")).expect("in range");
            CompletedPart { number, etag: etag.parse().expect("an ETag"), checksum: None }
        });
        let complete = CompleteMultipartUpload {
            bucket,
            key,
            upload: upload.parse().expect("an upload id"),
            parts: parts.collect(),
            condition: WriteCondition::None,
            checksum: None,
            checksum_kind: None,
            size: None,
        };
        let reply = match store.complete_multipart_upload(complete).await {
            Ok(info) => say(200, info.etag().to_string()),
            Err(error) => say(400, error.to_string()),
        };
        pending.reply.send(reply);
    });
    called.expect("the server runs");
}
