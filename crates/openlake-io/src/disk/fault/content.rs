//! The bytes of one file: as programs see them, and as a power loss leaves them.

use std::collections::BTreeSet;
use std::io;

use super::dice::Dice;

/// The unit that a drive writes all or nothing.
const SECTOR_BYTES: usize = 512;

#[derive(Clone, Default)]
pub(super) struct Content {
    current: Vec<u8>,
    stable: Vec<u8>,
    /// Sectors of `current` that are not yet in `stable`.
    dirty: BTreeSet<usize>,
    /// The shortest that `current` has been since its size was last made durable; what `stable`
    /// holds beyond is gone as soon as the size is durable, even if the file has grown again.
    cut: Option<usize>,
}

impl Content {
    pub(super) fn len(&self) -> usize {
        self.current.len()
    }

    pub(super) fn allocated_bytes(&self) -> u64 {
        self.current.len() as u64
    }

    pub(super) fn growth(&self, end: u64) -> u64 {
        end.saturating_sub(self.current.len() as u64)
    }

    pub(super) fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let bytes = self.current.get(start..start + out.len());
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    pub(super) fn write(&mut self, offset: u64, bytes: &[u8], durable: bool) {
        let start = usize::try_from(offset).expect("offsets of test files are small");
        let end = start + bytes.len();
        self.grow_to(end as u64);
        self.current[start..end].copy_from_slice(bytes);
        let sectors = start / SECTOR_BYTES..end.div_ceil(SECTOR_BYTES);
        if durable {
            self.settle_cut();
            if self.stable.len() < end {
                self.stable.resize(end, 0);
            }
            for sector in sectors {
                self.settle(sector);
            }
        } else {
            self.dirty.extend(sectors);
        }
    }

    pub(super) fn grow_to(&mut self, end: u64) {
        let end = usize::try_from(end).expect("test files are small");
        if self.current.len() < end {
            self.current.resize(end, 0);
        }
    }

    pub(super) fn truncate(&mut self, len: u64) {
        let len = usize::try_from(len).expect("test files are small");
        self.current.resize(len, 0);
        self.dirty.retain(|sector| sector * SECTOR_BYTES < len);
        self.cut = Some(self.cut.map_or(len, |cut| cut.min(len)));
    }

    pub(super) fn sync(&mut self) {
        self.settle_size();
        for sector in std::mem::take(&mut self.dirty) {
            self.settle(sector);
        }
    }

    /// Linux marks pages clean after a failed sync: a later sync succeeds and saves nothing.
    pub(super) fn fail_sync(&mut self) {
        self.dirty.clear();
    }

    pub(super) fn flip_byte(&mut self, offset: u64) {
        let at = usize::try_from(offset).expect("test files are small");
        self.current[at] ^= 0xff;
        if let Some(byte) = self.stable.get_mut(at) {
            *byte ^= 0xff;
        }
    }

    pub(super) fn after_crash(&self, dice: &mut Dice) -> Self {
        let mut survivor = self.clone();
        if dice.coin() {
            survivor.settle_size();
        }
        survivor.cut = None;
        // Half of the crashes lose all that was unsynced, the others each sector by chance.
        let all = dice.coin();
        for sector in std::mem::take(&mut survivor.dirty) {
            if !all && dice.coin() {
                survivor.settle(sector);
            }
        }
        survivor.current.clone_from(&survivor.stable);
        survivor
    }

    fn settle_cut(&mut self) {
        if let Some(cut) = self.cut.take() {
            self.stable.truncate(cut);
        }
    }

    fn settle_size(&mut self) {
        self.settle_cut();
        self.stable.resize(self.current.len(), 0);
    }

    /// Copies one sector to stable storage, as far as the stable file reaches.
    fn settle(&mut self, sector: usize) {
        let start = sector * SECTOR_BYTES;
        let end = (start + SECTOR_BYTES).min(self.current.len()).min(self.stable.len());
        if start < end {
            self.stable[start..end].copy_from_slice(&self.current[start..end]);
        }
        self.dirty.remove(&sector);
    }
}
