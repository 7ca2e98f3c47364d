//! The last 64 bytes of a blob file: which blob this is, how long, and the check of the page CRCs
//! that stand beside it. A footer that decodes belongs to exactly one use of the file.
//!
//! ```text
//!  0 magic "OLBF"   4 version 1    6 placement group    8 file number
//! 16 generation    20 epoch       24 length            32 page bytes
//! 36 CRC32C of the entries beside the footer           40 CRC32C of all page CRCs
//! 44 zero          60 CRC32C of bytes 0..60
//! ```

use openlake_types::limits::{PAGE_BYTES, PLACEMENT_GROUPS};
use openlake_types::{BlobId, Epoch, PlacementGroup};

use crate::blob_layout::{BlobLayout, ENTRY_BYTES, FOOTER_BYTES};
use crate::crc::crc32c;

const MAGIC: [u8; 4] = *b"OLBF";
const VERSION: u16 = 1;
const CHECKED: usize = FOOTER_BYTES - 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobFooter {
    pub id: BlobId,
    pub placement_group: PlacementGroup,
    pub epoch: Epoch,
    /// Bytes of data.
    pub length: u64,
    /// CRC32C of the page CRCs that stand right before the footer.
    pub entries_crc: u32,
    /// CRC32C over the CRCs of all pages; the record that names the blob has the same.
    pub table_crc: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FooterError {
    #[error("no footer: {0} bytes are not a page")]
    Truncated(usize),
    #[error("no footer: wrong magic")]
    Magic,
    #[error("footer version {0} is not known to this release")]
    Version(u16),
    #[error("footer does not match its checksum")]
    Checksum,
    #[error("footer has a value that this release never writes: {0}")]
    Value(&'static str),
    #[error("page checksums beside the footer do not match their checksum")]
    Entries,
}

impl BlobFooter {
    pub fn encode(&self, out: &mut [u8; FOOTER_BYTES]) {
        out.fill(0);
        out[0..4].copy_from_slice(&MAGIC);
        out[4..6].copy_from_slice(&VERSION.to_le_bytes());
        out[6..8].copy_from_slice(&self.placement_group.get().to_le_bytes());
        out[8..16].copy_from_slice(&self.id.file.to_le_bytes());
        out[16..20].copy_from_slice(&self.id.generation.to_le_bytes());
        out[20..24].copy_from_slice(&self.epoch.0.to_le_bytes());
        out[24..32].copy_from_slice(&self.length.to_le_bytes());
        out[32..36].copy_from_slice(&(PAGE_BYTES as u32).to_le_bytes());
        out[36..40].copy_from_slice(&self.entries_crc.to_le_bytes());
        out[40..44].copy_from_slice(&self.table_crc.to_le_bytes());
        let crc = crc32c(&out[..CHECKED]);
        out[CHECKED..].copy_from_slice(&crc.to_le_bytes());
    }

    /// Reads the footer at the end of `last_page`, the last page of the file.
    pub fn decode(last_page: &[u8]) -> Result<Self, FooterError> {
        if last_page.len() != PAGE_BYTES {
            return Err(FooterError::Truncated(last_page.len()));
        }
        let bytes = &last_page[PAGE_BYTES - FOOTER_BYTES..];
        if bytes[0..4] != MAGIC {
            return Err(FooterError::Magic);
        }
        let version = u16_at(bytes, 4);
        if version != VERSION {
            return Err(FooterError::Version(version));
        }
        if u32_at(bytes, CHECKED) != crc32c(&bytes[..CHECKED]) {
            return Err(FooterError::Checksum);
        }
        let group = u16_at(bytes, 6);
        if group >= PLACEMENT_GROUPS {
            return Err(FooterError::Value("placement group"));
        }
        if u32_at(bytes, 32) != PAGE_BYTES as u32 {
            return Err(FooterError::Value("page bytes"));
        }
        if bytes[44..CHECKED].iter().any(|byte| *byte != 0) {
            return Err(FooterError::Value("reserved bytes"));
        }
        Ok(Self {
            id: BlobId { file: u64_at(bytes, 8), generation: u32_at(bytes, 16) },
            placement_group: PlacementGroup::of_hash(u64::from(group)),
            epoch: Epoch(u32_at(bytes, 20)),
            length: u64_at(bytes, 24),
            entries_crc: u32_at(bytes, 36),
            table_crc: u32_at(bytes, 40),
        })
    }

    /// The page CRCs that stand beside this footer in `last_page`, checked.
    pub fn entries(&self, last_page: &[u8]) -> Result<Vec<u32>, FooterError> {
        let count = BlobLayout::new(self.length).last_entries();
        let end = PAGE_BYTES - FOOTER_BYTES;
        let bytes = last_page
            .get(end - count * ENTRY_BYTES..end)
            .ok_or(FooterError::Truncated(last_page.len()))?;
        if crc32c(bytes) != self.entries_crc {
            return Err(FooterError::Entries);
        }
        Ok(bytes.as_chunks::<ENTRY_BYTES>().0.iter().map(|entry| u32_at(entry, 0)).collect())
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FOOTER: BlobFooter = BlobFooter {
        id: BlobId { file: 0x0102_0304_0506_0708, generation: 9 },
        placement_group: PlacementGroup::of_hash(517),
        epoch: Epoch(1),
        length: 0,
        entries_crc: 0,
        table_crc: 0,
    };

    fn page(footer: &BlobFooter) -> Vec<u8> {
        let mut page = vec![0; PAGE_BYTES];
        let out = page.last_chunk_mut::<FOOTER_BYTES>().expect("a page is longer");
        footer.encode(out);
        page
    }

    #[test]
    fn crc32c_is_castagnoli() {
        // RFC 3720, B.4: 32 bytes of zeros, and the check value of "123456789".
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let good = page(&FOOTER);
        for bit in (PAGE_BYTES - FOOTER_BYTES) * 8..PAGE_BYTES * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(BlobFooter::decode(&bad).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_short_page_is_no_footer() {
        let good = page(&FOOTER);
        for len in 0..PAGE_BYTES {
            assert_eq!(BlobFooter::decode(&good[..len]), Err(FooterError::Truncated(len)));
        }
    }

    #[test]
    fn values_that_are_never_written_are_refused() {
        let mut bad = page(&FOOTER);
        let from = PAGE_BYTES - FOOTER_BYTES;
        bad[from + 45] = 1;
        let crc = crc32c(&bad[from..from + CHECKED]);
        bad[from + CHECKED..].copy_from_slice(&crc.to_le_bytes());
        assert_eq!(BlobFooter::decode(&bad), Err(FooterError::Value("reserved bytes")));
        bad[from + 4] = 2;
        assert_eq!(BlobFooter::decode(&bad), Err(FooterError::Version(2)));
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(
            file: u64, generation: u32, group in 0_u64..1024, epoch: u32, length: u64, crc: u32,
            table_crc: u32,
        ) {
            let footer = BlobFooter {
                id: BlobId { file, generation },
                placement_group: PlacementGroup::of_hash(group),
                epoch: Epoch(epoch),
                length,
                entries_crc: crc,
                table_crc,
            };
            prop_assert_eq!(BlobFooter::decode(&page(&footer)), Ok(footer));
        }
    }
}
