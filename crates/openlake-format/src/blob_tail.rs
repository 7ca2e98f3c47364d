//! What is written when a blob is sealed: the bytes of a partial last page, the page CRCs and the
//! footer, produced page by page. Each table block can be checked alone: its CRC also covers the
//! blob's id and the block's number, so a block of another use of the file never passes.

use crc_fast::{CrcAlgorithm, Digest};
use openlake_types::limits::PAGE_BYTES;
use openlake_types::{BlobId, Epoch, PlacementGroup};

use crate::blob_footer::{BlobFooter, u32_at};
use crate::blob_layout::{BLOCK_ENTRIES, BlobLayout, ENTRY_BYTES, FOOTER_BYTES};
use crate::crc::crc32c;

const BLOCK_CHECKED: usize = BLOCK_ENTRIES * ENTRY_BYTES;

/// Binds a record to the blob's bytes: CRC32C over the CRCs of its pages, in order.
pub fn table_crc(page_crcs: &[u32]) -> u32 {
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    let mut bytes = [0; PAGE_BYTES];
    for crcs in page_crcs.chunks(PAGE_BYTES / ENTRY_BYTES) {
        put_entries(&mut bytes, crcs);
        digest.update(&bytes[..crcs.len() * ENTRY_BYTES]);
    }
    digest.finalize() as u32
}

/// A finished blob's facts, ready to be laid out.
#[derive(Clone, Copy, Debug)]
pub struct BlobTail<'a> {
    pub id: BlobId,
    pub placement_group: PlacementGroup,
    pub epoch: Epoch,
    pub layout: BlobLayout,
    /// One CRC32C a page, over the data bytes of the page only.
    pub page_crcs: &'a [u32],
    /// Data after the last whole page.
    pub partial_page: &'a [u8],
}

impl BlobTail<'_> {
    /// Fills the page of the file at `offset`, which is at or after `layout.tail_offset()`.
    pub fn fill_page(&self, offset: u64, page: &mut [u8]) {
        assert_eq!(page.len(), PAGE_BYTES, "a tail is produced by whole pages");
        let layout = self.layout;
        page.fill(0);
        if offset == layout.tail_offset() {
            page[..self.partial_page.len()].copy_from_slice(self.partial_page);
        }
        let last = layout.last_page_offset();
        let blocks = layout.block_offset(0);
        if offset == last {
            self.fill_last_page(page);
        } else if offset >= blocks {
            self.fill_block(((offset - blocks) / PAGE_BYTES as u64) as u32, page);
        }
    }

    fn fill_block(&self, block: u32, page: &mut [u8]) {
        put_entries(&mut page[..BLOCK_CHECKED], self.entries_of(block));
        let crc = block_crc(self.id, block, &page[..BLOCK_CHECKED]);
        page[BLOCK_CHECKED..].copy_from_slice(&crc.to_le_bytes());
    }

    fn fill_last_page(&self, page: &mut [u8]) {
        let end = PAGE_BYTES - FOOTER_BYTES;
        let entries = self.entries_of(self.layout.whole_blocks() as u32);
        let start = end - entries.len() * ENTRY_BYTES;
        put_entries(&mut page[start..end], entries);
        let footer = BlobFooter {
            id: self.id,
            placement_group: self.placement_group,
            epoch: self.epoch,
            length: self.layout.length(),
            entries_crc: crc32c(&page[start..end]),
            table_crc: table_crc(self.page_crcs),
        };
        footer.encode(page.last_chunk_mut().expect("a page is longer than a footer"));
    }

    fn entries_of(&self, block: u32) -> &[u32] {
        let pages = self.layout.block_pages(block);
        if pages.is_empty() {
            &[]
        } else {
            &self.page_crcs[pages.start as usize..pages.end as usize]
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block of page checksums does not match its checksum, or belongs to another blob")]
pub struct BadTableBlock;

/// The page CRCs of a whole table block, checked; entries past the last data page are zero.
pub fn decode_block(id: BlobId, block: u32, page: &[u8]) -> Result<Vec<u32>, BadTableBlock> {
    if page.len() != PAGE_BYTES {
        return Err(BadTableBlock);
    }
    let (entries, crc) = page.split_at(BLOCK_CHECKED);
    if u32_at(crc, 0) != block_crc(id, block, entries) {
        return Err(BadTableBlock);
    }
    Ok(entries.as_chunks::<ENTRY_BYTES>().0.iter().map(|entry| u32_at(entry, 0)).collect())
}

fn put_entries(out: &mut [u8], entries: &[u32]) {
    for (place, entry) in out.as_chunks_mut::<ENTRY_BYTES>().0.iter_mut().zip(entries) {
        place.copy_from_slice(&entry.to_le_bytes());
    }
}

fn block_crc(id: BlobId, block: u32, entries: &[u8]) -> u32 {
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    digest.update(entries);
    digest.update(&id.file.to_le_bytes());
    digest.update(&id.generation.to_le_bytes());
    digest.update(&block.to_le_bytes());
    digest.finalize() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: BlobId = BlobId { file: 0x1_0007, generation: 3 };

    fn data(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * 31 % 251) as u8).collect()
    }

    fn file_of(data: &[u8]) -> Vec<u8> {
        let layout = BlobLayout::new(data.len() as u64);
        let page_crcs: Vec<u32> = data.chunks(PAGE_BYTES).map(crc32c).collect();
        let (whole, partial_page) = data.split_at(layout.tail_offset() as usize);
        let tail = BlobTail {
            id: ID,
            placement_group: PlacementGroup::of_hash(77),
            epoch: Epoch(1),
            layout,
            page_crcs: &page_crcs,
            partial_page,
        };
        let mut file = whole.to_vec();
        while (file.len() as u64) < layout.file_bytes() {
            let mut page = vec![0xee; PAGE_BYTES];
            tail.fill_page(file.len() as u64, &mut page);
            file.extend(page);
        }
        file
    }

    fn crcs_of(file: &[u8]) -> Vec<u32> {
        let last = &file[file.len() - PAGE_BYTES..];
        let footer = BlobFooter::decode(last).expect("the footer is whole");
        assert_eq!(footer.id, ID);
        let layout = BlobLayout::new(footer.length);
        assert_eq!(layout.file_bytes(), file.len() as u64);
        let mut crcs = Vec::new();
        for block in 0..layout.whole_blocks() as u32 {
            let at = layout.block_offset(block) as usize;
            crcs.extend(decode_block(ID, block, &file[at..at + PAGE_BYTES]).expect("whole"));
        }
        crcs.extend(footer.entries(last).expect("entries are whole"));
        crcs.truncate(layout.pages() as usize);
        let bytes: Vec<u8> = crcs.iter().flat_map(|crc| crc.to_le_bytes()).collect();
        assert_eq!(footer.table_crc, crc32c(&bytes));
        crcs
    }

    #[test]
    fn data_stays_unframed_and_each_page_has_its_crc() {
        let page = PAGE_BYTES;
        let edges = [0, 1, 4028, 4029, 4095, 4096, 4097, 1008 * page, 1008 * page + 1];
        for length in edges.into_iter().chain([1023 * page, 2031 * page + 5, 3000 * page]) {
            let data = data(length);
            let file = file_of(&data);
            assert_eq!(file[..length], data, "{length}");
            let want: Vec<u32> = data.chunks(page).map(crc32c).collect();
            assert_eq!(crcs_of(&file), want, "{length}");
        }
    }

    #[test]
    fn a_block_of_another_blob_generation_or_place_does_not_pass() {
        let file = file_of(&data(1500 * PAGE_BYTES));
        let block = &file[1500 * PAGE_BYTES..1501 * PAGE_BYTES];
        assert!(decode_block(ID, 0, block).is_ok());
        assert_eq!(decode_block(ID, 1, block), Err(BadTableBlock));
        let later = BlobId { generation: 4, ..ID };
        assert_eq!(decode_block(later, 0, block), Err(BadTableBlock));
        assert_eq!(decode_block(BlobId { file: 7, ..ID }, 0, block), Err(BadTableBlock));
        assert_eq!(decode_block(ID, 0, &block[1..]), Err(BadTableBlock));
        for bit in (0..PAGE_BYTES * 8).step_by(61) {
            let mut bad = block.to_vec();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode_block(ID, 0, &bad), Err(BadTableBlock), "bit {bit}");
        }
    }

    #[test]
    fn a_flipped_entry_beside_the_footer_is_noticed() {
        let file = file_of(&data(3 * PAGE_BYTES));
        let last = &file[3 * PAGE_BYTES..];
        let footer = BlobFooter::decode(last).expect("whole");
        for at in PAGE_BYTES - FOOTER_BYTES - 12..PAGE_BYTES - FOOTER_BYTES {
            let mut bad = last.to_vec();
            bad[at] ^= 0x10;
            assert!(footer.entries(&bad).is_err(), "byte {at}");
        }
    }

    /// The file as version 1 wrote it; a change here is a new version with a migration.
    #[test]
    fn version_1_stays_as_it_was_written() {
        let file = file_of(&data(2 * PAGE_BYTES + 100));
        let golden = include_bytes!("golden/blob_tail_v1.bin");
        assert_eq!(file[2 * PAGE_BYTES..], golden[..]);
    }
}
