//! ETags as S3 forms them: the MD5 of the bytes, or MD5-of-part-MD5s with the part count.

use std::fmt;
use std::str::FromStr;

use crate::{Checksum, ChecksumAlgorithm};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ETag {
    pub md5: [u8; 16],
    /// Number of parts of a multipart object; 0 for an object put in one piece.
    pub parts: u16,
}

impl ETag {
    pub const fn of_md5(md5: [u8; 16]) -> Self {
        Self { md5, parts: 0 }
    }

    /// Of a part whose client asked for it: the part's CRC-64/NVME and length, big-endian, where
    /// the MD5 would be.
    ///
    /// # Panics
    /// If the checksum is of another algorithm.
    pub fn of_crc64nvme(checksum: &Checksum, length: u64) -> Self {
        assert_eq!(checksum.algorithm, ChecksumAlgorithm::Crc64Nvme, "an ETag of a CRC-64/NVME");
        let mut digest = [0; 16];
        digest[..8].copy_from_slice(checksum.value());
        digest[8..].copy_from_slice(&length.to_be_bytes());
        Self { md5: digest, parts: 0 }
    }
}

/// Without quotes; the wire adds them.
impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.md5 {
            write!(f, "{byte:02x}")?;
        }
        if self.parts > 0 { write!(f, "-{}", self.parts) } else { Ok(()) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an ETag of ours is 32 hexadecimal digits, with -N for a multipart object")]
pub struct InvalidETag;

/// Accepts the bare value, the quoted one and `W/"…"`; clients send all three.
impl FromStr for ETag {
    type Err = InvalidETag;

    fn from_str(text: &str) -> Result<Self, InvalidETag> {
        let bare = text.trim();
        let bare = bare.strip_prefix("W/").unwrap_or(bare);
        let bare = bare.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(bare);
        let (digits, parts) = match bare.split_once('-') {
            Some((digits, count)) => (digits, count.parse().map_err(|_| InvalidETag)?),
            None => (bare, 0),
        };
        if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(InvalidETag);
        }
        let mut md5 = [0; 16];
        for (byte, pair) in md5.iter_mut().zip(digits.as_bytes().as_chunks::<2>().0) {
            let pair = std::str::from_utf8(pair).map_err(|_| InvalidETag)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| InvalidETag)?;
        }
        Ok(Self { md5, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_that_clients_send_is_one_value() {
        let etag = ETag { md5: [0xab; 16], parts: 359 };
        let text = format!("{}-359", "ab".repeat(16));
        assert_eq!(etag.to_string(), text);
        for spelling in [text.clone(), format!("\"{text}\""), format!("W/\"{text}\"")] {
            assert_eq!(spelling.parse(), Ok(etag), "{spelling}");
        }
        for bad in ["", "\"\"", "abc", "zz", "ab-", &format!("{}-x", "ab".repeat(16))] {
            assert_eq!(bad.parse::<ETag>(), Err(InvalidETag), "{bad}");
        }
    }
}
