//! CRC32C, which guards every record and every 4 KiB page on disk.

use crc_fast::CrcAlgorithm;
use openlake_types::limits::PAGE_BYTES;

pub fn crc32c(data: &[u8]) -> u32 {
    crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, data) as u32
}

/// Appends the CRC32C of each 4 KiB page of `data`; the last page may be short.
pub fn page_crcs(data: &[u8], out: &mut Vec<u32>) {
    out.extend(data.chunks(PAGE_BYTES).map(crc32c));
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
}
