//! Numbers and paths of blob files. The low byte of a number is its directory; a shard makes new
//! files only in directories whose byte is congruent to its index, so no two shards ever choose
//! the same number, and the next start finds the highest number by listing.

use std::path::{Path, PathBuf};

use openlake_types::ShardIndex;

/// Directories of blob files; the low byte of a file's number is one of them.
pub(super) const DIRECTORIES: u16 = 256;
/// New files that are made together: one directory, so one directory sync.
pub(super) const BATCH: u64 = 8;

const EXTENSION: &str = ".blob";

pub(super) fn directory_of(number: u64) -> u8 {
    number as u8
}

pub(super) fn directory_path(root: &Path, directory: u8) -> PathBuf {
    root.join(format!("{directory:02x}"))
}

pub(super) fn file_path(root: &Path, number: u64) -> PathBuf {
    directory_path(root, directory_of(number)).join(format!("{number:x}{EXTENSION}"))
}

/// The number that a file's name says, if it is a name of ours.
pub(super) fn number_of(directory: u8, name: &str) -> Option<u64> {
    let digits = name.strip_suffix(EXTENSION)?;
    let number = u64::from_str_radix(digits, 16).ok()?;
    (format!("{number:x}") == digits && directory_of(number) == directory).then_some(number)
}

/// The directories in which a shard makes new files.
pub(super) fn directories_of(shard: ShardIndex, shards: u16) -> impl Iterator<Item = u8> {
    (shard.0..DIRECTORIES).step_by(usize::from(shards)).map(|directory| directory as u8)
}

/// Hands out numbers of new files.
pub(super) struct Numbers {
    directories: Vec<u8>,
    turn: usize,
    /// The next number without its low byte; never goes back.
    next_high: u64,
}

impl Numbers {
    pub fn new(shard: ShardIndex, shards: u16) -> Self {
        assert!(shards <= DIRECTORIES, "a shard without a directory could make no file");
        let directories: Vec<u8> = directories_of(shard, shards).collect();
        assert!(!directories.is_empty(), "shard {} of {shards}", shard.0);
        Self { directories, turn: 0, next_high: 0 }
    }

    /// The number is taken.
    pub fn reserve(&mut self, number: u64) {
        self.next_high = self.next_high.max((number >> 8) + 1);
    }

    /// Numbers of new files in one directory.
    pub fn next_batch(&mut self) -> (u8, Vec<u64>) {
        let directory = self.directories[self.turn];
        self.turn = (self.turn + 1) % self.directories.len();
        let highs = self.next_high..self.next_high + BATCH;
        self.next_high = highs.end;
        (directory, highs.map(|high| high << 8 | u64::from(directory)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_path_is_the_number_in_hexadecimal() {
        let root = Path::new("blobs");
        assert_eq!(file_path(root, 0x0001_23a7), Path::new("blobs/a7/123a7.blob"));
        assert_eq!(file_path(root, 7), Path::new("blobs/07/7.blob"));
        assert_eq!(number_of(0xa7, "123a7.blob"), Some(0x0001_23a7));
        for bad in ["123a8.blob", "123A7.blob", "0123a7.blob", "123a7", "a7.tmp", ".blob"] {
            assert_eq!(number_of(0xa7, bad), None, "{bad}");
        }
    }

    #[test]
    fn no_two_shards_choose_the_same_number_also_after_a_restart_with_another_count() {
        let mut seen = HashSet::new();
        for shards in [3_u16, 2] {
            for shard in 0..shards {
                let mut numbers = Numbers::new(ShardIndex(shard), shards);
                let own: Vec<u8> = directories_of(ShardIndex(shard), shards).collect();
                for number in seen.iter().filter(|n| own.contains(&directory_of(**n))) {
                    numbers.reserve(*number);
                }
                for _ in 0..300 {
                    let (directory, batch) = numbers.next_batch();
                    assert!(batch.iter().all(|n| directory_of(*n) == directory));
                    assert!(batch.into_iter().all(|number| seen.insert(number)));
                }
            }
        }
        assert_eq!(seen.len(), 5 * 300 * BATCH as usize);
    }
}
