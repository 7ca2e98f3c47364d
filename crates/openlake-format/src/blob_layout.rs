//! Where the parts of a blob file lie; everything follows from the blob's length.
//!
//! ```text
//! | data, unframed           | whole table blocks | ... last entries | footer |
//! 0                   length ^ page aligned                   64 bytes ^      ^ file_bytes
//! ```
//! A whole table block is one page: 1,023 page CRCs and a CRC of the block. The CRCs that are left
//! stand right before the footer. A blob that needs no whole block keeps its CRCs and footer in
//! the unused end of its last data page when they fit there.

use openlake_types::limits::PAGE_BYTES;

/// The footer is the last thing in the file.
pub const FOOTER_BYTES: usize = 64;
/// One CRC32C a page of data.
pub const ENTRY_BYTES: usize = 4;
/// CRCs in a whole table block; the four bytes that remain check the block itself.
pub const BLOCK_ENTRIES: usize = PAGE_BYTES / ENTRY_BYTES - 1;
/// CRCs that fit in one page beside the footer.
pub const LAST_ENTRIES_MAX: usize = (PAGE_BYTES - FOOTER_BYTES) / ENTRY_BYTES;

const PAGE: u64 = PAGE_BYTES as u64;

/// The geometry of a blob of a given length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobLayout {
    length: u64,
}

/// Where the CRC of a page stands: which table block, and which entry in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablePlace {
    pub block: u32,
    pub entry: usize,
}

impl BlobLayout {
    pub const fn new(length: u64) -> Self {
        Self { length }
    }

    /// Bytes of data.
    pub const fn length(self) -> u64 {
        self.length
    }

    /// Pages of data, the last one perhaps partial.
    pub const fn pages(self) -> u64 {
        self.length.div_ceil(PAGE)
    }

    /// Bytes of data in this page: a whole page, or less in the last one.
    pub const fn page_length(self, page: u64) -> usize {
        let left = self.length - page * PAGE;
        if left < PAGE { left as usize } else { PAGE_BYTES }
    }

    /// Table blocks that fill a page of their own.
    pub const fn whole_blocks(self) -> u64 {
        self.pages().saturating_sub(LAST_ENTRIES_MAX as u64).div_ceil(BLOCK_ENTRIES as u64)
    }

    /// CRCs that stand beside the footer.
    pub const fn last_entries(self) -> usize {
        self.pages().saturating_sub(self.whole_blocks() * BLOCK_ENTRIES as u64) as usize
    }

    /// Size of the file: always whole pages.
    pub const fn file_bytes(self) -> u64 {
        let beside = (self.last_entries() * ENTRY_BYTES + FOOTER_BYTES) as u64;
        if self.whole_blocks() == 0 {
            (self.length + beside).next_multiple_of(PAGE)
        } else {
            self.blocks_offset() + self.whole_blocks() * PAGE + PAGE
        }
    }

    /// Where the first whole table block starts.
    const fn blocks_offset(self) -> u64 {
        self.length.next_multiple_of(PAGE)
    }

    /// Whole data pages end here; what follows is written when the blob is sealed.
    pub const fn tail_offset(self) -> u64 {
        self.length / PAGE * PAGE
    }

    /// Start of the page that ends with the footer.
    pub const fn last_page_offset(self) -> u64 {
        self.file_bytes() - PAGE
    }

    /// Start of the page that holds a table block; blocks after the whole ones are the last page.
    pub const fn block_offset(self, block: u32) -> u64 {
        if (block as u64) < self.whole_blocks() {
            self.blocks_offset() + block as u64 * PAGE
        } else {
            self.last_page_offset()
        }
    }

    /// Where the CRC of a data page stands.
    pub const fn table_place(self, page: u64) -> TablePlace {
        let whole = self.whole_blocks();
        let block = page / BLOCK_ENTRIES as u64;
        let block = if block < whole { block } else { whole };
        TablePlace { block: block as u32, entry: (page - block * BLOCK_ENTRIES as u64) as usize }
    }

    /// The entries of a table block, as a range of data pages.
    pub fn block_pages(self, block: u32) -> std::ops::Range<u64> {
        let start = u64::from(block) * BLOCK_ENTRIES as u64;
        let whole = u64::from(block) < self.whole_blocks();
        let count = if whole { BLOCK_ENTRIES } else { self.last_entries() };
        start..(start + count as u64).min(self.pages())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_tail_shares_the_last_data_page() {
        // 16 full pages leave no room: one page more. 60 bytes of tail do not fit beside 4,093.
        assert_eq!(BlobLayout::new(0).file_bytes(), 4096);
        assert_eq!(BlobLayout::new(1).file_bytes(), 4096);
        assert_eq!(BlobLayout::new(4096 - 68).file_bytes(), 4096);
        assert_eq!(BlobLayout::new(4096 - 67).file_bytes(), 8192);
        assert_eq!(BlobLayout::new(4096).file_bytes(), 8192);
        assert_eq!(BlobLayout::new(65_536).file_bytes(), 17 * 4096);
        assert_eq!(BlobLayout::new(65_537).file_bytes(), 17 * 4096);
    }

    #[test]
    fn the_page_after_the_last_that_fits_beside_the_footer_starts_a_whole_block() {
        let most = BlobLayout::new(1008 * 4096);
        assert_eq!((most.whole_blocks(), most.last_entries()), (0, 1008));
        let more = BlobLayout::new(1008 * 4096 + 1);
        assert_eq!((more.whole_blocks(), more.last_entries()), (1, 0));
        // 32 MiB: 8,192 CRCs are 8 blocks of 1,023 and 8 beside the footer.
        let part = BlobLayout::new(32 << 20);
        assert_eq!((part.whole_blocks(), part.last_entries()), (8, 8));
        assert_eq!(part.file_bytes(), (32 << 20) + 9 * 4096);
    }

    proptest! {
        #[test]
        fn parts_never_overlap_and_overhead_is_one_per_cent(length in 0_u64..(6 << 30)) {
            let layout = BlobLayout::new(length);
            let whole = layout.whole_blocks();
            prop_assert_eq!(layout.file_bytes() % 4096, 0);
            let entries = whole * 1023 + layout.last_entries() as u64;
            prop_assert!(entries == layout.pages() || layout.last_entries() == 0);
            prop_assert!(entries >= layout.pages());
            let beside = (layout.last_entries() * 4 + 64) as u64;
            prop_assert!(beside <= 4096);
            let used = if whole == 0 { length } else { layout.blocks_offset() + whole * 4096 };
            prop_assert!(used + beside <= layout.file_bytes());
            if length >= 100 * 4096 {
                let data = length.next_multiple_of(4096);
                prop_assert!((layout.file_bytes() - data) * 100 <= data);
            }
        }

        #[test]
        fn every_page_has_one_place(length in 1_u64..(64 << 20), at in 0_u64..u64::MAX) {
            let layout = BlobLayout::new(length);
            let page = at % layout.pages();
            let place = layout.table_place(page);
            let range = layout.block_pages(place.block);
            prop_assert!(range.contains(&page));
            prop_assert_eq!(range.start + place.entry as u64, page);
            prop_assert!(u64::from(place.block) <= layout.whole_blocks());
        }
    }
}
