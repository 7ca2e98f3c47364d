//! Pure CPU work: MD5 in lanes, the S3 checksums, page CRCs, SHA-256, and seeded test patterns.

pub mod checksum;
pub mod md5;
pub mod pages;
pub mod pattern;
pub mod sha;

pub use checksum::{ChecksumStream, combine, composite, crc64nvme};
pub use md5::{Lanes, Md5State};
pub use pages::{PageSums, crc32c, page_crcs};
pub use sha::{hmac_sha256, sha256};
