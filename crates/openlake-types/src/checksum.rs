//! S3 checksums: the five algorithms, the two kinds, and a stored value.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChecksumAlgorithm {
    Crc32,
    Crc32c,
    Crc64Nvme,
    Sha1,
    Sha256,
}

impl ChecksumAlgorithm {
    pub const ALL: [Self; 5] =
        [Self::Crc32, Self::Crc32c, Self::Crc64Nvme, Self::Sha1, Self::Sha256];

    /// As in `x-amz-checksum-algorithm`, upper case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crc32 => "CRC32",
            Self::Crc32c => "CRC32C",
            Self::Crc64Nvme => "CRC64NVME",
            Self::Sha1 => "SHA1",
            Self::Sha256 => "SHA256",
        }
    }

    /// The header that carries the value, lower case.
    pub const fn header(self) -> &'static str {
        match self {
            Self::Crc32 => "x-amz-checksum-crc32",
            Self::Crc32c => "x-amz-checksum-crc32c",
            Self::Crc64Nvme => "x-amz-checksum-crc64nvme",
            Self::Sha1 => "x-amz-checksum-sha1",
            Self::Sha256 => "x-amz-checksum-sha256",
        }
    }

    pub const fn value_bytes(self) -> usize {
        match self {
            Self::Crc32 | Self::Crc32c => 4,
            Self::Crc64Nvme => 8,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// The kind that S3 gives a multipart object whose creator named none.
    pub const fn default_multipart_kind(self) -> ChecksumKind {
        match self {
            Self::Crc64Nvme => ChecksumKind::FullObject,
            _ => ChecksumKind::Composite,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the checksum algorithm is one of CRC32, CRC32C, CRC64NVME, SHA1, SHA256")]
pub struct InvalidChecksumAlgorithm;

impl FromStr for ChecksumAlgorithm {
    type Err = InvalidChecksumAlgorithm;

    fn from_str(text: &str) -> Result<Self, InvalidChecksumAlgorithm> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name().eq_ignore_ascii_case(text))
            .ok_or(InvalidChecksumAlgorithm)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChecksumKind {
    /// Over all bytes of the object.
    FullObject,
    /// Over the concatenated part checksums; shown with `-N`.
    Composite,
}

impl ChecksumKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::FullObject => "FULL_OBJECT",
            Self::Composite => "COMPOSITE",
        }
    }
}

/// A value with its algorithm; big-endian bytes, as S3 encodes them in base64.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Checksum {
    pub algorithm: ChecksumAlgorithm,
    pub kind: ChecksumKind,
    value: [u8; 32],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the checksum value has the wrong length for its algorithm")]
pub struct InvalidChecksumLength;

impl Checksum {
    pub fn new(
        algorithm: ChecksumAlgorithm,
        kind: ChecksumKind,
        bytes: &[u8],
    ) -> Result<Self, InvalidChecksumLength> {
        if bytes.len() != algorithm.value_bytes() {
            return Err(InvalidChecksumLength);
        }
        let mut value = [0; 32];
        value[..bytes.len()].copy_from_slice(bytes);
        Ok(Self { algorithm, kind, value })
    }

    pub fn value(&self) -> &[u8] {
        &self.value[..self.algorithm.value_bytes()]
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:", self.algorithm.name(), self.kind.name())?;
        self.value().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_written_in_upper_case() {
        for algorithm in ChecksumAlgorithm::ALL {
            assert_eq!(algorithm.name().to_lowercase().parse(), Ok(algorithm));
            assert!(algorithm.header().ends_with(&algorithm.name().to_lowercase()));
        }
        assert!("TYPE".parse::<ChecksumAlgorithm>().is_err());
    }

    #[test]
    fn a_value_has_the_length_of_its_algorithm() {
        let kind = ChecksumKind::FullObject;
        assert!(Checksum::new(ChecksumAlgorithm::Crc32, kind, &[0; 8]).is_err());
        let checksum = Checksum::new(ChecksumAlgorithm::Crc64Nvme, kind, &[7; 8]).expect("8 bytes");
        assert_eq!(checksum.value(), [7; 8]);
    }
}
