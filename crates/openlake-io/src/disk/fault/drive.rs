//! The drive itself: its files and names, and which operations a rule spoils.

use std::cell::{Cell, RefCell};
use std::future::ready;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::buffer::{Buffer, BufferMut};
use crate::disk::{DirEntry, Disk, DiskFile, OpenOptions};
use crate::runtime::sleep;

use super::content::Content;
use super::dice::Dice;
use super::names::Names;
use super::rules::{Action, Operation, Rule, Rules, power_lost};

type Node = Rc<RefCell<Content>>;

struct State {
    names: RefCell<Names<Node>>,
    rules: RefCell<Rules>,
    operations: Cell<u64>,
    power_cut_at: Cell<u64>,
    capacity_bytes: Cell<u64>,
}

/// Clones share the drive.
#[derive(Clone)]
pub struct FaultDisk(Rc<State>);

/// An open file of a `FaultDisk`.
#[derive(Clone)]
pub struct FaultFile {
    disk: FaultDisk,
    node: Node,
    path: PathBuf,
    direct: bool,
}

impl Default for FaultDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl FaultDisk {
    /// An empty drive; `/` exists.
    pub fn new() -> Self {
        Self::with_names(Names::new(), u64::MAX)
    }

    fn with_names(names: Names<Node>, capacity_bytes: u64) -> Self {
        Self(Rc::new(State {
            names: RefCell::new(names),
            rules: RefCell::new(Rules::default()),
            operations: Cell::new(0),
            power_cut_at: Cell::new(u64::MAX),
            capacity_bytes: Cell::new(capacity_bytes),
        }))
    }

    pub fn inject(&self, rule: Rule) {
        self.0.rules.borrow_mut().add(rule);
    }

    /// Takes back every rule.
    pub fn heal(&self) {
        self.0.rules.borrow_mut().clear();
    }

    /// Operations so far; the unit of `cut_power_after`.
    pub fn operations(&self) -> u64 {
        self.0.operations.get()
    }

    /// Every operation after the next `count` fails, as if the power were gone. The first of them
    /// was under way: if it is a write, any of its sectors may have reached the drive.
    pub fn cut_power_after(&self, count: u64) {
        self.0.power_cut_at.set(self.operations().saturating_add(count));
    }

    /// Files may take this much space together.
    pub fn set_capacity(&self, bytes: u64) {
        self.0.capacity_bytes.set(bytes);
    }

    /// The drive as it is found after a power loss: what was synced is there, each 512-byte sector
    /// and each directory change that was not synced is there or not, as `seed` decides.
    /// Open files of this drive stay with the old state.
    #[must_use]
    pub fn crash(&self, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut copies: Vec<(Node, Node)> = Vec::new();
        let names = self.0.names.borrow().after_crash(&mut dice, |node, dice| {
            if let Some((_, copy)) = copies.iter().find(|(from, _)| Rc::ptr_eq(from, node)) {
                return copy.clone();
            }
            let copy = Rc::new(RefCell::new(node.borrow().after_crash(dice)));
            copies.push((node.clone(), copy.clone()));
            copy
        });
        Self::with_names(names, self.0.capacity_bytes.get())
    }

    /// Changes one stored byte, synced and unsynced, behind the back of whoever uses the drive.
    pub fn flip_byte(&self, path: &Path, offset: u64) {
        let node = self.0.names.borrow().file(path).expect("the file exists");
        node.borrow_mut().flip_byte(offset);
    }

    /// Paths of all files, sorted.
    pub fn files(&self) -> Vec<PathBuf> {
        self.0.names.borrow().files()
    }

    fn used_bytes(&self) -> u64 {
        let names = self.0.names.borrow();
        names.nodes().map(|node| node.borrow().allocated_bytes()).sum()
    }

    /// Space that files may still grow by; `grow` more than that is refused.
    fn reserve(&self, grow: u64) -> io::Result<()> {
        if self.used_bytes().saturating_add(grow) > self.0.capacity_bytes.get() {
            return Err(io::Error::from_raw_os_error(libc::ENOSPC));
        }
        Ok(())
    }

    /// Counts the operation, lets other tasks run, and applies the rules.
    async fn begin(&self, operation: Operation, path: &Path) -> io::Result<Option<Action>> {
        let number = self.0.operations.get();
        self.0.operations.set(number + 1);
        yield_once().await;
        if number >= self.0.power_cut_at.get() {
            return Err(power_lost());
        }
        let action = self.0.rules.borrow_mut().apply(operation, path);
        match action {
            Some(Action::Fail(code)) if operation != Operation::Sync => {
                Err(io::Error::from_raw_os_error(code))
            }
            Some(Action::Slow(time)) => {
                sleep(time).await;
                Ok(None)
            }
            Some(Action::Panic) => panic!("a rule says so: {operation:?} of {}", path.display()),
            other => Ok(other),
        }
    }
}

async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

impl Disk for FaultDisk {
    type File = FaultFile;

    async fn open(&self, path: &Path, options: OpenOptions) -> io::Result<FaultFile> {
        self.begin(Operation::Open, path).await?;
        let mut names = self.0.names.borrow_mut();
        let node = match names.file(path) {
            Some(node) => node,
            None if options.create => {
                let node = Node::default();
                names.link(path, node.clone())?;
                node
            }
            None => return Err(io::ErrorKind::NotFound.into()),
        };
        if options.truncate {
            node.borrow_mut().truncate(0);
        }
        Ok(FaultFile { disk: self.clone(), node, path: path.into(), direct: options.direct })
    }

    async fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.begin(Operation::CreateDir, path).await?;
        self.0.names.borrow_mut().make_dir(path)
    }

    async fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.begin(Operation::Remove, path).await?;
        self.0.names.borrow_mut().unlink(path)
    }

    async fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.begin(Operation::Rename, from).await?;
        self.0.names.borrow_mut().rename(from, to)
    }

    async fn list_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.begin(Operation::ListDir, path).await?;
        self.0.names.borrow().list(path, |node| node.borrow().len() as u64)
    }

    async fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.begin(Operation::SyncDir, path).await?;
        self.0.names.borrow_mut().sync(path)
    }

    fn free_bytes(&self, _path: &Path) -> impl Future<Output = io::Result<u64>> {
        ready(Ok(self.0.capacity_bytes.get().saturating_sub(self.used_bytes())))
    }
}

impl FaultFile {
    /// O_DIRECT accepts whole pages only.
    fn check_alignment(&self, offset: u64, len: usize) -> io::Result<()> {
        let page = openlake_types::limits::PAGE_BYTES as u64;
        if self.direct && (!offset.is_multiple_of(page) || !(len as u64).is_multiple_of(page)) {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        Ok(())
    }
}

impl DiskFile for FaultFile {
    async fn read_at(
        &self,
        mut buffer: BufferMut,
        len: usize,
        offset: u64,
    ) -> io::Result<BufferMut> {
        self.check_alignment(offset, len)?;
        let action = self.disk.begin(Operation::Read, &self.path).await?;
        self.node.borrow().read(offset, &mut buffer.as_mut_slice()[..len])?;
        match action {
            Some(Action::ShortRead) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Some(Action::FlipBit(bit)) => {
                let byte = (bit / 8) as usize % len.max(1);
                buffer.as_mut_slice()[byte] ^= 1 << (bit % 8);
            }
            _ => {}
        }
        buffer.set_filled(len);
        Ok(buffer)
    }

    async fn write_at(&self, buffer: Buffer, offset: u64, durable: bool) -> io::Result<()> {
        self.check_alignment(offset, buffer.len())?;
        let under_way = self.disk.operations() == self.disk.0.power_cut_at.get();
        let begun = self.disk.begin(Operation::Write, &self.path).await;
        if under_way {
            self.node.borrow_mut().write(offset, &buffer, false);
        }
        begun?;
        let grow = self.node.borrow().growth(offset + buffer.len() as u64);
        self.disk.reserve(grow)?;
        self.node.borrow_mut().write(offset, &buffer, durable);
        Ok(())
    }

    async fn sync_data(&self) -> io::Result<()> {
        let action = self.disk.begin(Operation::Sync, &self.path).await?;
        let mut content = self.node.borrow_mut();
        if let Some(Action::Fail(code)) = action {
            content.fail_sync();
            return Err(io::Error::from_raw_os_error(code));
        }
        content.sync();
        Ok(())
    }

    async fn allocate(&self, offset: u64, len: u64) -> io::Result<()> {
        self.disk.begin(Operation::Allocate, &self.path).await?;
        let grow = self.node.borrow().growth(offset + len);
        self.disk.reserve(grow)?;
        self.node.borrow_mut().grow_to(offset + len);
        Ok(())
    }

    async fn truncate(&self, len: u64) -> io::Result<()> {
        self.disk.begin(Operation::Truncate, &self.path).await?;
        let grow = self.node.borrow().growth(len);
        self.disk.reserve(grow)?;
        self.node.borrow_mut().truncate(len);
        Ok(())
    }

    fn size_bytes(&self) -> impl Future<Output = io::Result<u64>> {
        ready(Ok(self.node.borrow().len() as u64))
    }
}
