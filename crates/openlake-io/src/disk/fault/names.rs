//! The directory tree: as programs see it, and with the changes that no directory sync confirmed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::super::DirEntry;
use super::dice::Dice;

/// One change to a directory, in the order it was made.
#[derive(Clone)]
enum Change<N> {
    MakeDir(PathBuf),
    Link(PathBuf, N),
    Unlink(PathBuf),
}

#[derive(Clone)]
struct Tree<N> {
    dirs: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, N>,
}

impl<N: Clone> Tree<N> {
    fn apply(&mut self, change: &Change<N>) {
        match change {
            Change::MakeDir(path) => {
                self.dirs.insert(path.clone());
            }
            Change::Link(path, node) => {
                self.files.insert(path.clone(), node.clone());
            }
            Change::Unlink(path) => {
                self.files.remove(path);
            }
        }
    }
}

pub(super) struct Names<N> {
    current: Tree<N>,
    stable: Tree<N>,
    /// Changes that are not durable, by directory.
    pending: BTreeMap<PathBuf, Vec<Change<N>>>,
}

impl<N: Clone> Names<N> {
    pub(super) fn new() -> Self {
        let root = Tree { dirs: BTreeSet::from([PathBuf::from("/")]), files: BTreeMap::new() };
        Self { current: root.clone(), stable: root, pending: BTreeMap::new() }
    }

    pub(super) fn file(&self, path: &Path) -> Option<N> {
        self.current.files.get(path).cloned()
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.current.files.keys().cloned().collect()
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &N> {
        self.current.files.values()
    }

    pub(super) fn link(&mut self, path: &Path, node: N) -> io::Result<()> {
        self.change(path, Change::Link(path.into(), node))
    }

    pub(super) fn unlink(&mut self, path: &Path) -> io::Result<()> {
        if !self.current.files.contains_key(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.change(path, Change::Unlink(path.into()))
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let node = self.file(from).ok_or(io::ErrorKind::NotFound)?;
        self.change(to, Change::Link(to.into(), node))?;
        self.change(from, Change::Unlink(from.into()))
    }

    pub(super) fn make_dir(&mut self, path: &Path) -> io::Result<()> {
        if self.current.dirs.contains(path) || self.current.files.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.change(path, Change::MakeDir(path.into()))
    }

    pub(super) fn list(&self, dir: &Path, size: impl Fn(&N) -> u64) -> io::Result<Vec<DirEntry>> {
        if !self.current.dirs.contains(dir) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let inside = |path: &&PathBuf| path.parent() == Some(dir);
        let entry = |path: &Path, size_bytes, is_dir| DirEntry {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            size_bytes,
            is_dir,
        };
        let dirs = self.current.dirs.iter().filter(inside).map(|path| entry(path, 0, true));
        let files = self.current.files.iter().filter(|(path, _)| inside(path));
        Ok(dirs.chain(files.map(|(path, node)| entry(path, size(node), false))).collect())
    }

    pub(super) fn sync(&mut self, dir: &Path) -> io::Result<()> {
        if !self.current.dirs.contains(dir) {
            return Err(io::ErrorKind::NotFound.into());
        }
        for change in self.pending.remove(dir).unwrap_or_default() {
            self.stable.apply(&change);
        }
        Ok(())
    }

    /// Of each directory's changes, a random number of the first ones survive.
    pub(super) fn after_crash(
        &self,
        dice: &mut Dice,
        mut copy: impl FnMut(&N, &mut Dice) -> N,
    ) -> Self {
        let mut tree = self.stable.clone();
        for changes in self.pending.values() {
            let kept = dice.below(changes.len() as u64 + 1) as usize;
            for change in &changes[..kept] {
                tree.apply(change);
            }
        }
        // A directory that never became durable takes its entries with it.
        let dirs = tree.dirs.clone();
        let lives = |path: &Path| path.ancestors().skip(1).all(|dir| dirs.contains(dir));
        tree.dirs.retain(|path| lives(path));
        tree.files.retain(|path, _| lives(path));
        for node in tree.files.values_mut() {
            *node = copy(node, dice);
        }
        Self { current: tree.clone(), stable: tree, pending: BTreeMap::new() }
    }

    fn change(&mut self, path: &Path, change: Change<N>) -> io::Result<()> {
        let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        if !self.current.dirs.contains(dir) {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.current.apply(&change);
        self.pending.entry(dir.into()).or_default().push(change);
        Ok(())
    }
}
