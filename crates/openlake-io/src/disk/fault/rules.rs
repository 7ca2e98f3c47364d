//! Which operation is to fail, and how.

use std::io;
use std::path::Path;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Open,
    Read,
    Write,
    Sync,
    Allocate,
    Truncate,
    CreateDir,
    Remove,
    Rename,
    ListDir,
    SyncDir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Fails with this errno; a failed sync also loses what it should have saved.
    Fail(i32),
    /// A read ends early.
    ShortRead,
    /// A read returns one wrong bit, this one of the bytes read.
    FlipBit(u64),
    /// The operation takes this long.
    Slow(Duration),
    /// Whoever asked for the operation panics, as if it had a bug.
    Panic,
}

/// Applies `action` to operations of one kind on paths that contain `path`, after the first `skip`
/// of them and then `times` times.
#[derive(Clone, Debug)]
pub struct Rule {
    pub operation: Operation,
    pub path: &'static str,
    pub skip: u64,
    pub times: u64,
    pub action: Action,
}

#[derive(Default)]
pub(super) struct Rules(Vec<Rule>);

impl Rules {
    pub(super) fn add(&mut self, rule: Rule) {
        self.0.push(rule);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn apply(&mut self, operation: Operation, path: &Path) -> Option<Action> {
        let path = path.to_string_lossy();
        for rule in &mut self.0 {
            if rule.operation != operation || !path.contains(rule.path) || rule.times == 0 {
                continue;
            }
            if rule.skip > 0 {
                rule.skip -= 1;
                continue;
            }
            rule.times -= 1;
            return Some(rule.action);
        }
        None
    }
}

pub(super) fn power_lost() -> io::Error {
    io::Error::other("the power is gone")
}
