//! One MD5 stream between updates. What it promises: the digest does not depend on how the bytes
//! were cut, nor on whether they were consumed alone or in lanes.

use md5::block_api::compress;

use super::{BLOCK_BYTES, Block, Words};

/// The running MD5 of one stream; cheap to clone.
#[derive(Clone)]
pub struct Md5State {
    pub(super) words: Words,
    length_bytes: u64,
    /// The first `length_bytes % 64` bytes are data that fill no block yet.
    pending: Block,
}

impl Default for Md5State {
    fn default() -> Self {
        Self::new()
    }
}

impl Md5State {
    pub const fn new() -> Self {
        Self {
            words: [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476],
            length_bytes: 0,
            pending: [0; BLOCK_BYTES],
        }
    }

    /// Consumes bytes of this stream alone.
    pub fn update(&mut self, data: &[u8]) {
        let blocks = self.take(data);
        compress(&mut self.words, blocks);
    }

    pub fn finish(mut self) -> [u8; 16] {
        let (tail, blocks) = self.padding();
        compress(&mut self.words, &tail[..blocks]);
        self.digest()
    }

    /// Accounts for `data`, completes the pending block, keeps the new rest, and returns the whole
    /// blocks between, which the caller must run through `words`.
    pub(super) fn take<'a>(&mut self, data: &'a [u8]) -> &'a [Block] {
        let held = self.pending_bytes();
        self.length_bytes += data.len() as u64;
        let mut data = data;
        if held > 0 {
            let (head, rest) = data.split_at(data.len().min(BLOCK_BYTES - held));
            self.pending[held..held + head.len()].copy_from_slice(head);
            if held + head.len() < BLOCK_BYTES {
                return &[];
            }
            compress(&mut self.words, &[self.pending]);
            data = rest;
        }
        let (blocks, rest) = data.as_chunks();
        self.pending[..rest.len()].copy_from_slice(rest);
        blocks
    }

    /// The one or two blocks that end the stream (RFC 1321, 3.1 and 3.2), and how many they are.
    pub(super) fn padding(&self) -> ([Block; 2], usize) {
        let held = self.pending_bytes();
        let mut tail = [[0; BLOCK_BYTES]; 2];
        tail[0][..held].copy_from_slice(&self.pending[..held]);
        tail[0][held] = 0x80;
        let blocks = if held < BLOCK_BYTES - 8 { 1 } else { 2 };
        let length_bits = self.length_bytes.wrapping_mul(8);
        tail[blocks - 1][BLOCK_BYTES - 8..].copy_from_slice(&length_bits.to_le_bytes());
        (tail, blocks)
    }

    /// The words as the digest writes them; of use only after the padding.
    pub(super) fn digest(&self) -> [u8; 16] {
        let mut digest = [0; 16];
        for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(self.words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        digest
    }

    const fn pending_bytes(&self) -> usize {
        (self.length_bytes % BLOCK_BYTES as u64) as usize
    }
}
