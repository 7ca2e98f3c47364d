//! The body of every request of a run: one slice, again and again. It stays in the processor's cache,
//! so that the generator costs the machine it shares with the server as little as it can.

use openlake_coding::{ChecksumStream, pattern};
use openlake_types::ChecksumAlgorithm;

const SLICE_BYTES: u64 = 1 << 20;

pub struct Body {
    slice: Vec<u8>,
    length: u64,
}

impl Body {
    pub fn new(length: u64, seed: u64) -> Self {
        let mut slice = vec![0; length.min(SLICE_BYTES) as usize];
        pattern::fill(&mut slice, seed, 0);
        Self { slice, length }
    }

    pub const fn len(&self) -> u64 {
        self.length
    }

    /// Some of the bytes from this place on; empty at the end.
    pub fn from(&self, place: u64) -> &[u8] {
        let left = self.length.saturating_sub(place);
        if left == 0 {
            return &[];
        }
        let rest = &self.slice[(place % self.slice.len() as u64) as usize..];
        &rest[..usize::try_from(left).map_or(rest.len(), |left| left.min(rest.len()))]
    }

    /// CRC-64/NVME of the whole, big-endian.
    pub fn crc64nvme(&self) -> Vec<u8> {
        let mut stream = ChecksumStream::new(ChecksumAlgorithm::Crc64Nvme);
        let mut place = 0;
        while place < self.length {
            let piece = self.from(place);
            stream.update(piece);
            place += piece.len() as u64;
        }
        stream.finish().value().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_its_slice_again_and_again_up_to_its_length() {
        for length in [0, 1, SLICE_BYTES - 1, SLICE_BYTES, 2 * SLICE_BYTES + 77] {
            let body = Body::new(length, 7);
            let mut whole = Vec::new();
            while (whole.len() as u64) < length {
                whole.extend_from_slice(body.from(whole.len() as u64));
            }
            assert_eq!(whole.len() as u64, length);
            assert_eq!(body.from(length), []);
            let repeats = whole.chunks(SLICE_BYTES as usize);
            assert!(repeats.clone().all(|piece| whole.starts_with(piece)));
            let crc = openlake_coding::crc64nvme(&whole);
            assert_eq!(body.crc64nvme(), crc.to_be_bytes());
        }
    }
}
