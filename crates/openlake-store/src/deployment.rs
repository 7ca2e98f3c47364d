//! The data directory of a server: its identity, its lock, and what its shards share.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crossbeam_queue::ArrayQueue;
use openlake_format::identity::IDENTITY_BYTES;
use openlake_format::{DecodeError, DeploymentId, Identity};
use openlake_io::inbox::{Inbox, Sender, channel};
use openlake_types::ShardIndex;

use crate::blob::Homes;
use crate::config::{
    INLINE_BYTES_LIMIT, JOURNAL_SEGMENT_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MIN, StoreConfig,
};
use crate::error::OpenError;
use crate::message::Request;
use crate::recovery::Gather;
use crate::recovery::{FoundBlobs, LiveBlobs};

const IDENTITY_FILE: &str = "identity";
const LOCK_FILE: &str = "lock";
/// Each shard makes blob files in directories of its own, and there are 256.
const SHARDS_MAX: u16 = 256;

/// Made once, before the shards start; keeps the data directory locked as long as it lives.
pub struct Deployment {
    pub(crate) config: StoreConfig,
    pub(crate) id: DeploymentId,
    pub(crate) senders: Vec<Sender<Request>>,
    /// Each shard takes its own.
    inboxes: Vec<ArrayQueue<Inbox<Request>>>,
    pub(crate) homes: Arc<Homes>,
    pub(crate) live_blobs: Gather<LiveBlobs>,
    pub(crate) found_blobs: Gather<FoundBlobs>,
    /// Shards that hold no live record in foreign segments any more.
    pub(crate) rewritten: Gather<()>,
    /// Segments of an earlier layout are still on the drive.
    pub(crate) has_foreign: AtomicBool,
    _lock: File,
}

impl Deployment {
    /// Creates the data directory, or checks that it is one of ours that nobody uses.
    pub fn open(config: StoreConfig) -> Result<Arc<Self>, OpenError> {
        check_config(&config)?;
        let path = &config.data_dir;
        let directory_error = |source| OpenError::Directory { path: shown(path), source };
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(path).map_err(directory_error)?;
        // Before the lock: a directory of somebody else is not written to.
        read_identity(path)?;
        let lock = lock(path)?;
        let id = match read_identity(path)? {
            Some(identity) => identity.deployment,
            None => create_identity(&config)?.deployment,
        };
        let channels = || (0..config.shards).map(|_| channel(config.inbox_messages_max));
        let (senders, inboxes): (Vec<_>, Vec<_>) = channels().unzip();
        let hold = |inbox| {
            let slot = ArrayQueue::new(1);
            assert!(slot.push(inbox).is_ok(), "a new slot is empty");
            slot
        };
        Ok(Arc::new(Self {
            id,
            senders,
            inboxes: inboxes.into_iter().map(hold).collect(),
            homes: Homes::new(config.shards),
            live_blobs: Gather::new(config.shards),
            found_blobs: Gather::new(config.shards),
            rewritten: Gather::new(config.shards),
            has_foreign: AtomicBool::new(false),
            config,
            _lock: lock,
        }))
    }

    pub const fn id(&self) -> DeploymentId {
        self.id
    }

    pub const fn config(&self) -> &StoreConfig {
        &self.config
    }

    pub(crate) fn take_inbox(&self, shard: ShardIndex) -> Inbox<Request> {
        self.inboxes[usize::from(shard.0)].pop().expect("a shard opens once")
    }

    /// A shard that cannot open releases those that wait for it.
    pub(crate) fn fail_opening(&self) {
        self.live_blobs.fail();
        self.found_blobs.fail();
        self.rewritten.fail();
    }
}

fn check_config(config: &StoreConfig) -> Result<(), OpenError> {
    let refuse = |what: String| Err(OpenError::Config { what });
    if config.shards == 0 || config.shards > SHARDS_MAX {
        return refuse(format!("there are 1 to {SHARDS_MAX} shards, not {}", config.shards));
    }
    let segment = config.journal_segment_bytes;
    let allowed = JOURNAL_SEGMENT_BYTES_MIN..=JOURNAL_SEGMENT_BYTES_MAX;
    if !allowed.contains(&segment) || !segment.is_multiple_of(1 << 20) {
        return refuse(format!("a journal segment has 4 MiB to 1 GiB in MiB, not {segment} bytes"));
    }
    if config.inline_bytes_max > INLINE_BYTES_LIMIT {
        return refuse(format!("inline objects have at most {INLINE_BYTES_LIMIT} bytes"));
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn lock(directory: &Path) -> Result<File, OpenError> {
    let path = directory.join(LOCK_FILE);
    let error = |source| OpenError::Directory { path: shown(directory), source };
    let file =
        File::options().create(true).truncate(false).write(true).open(path).map_err(error)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { path: shown(directory) }),
        Err(TryLockError::Error(source)) => Err(error(source)),
    }
}

fn read_identity(directory: &Path) -> Result<Option<Identity>, OpenError> {
    let path = shown(directory);
    let bytes = match fs::read(directory.join(IDENTITY_FILE)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return check_unused(directory).map(|()| None);
        }
        Err(source) => return Err(OpenError::Io { path, source }),
    };
    match Identity::decode(&bytes) {
        Ok(identity) => Ok(Some(identity)),
        Err(DecodeError::Magic) => Err(OpenError::Foreign { path }),
        Err(DecodeError::Version(version)) => Err(OpenError::NewerFormat { path, version }),
        Err(error) => Err(OpenError::Corrupt { path, what: format!("identity file: {error}") }),
    }
}

/// Without identity there may be our lock, what the server keeps beside the engine, and what a
/// file system makes; anything else is somebody's.
fn check_unused(directory: &Path) -> Result<(), OpenError> {
    let path = shown(directory);
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(source) => return Err(OpenError::Io { path, source }),
    };
    for entry in entries {
        let name = match entry {
            Ok(entry) => entry.file_name(),
            Err(source) => return Err(OpenError::Io { path, source }),
        };
        let name = name.to_string_lossy();
        let ours = name == LOCK_FILE || name.starts_with("openlake") || name.starts_with('.');
        if name == "journal" || name == "blobs" {
            let what = "the identity file is missing".to_owned();
            return Err(OpenError::Corrupt { path, what });
        }
        if !ours && name != "lost+found" {
            return Err(OpenError::Foreign { path });
        }
    }
    Ok(())
}

fn create_identity(config: &StoreConfig) -> Result<Identity, OpenError> {
    let directory = &config.data_dir;
    let write = || -> io::Result<Identity> {
        let identity = Identity {
            deployment: DeploymentId(config.random.u128()?),
            created: config.clock.now(),
        };
        let bytes: [u8; IDENTITY_BYTES] = identity.encode();
        let unnamed = directory.join(format!(".{IDENTITY_FILE}"));
        let mut file = File::create(&unnamed)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&unnamed, directory.join(IDENTITY_FILE))?;
        File::open(directory)?.sync_all()?;
        Ok(identity)
    };
    write().map_err(|source| OpenError::Directory { path: shown(directory), source })
}
