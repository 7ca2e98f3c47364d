//! CRC32C, which guards every record and every 4 KiB page on disk.

use crc_fast::CrcAlgorithm;
use openlake_types::limits::PAGE_BYTES;

pub fn crc32c(data: &[u8]) -> u32 {
    crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, data) as u32
}

/// Appends the CRC32C of each 4 KiB page of `data`; the last page may be short.
pub fn page_crcs(data: &[u8], out: &mut Vec<u32>) {
    let rest = kernel::whole_groups(data, out);
    out.extend(rest.chunks(PAGE_BYTES).map(crc32c));
}

/// CRC32C of the leading whole pages of a buffer, computed as it fills: what has just been received
/// is still in the processor's cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSums(Vec<u32>);

impl PageSums {
    /// Takes in the pages that are whole and were not when it was last asked; `filled` only grows.
    pub fn cover(&mut self, filled: &[u8]) {
        let (done, whole) = (self.covered_bytes(), filled.len() / PAGE_BYTES * PAGE_BYTES);
        if whole > done {
            page_crcs(&filled[done..whole], &mut self.0);
        }
    }

    pub const fn covered_bytes(&self) -> usize {
        self.0.len() * PAGE_BYTES
    }

    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}

/// Several pages side by side: the CRC instruction takes three cycles but starts one each cycle,
/// so one page alone leaves it idle two thirds of the time.
#[cfg(target_arch = "x86_64")]
mod kernel {
    use std::arch::x86_64::_mm_crc32_u64;

    use openlake_types::limits::PAGE_BYTES;

    const LANES: usize = 4;
    const WORDS: usize = PAGE_BYTES / 8;
    type Page = [[u8; 8]; WORDS];

    /// Handles the leading groups of pages and returns what is left of `data`. Where 512-bit
    /// folding exists, it is faster than the CRC instruction and everything is left to it.
    pub fn whole_groups<'a>(data: &'a [u8], out: &mut Vec<u32>) -> &'a [u8] {
        if is_x86_feature_detected!("avx512vl") || !is_x86_feature_detected!("sse4.2") {
            return data;
        }
        let (words, _) = data.as_chunks::<8>();
        let (pages, _) = words.as_chunks::<WORDS>();
        let (groups, _) = pages.as_chunks::<LANES>();
        for group in groups {
            // SAFETY: the processor has SSE 4.2, as asked above.
            out.extend(unsafe { group_crcs(group) });
        }
        &data[groups.len() * LANES * PAGE_BYTES..]
    }

    #[target_feature(enable = "sse4.2")]
    fn group_crcs([a, b, c, d]: &[Page; LANES]) -> [u32; LANES] {
        let mut crcs = [u64::from(u32::MAX); LANES];
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            for (crc, word) in crcs.iter_mut().zip([a, b, c, d]) {
                *crc = _mm_crc32_u64(*crc, u64::from_le_bytes(*word));
            }
        }
        crcs.map(|crc| !(crc as u32))
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod kernel {
    pub fn whole_groups<'a>(data: &'a [u8], _out: &mut Vec<u32>) -> &'a [u8] {
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_check_value_of_rfc_3720() {
        // RFC 3720, appendix B.4.
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(b""), 0);
    }

    #[test]
    fn each_page_and_the_short_last_one_has_its_own() {
        let mut data = vec![0; 2 * PAGE_BYTES + 32];
        data[PAGE_BYTES] = 1;
        let mut crcs = vec![7];
        page_crcs(&data, &mut crcs);
        assert_eq!(crcs.len(), 4);
        assert_eq!(crcs[0], 7, "appends");
        assert_ne!(crcs[1], crcs[2]);
        assert_eq!(crcs[3], 0x8a91_36aa);
        page_crcs(&[], &mut crcs);
        assert_eq!(crcs.len(), 4);
    }

    #[test]
    fn a_buffer_that_fills_in_any_steps_has_the_sums_of_its_whole_pages() {
        let data: Vec<u8> = (0..5 * PAGE_BYTES + 100).map(|i| (i / 7) as u8).collect();
        let expected: Vec<u32> =
            data.as_chunks::<PAGE_BYTES>().0.iter().map(|page| crc32c(page)).collect();
        for step in [1000, PAGE_BYTES, PAGE_BYTES + 1, 3 * PAGE_BYTES, data.len()] {
            let mut sums = PageSums::default();
            let mut filled = 0;
            while filled < data.len() {
                filled = data.len().min(filled + step);
                sums.cover(&data[..filled]);
            }
            assert_eq!(sums.as_slice(), expected, "{step}");
            assert_eq!(sums.covered_bytes(), 5 * PAGE_BYTES);
        }
    }

    /// The pages side by side have the CRCs that they have alone.
    #[test]
    fn groups_of_pages_agree_with_one_at_a_time() {
        let mut data = vec![0; 23 * PAGE_BYTES + 77];
        crate::pattern::fill(&mut data, 5, 0);
        for pages in 0..=23 {
            let data = &data[..pages * PAGE_BYTES + 77];
            let mut crcs = Vec::new();
            page_crcs(data, &mut crcs);
            let want: Vec<u32> = data.chunks(PAGE_BYTES).map(crc32c).collect();
            assert_eq!(crcs, want, "{pages} pages");
        }
    }
}
