//! The five S3 checksums: running, of parts put together, and of the list of parts.

use crc_fast::CrcAlgorithm;
use openlake_types::{Checksum, ChecksumAlgorithm, ChecksumKind};
use sha1::{Digest as _, Sha1};
use sha2::Sha256;

/// A checksum over bytes that come in pieces.
#[derive(Clone)]
pub struct ChecksumStream {
    algorithm: ChecksumAlgorithm,
    state: State,
}

#[derive(Clone)]
enum State {
    Crc(crc_fast::Digest),
    Sha1(Sha1),
    Sha256(Sha256),
}

impl ChecksumStream {
    pub fn new(algorithm: ChecksumAlgorithm) -> Self {
        let crc = |algorithm| State::Crc(crc_fast::Digest::new(algorithm));
        let state = match algorithm {
            ChecksumAlgorithm::Crc32 => crc(CrcAlgorithm::Crc32IsoHdlc),
            ChecksumAlgorithm::Crc32c => crc(CrcAlgorithm::Crc32Iscsi),
            ChecksumAlgorithm::Crc64Nvme => crc(CrcAlgorithm::Crc64Nvme),
            ChecksumAlgorithm::Sha1 => State::Sha1(Sha1::new()),
            ChecksumAlgorithm::Sha256 => State::Sha256(Sha256::new()),
        };
        Self { algorithm, state }
    }

    pub const fn algorithm(&self) -> ChecksumAlgorithm {
        self.algorithm
    }

    pub fn update(&mut self, data: &[u8]) {
        match &mut self.state {
            State::Crc(digest) => digest.update(data),
            State::Sha1(digest) => digest.update(data),
            State::Sha256(digest) => digest.update(data),
        }
    }

    /// The checksum of all bytes so far, as of a whole object.
    pub fn finish(self) -> Checksum {
        match self.state {
            State::Crc(digest) => of_crc(self.algorithm, digest.finalize()),
            State::Sha1(digest) => full_object_value(self.algorithm, &digest.finalize()),
            State::Sha256(digest) => full_object_value(self.algorithm, &digest.finalize()),
        }
    }
}

fn full_object_value(algorithm: ChecksumAlgorithm, value: &[u8]) -> Checksum {
    Checksum::new(algorithm, ChecksumKind::FullObject, value)
        .expect("each digest has the length of its algorithm")
}

fn of_crc(algorithm: ChecksumAlgorithm, crc: u64) -> Checksum {
    let bytes = crc.to_be_bytes();
    full_object_value(algorithm, &bytes[8 - algorithm.value_bytes()..])
}

/// CRC-64/NVME of bytes in one piece.
pub fn crc64nvme(data: &[u8]) -> u64 {
    crc_fast::checksum(CrcAlgorithm::Crc64Nvme, data)
}

/// The CRC of two pieces in a row, from the CRC of each and the length of the second. `None` for an
/// algorithm that is not a CRC.
pub fn combine(
    algorithm: ChecksumAlgorithm,
    first: u64,
    second: u64,
    second_bytes: u64,
) -> Option<u64> {
    // The generator polynomials, bits reflected, as all three CRCs are.
    let (width, polynomial) = match algorithm {
        ChecksumAlgorithm::Crc32 => (32, 0xedb8_8320),
        ChecksumAlgorithm::Crc32c => (32, 0x82f6_3b78),
        ChecksumAlgorithm::Crc64Nvme => (64, 0x9a6c_9329_ac4b_c9b5),
        ChecksumAlgorithm::Sha1 | ChecksumAlgorithm::Sha256 => return None,
    };
    let field = Field { top: 1 << (width - 1), polynomial };
    // All three start from and end with an inversion, so the two cancel: what the first piece
    // leaves is only moved past the second.
    Some(field.times_x8_to_the(first, second_bytes) ^ second)
}

/// The checksum of an object from those of its parts and their lengths, in order. `None` without
/// parts, for mixed algorithms, and for one that is not a CRC.
pub fn full_object(parts: &[(Checksum, u64)]) -> Option<Checksum> {
    let (first, rest) = parts.split_first()?;
    let algorithm = first.0.algorithm;
    let mut crc = crc_of(&first.0);
    // Refuses what is no CRC even when it is the only part.
    combine(algorithm, 0, 0, 0)?;
    for (part, bytes) in rest {
        if part.algorithm != algorithm {
            return None;
        }
        crc = combine(algorithm, crc, crc_of(part), *bytes)?;
    }
    Some(of_crc(algorithm, crc))
}

/// The checksum over the parts' checksums, in order; S3 shows it with `-N`. `None` without parts
/// and for mixed algorithms.
pub fn composite(parts: &[Checksum]) -> Option<Checksum> {
    let algorithm = parts.first()?.algorithm;
    let mut stream = ChecksumStream::new(algorithm);
    for part in parts {
        if part.algorithm != algorithm {
            return None;
        }
        stream.update(part.value());
    }
    let whole = stream.finish();
    Checksum::new(algorithm, ChecksumKind::Composite, whole.value()).ok()
}

fn crc_of(checksum: &Checksum) -> u64 {
    let mut bytes = [0; 8];
    let value = &checksum.value()[..checksum.value().len().min(8)];
    bytes[8 - value.len()..].copy_from_slice(value);
    u64::from_be_bytes(bytes)
}

/// Polynomials modulo the generator; the coefficient of x^0 is the `top` bit.
struct Field {
    top: u64,
    polynomial: u64,
}

impl Field {
    fn product(&self, a: u64, mut b: u64) -> u64 {
        let mut sum = 0;
        let mut bit = self.top;
        while bit != 0 {
            if a & bit != 0 {
                sum ^= b;
            }
            let carry = if b & 1 == 1 { self.polynomial } else { 0 };
            b = (b >> 1) ^ carry;
            bit >>= 1;
        }
        sum
    }

    /// `value * x^(8 * count)` by repeated squaring.
    fn times_x8_to_the(&self, mut value: u64, mut count: u64) -> u64 {
        let mut power = self.top >> 8;
        while count != 0 {
            if count & 1 == 1 {
                value = self.product(value, power);
            }
            power = self.product(power, power);
            count >>= 1;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CRCS: [ChecksumAlgorithm; 3] =
        [ChecksumAlgorithm::Crc32, ChecksumAlgorithm::Crc32c, ChecksumAlgorithm::Crc64Nvme];

    fn of(algorithm: ChecksumAlgorithm, data: &[u8]) -> Checksum {
        let mut stream = ChecksumStream::new(algorithm);
        stream.update(data);
        stream.finish()
    }

    #[test]
    fn check_values_of_the_published_catalogues() {
        // CRC catalogue (reveng) check values; FIPS 180 for SHA, by sha1sum and sha256sum.
        let cases = [
            (ChecksumAlgorithm::Crc32, "cbf43926"),
            (ChecksumAlgorithm::Crc32c, "e3069283"),
            (ChecksumAlgorithm::Crc64Nvme, "ae8b14860a799888"),
            (ChecksumAlgorithm::Sha1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
            (
                ChecksumAlgorithm::Sha256,
                "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
            ),
        ];
        for (algorithm, want) in cases {
            assert_eq!(hex::encode(of(algorithm, b"123456789").value()), want);
        }
        assert_eq!(crc64nvme(b"123456789"), 0xae8b_1486_0a79_9888);
    }

    #[test]
    fn a_composite_is_the_checksum_of_the_values() {
        let parts = [of(ChecksumAlgorithm::Sha256, b"a"), of(ChecksumAlgorithm::Sha256, b"b")];
        let values = [parts[0].value(), parts[1].value()].concat();
        let whole = composite(&parts).expect("two of one algorithm");
        assert_eq!(whole.value(), of(ChecksumAlgorithm::Sha256, &values).value());
        assert_eq!(whole.kind, ChecksumKind::Composite);
    }

    #[test]
    fn what_cannot_be_put_together_is_none() {
        let sha = of(ChecksumAlgorithm::Sha1, b"a");
        let crc = of(ChecksumAlgorithm::Crc32, b"a");
        let castagnoli = of(ChecksumAlgorithm::Crc32c, b"a");
        assert_eq!(full_object(&[]), None);
        assert_eq!(full_object(&[(sha, 1)]), None);
        assert_eq!(full_object(&[(crc, 1), (castagnoli, 1)]), None);
        assert_eq!(composite(&[]), None);
        assert_eq!(composite(&[crc, castagnoli]), None);
    }

    proptest! {
        #[test]
        fn parts_put_together_are_the_whole(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..400), 1..6),
        ) {
            for algorithm in CRCS {
                let sums: Vec<_> =
                    parts.iter().map(|part| (of(algorithm, part), part.len() as u64)).collect();
                prop_assert_eq!(full_object(&sums), Some(of(algorithm, &parts.concat())));
            }
        }

        /// Against the independent matrix method, for lengths that no test could hash.
        #[test]
        fn any_length_agrees_with_the_matrix_method(
            first: u32, second: u32, bytes in 0u64..1 << 46,
        ) {
            let (first, second) = (u64::from(first), u64::from(second));
            let oracle = [
                CrcAlgorithm::Crc32IsoHdlc, CrcAlgorithm::Crc32Iscsi, CrcAlgorithm::Crc64Nvme,
            ];
            for (algorithm, oracle) in CRCS.into_iter().zip(oracle) {
                let want = crc_fast::checksum_combine(oracle, first, second, bytes);
                prop_assert_eq!(combine(algorithm, first, second, bytes), Some(want));
            }
        }
    }
}
