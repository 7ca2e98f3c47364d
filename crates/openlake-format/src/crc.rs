//! CRC32C (Castagnoli), the check of every record.

use crc_fast::{CrcAlgorithm, Digest, checksum};

pub fn crc32c(bytes: &[u8]) -> u32 {
    checksum(CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

/// Over `before` and `after`: what lies on both sides of the field that holds the value.
pub fn crc32c_around(before: &[u8], after: &[u8]) -> u32 {
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    digest.update(before);
    digest.update(after);
    digest.finalize() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_catalogue_holds() {
        assert_eq!(crc32c_around(b"1234", b"56789"), 0xe306_9283);
    }
}
