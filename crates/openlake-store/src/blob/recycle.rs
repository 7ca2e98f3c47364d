//! The files that wait for their next use, found by size: overwriting a file of the right size
//! changes no file-system metadata, which makes its sync several times cheaper.

use std::collections::BTreeMap;

use openlake_types::BlobId;

/// A larger file is cut down for a new blob only up to this many times its size; beyond that it
/// is worth more for what it was made for.
const LARGER_TIMES_MAX: u64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FreeFile {
    /// The latest use of the file.
    pub id: BlobId,
    pub bytes: u64,
}

#[derive(Default)]
pub(super) struct RecycleList {
    /// By size, then by age.
    files: BTreeMap<(u64, u64), FreeFile>,
    /// Age to size.
    ages: BTreeMap<u64, u64>,
    next_age: u64,
    bytes: u64,
}

impl RecycleList {
    pub fn add(&mut self, file: FreeFile) {
        let age = self.next_age;
        self.next_age += 1;
        self.bytes += file.bytes;
        self.ages.insert(age, file.bytes);
        self.files.insert((file.bytes, age), file);
    }

    /// A file of exactly this size, or the next larger one within reason.
    pub fn take(&mut self, bytes: u64) -> Option<FreeFile> {
        let largest = bytes.saturating_mul(LARGER_TIMES_MAX);
        let (&place, _) = self.files.range((bytes, 0)..=(largest, u64::MAX)).next()?;
        Some(self.remove(place))
    }

    pub fn take_oldest(&mut self) -> Option<FreeFile> {
        let (&age, &bytes) = self.ages.first_key_value()?;
        Some(self.remove((bytes, age)))
    }

    /// Space that the files hold.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    fn remove(&mut self, place: (u64, u64)) -> FreeFile {
        self.ages.remove(&place.1);
        self.bytes -= place.0;
        self.files.remove(&place).expect("both maps have the same files")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(number: u64, bytes: u64) -> FreeFile {
        FreeFile { id: BlobId { file: number, generation: 0 }, bytes }
    }

    #[test]
    fn the_exact_size_is_preferred_then_the_next_larger() {
        let mut list = RecycleList::default();
        for (number, bytes) in [(1, 8192), (2, 4096), (3, 12_288), (4, 4096), (5, 40_960)] {
            list.add(file(number, bytes));
        }
        assert_eq!(list.bytes(), 69_632);
        assert_eq!(list.take(4096), Some(file(2, 4096)));
        assert_eq!(list.take(4096), Some(file(4, 4096)));
        assert_eq!(list.take(4096), Some(file(1, 8192)));
        assert_eq!(list.take(4096), None, "12,288 is three times as large");
        assert_eq!(list.take(8192), Some(file(3, 12_288)));
        assert_eq!((list.bytes(), list.len()), (40_960, 1));
    }

    #[test]
    fn the_oldest_leaves_first() {
        let mut list = RecycleList::default();
        for (number, bytes) in [(1, 8192), (2, 4096), (3, 12_288)] {
            list.add(file(number, bytes));
        }
        let order: Vec<u64> =
            std::iter::from_fn(|| list.take_oldest()).map(|f| f.id.file).collect();
        assert_eq!(order, [1, 2, 3]);
        assert_eq!(list.bytes(), 0);
    }
}
