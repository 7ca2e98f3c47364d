//! MD5 of many streams at once: one stream a vector lane, bit for bit what one stream alone gives.

mod lanes;
mod state;
#[macro_use]
mod steps;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512vl;
#[cfg(test)]
mod tests;

pub use lanes::Lanes;
pub use state::Md5State;

/// What MD5 consumes at a time.
type Block = [u8; BLOCK_BYTES];
const BLOCK_BYTES: usize = 64;

/// The four words that a stream carries from block to block.
type Words = [u32; 4];
