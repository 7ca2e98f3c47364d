//! Eight streams in AVX2 registers, one or two such groups interleaved: one group alone waits for
//! its own dependency chain, two keep the four vector pipes busy and still fit sixteen registers.

use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_loadu_si256, _mm256_or_si256, _mm256_permute2x128_si256, _mm256_set1_epi32,
    _mm256_setr_epi32, _mm256_setzero_si256, _mm256_slli_epi32, _mm256_srli_epi32,
    _mm256_storeu_si256, _mm256_sub_epi32, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::{Block, Words};

pub const WIDTH: usize = 8;
/// Half a kibibyte ahead in each stream.
const AHEAD_BLOCKS: usize = 8;

/// Advances `G` groups of eight streams by the first `blocks` blocks of each.
#[target_feature(enable = "avx2")]
pub fn advance<const G: usize>(
    words: &mut [[Words; WIDTH]; G],
    lanes: &[[&[Block]; WIDTH]; G],
    blocks: usize,
) {
    let mut state: [[__m256i; 4]; G] = [[_mm256_setzero_si256(); 4]; G];
    for (state, words) in state.iter_mut().zip(&*words) {
        *state = gather(words);
    }
    for block in 0..blocks {
        let mut message = [[_mm256_setzero_si256(); 16]; G];
        for (message, lanes) in message.iter_mut().zip(lanes) {
            *message = load(lanes, block);
        }
        let mut next = state;
        md5_rounds!(next, message);
        for (state, next) in state.iter_mut().zip(&next) {
            for (word, next) in state.iter_mut().zip(next) {
                *word = _mm256_add_epi32(*word, *next);
            }
        }
    }
    for (state, words) in state.iter().zip(words) {
        scatter(state, words);
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn step<const ROUND: usize, const LEFT: i32, const RIGHT: i32>(
    [a, b, c, d]: [__m256i; 4],
    word: __m256i,
    constant: u32,
) -> __m256i {
    // `!x` is `-x - 1`: round 3 subtracts, and takes the one from the constant.
    let constant = if ROUND == 3 { constant.wrapping_sub(1) } else { constant };
    let early = _mm256_add_epi32(a, _mm256_add_epi32(word, splat(constant)));
    let sum = match ROUND {
        0 => {
            let choice = _mm256_xor_si256(d, _mm256_and_si256(b, _mm256_xor_si256(c, d)));
            _mm256_add_epi32(early, choice)
        }
        // The two halves of the choice share no bit, so they are added one by one; the half without
        // `b`, the newest value, comes first.
        1 => _mm256_add_epi32(
            _mm256_add_epi32(early, _mm256_andnot_si256(d, c)),
            _mm256_and_si256(d, b),
        ),
        2 => _mm256_add_epi32(early, _mm256_xor_si256(b, _mm256_xor_si256(c, d))),
        _ => _mm256_sub_epi32(early, _mm256_xor_si256(c, _mm256_andnot_si256(b, d))),
    };
    let rotated = _mm256_or_si256(_mm256_slli_epi32::<LEFT>(sum), _mm256_srli_epi32::<RIGHT>(sum));
    _mm256_add_epi32(rotated, b)
}

#[target_feature(enable = "avx2")]
#[inline]
fn splat(value: u32) -> __m256i {
    _mm256_set1_epi32(value.cast_signed())
}

/// Word `i` of block `block` of all lanes in element `i`: an 8x8 transpose of each half.
#[target_feature(enable = "avx2")]
#[inline]
fn load(lanes: &[&[Block]; WIDTH], block: usize) -> [__m256i; 16] {
    let mut low = [_mm256_setzero_si256(); WIDTH];
    let mut high = [_mm256_setzero_si256(); WIDTH];
    for lane in 0..WIDTH {
        prefetch(lanes[lane], block);
        let (first, second) = lanes[lane][block].split_at(32);
        // SAFETY: `first` has 32 bytes, and the load asks for no alignment.
        low[lane] = unsafe { _mm256_loadu_si256(first.as_ptr().cast()) };
        // SAFETY: `second` has 32 bytes, and the load asks for no alignment.
        high[lane] = unsafe { _mm256_loadu_si256(second.as_ptr().cast()) };
    }
    let (low, high) = (transpose(low), transpose(high));
    let mut out = [_mm256_setzero_si256(); 16];
    out[..WIDTH].copy_from_slice(&low);
    out[WIDTH..].copy_from_slice(&high);
    out
}

/// Asks for a block that comes soon: so many streams at once are more than the processor's own
/// prefetchers follow.
#[target_feature(enable = "avx2")]
#[inline]
fn prefetch(lane: &[Block], block: usize) {
    let ahead = lane.as_ptr().wrapping_add(block + AHEAD_BLOCKS);
    _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
}

#[target_feature(enable = "avx2")]
#[inline]
fn transpose(rows: [__m256i; WIDTH]) -> [__m256i; WIDTH] {
    let mut pairs = [_mm256_setzero_si256(); WIDTH];
    for i in 0..4 {
        pairs[2 * i] = _mm256_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
        pairs[2 * i + 1] = _mm256_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
    }
    let mut quads = [_mm256_setzero_si256(); WIDTH];
    for i in 0..2 {
        for half in 0..2 {
            let (even, odd) = (pairs[4 * i + half], pairs[4 * i + 2 + half]);
            quads[4 * i + 2 * half] = _mm256_unpacklo_epi64(even, odd);
            quads[4 * i + 2 * half + 1] = _mm256_unpackhi_epi64(even, odd);
        }
    }
    let mut out = [_mm256_setzero_si256(); WIDTH];
    for i in 0..4 {
        out[i] = _mm256_permute2x128_si256::<0x20>(quads[i], quads[4 + i]);
        out[4 + i] = _mm256_permute2x128_si256::<0x31>(quads[i], quads[4 + i]);
    }
    out
}

/// Words of eight streams to one vector a word.
#[target_feature(enable = "avx2")]
#[inline]
fn gather(words: &[Words; WIDTH]) -> [__m256i; 4] {
    let mut state = [_mm256_setzero_si256(); 4];
    for (i, vector) in state.iter_mut().enumerate() {
        let w = |lane: usize| words[lane][i].cast_signed();
        *vector = _mm256_setr_epi32(w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7));
    }
    state
}

#[target_feature(enable = "avx2")]
#[inline]
fn scatter(state: &[__m256i; 4], words: &mut [Words; WIDTH]) {
    for (i, vector) in state.iter().enumerate() {
        let mut column = [0u32; WIDTH];
        // SAFETY: `column` has 32 bytes, and the store asks for no alignment.
        unsafe { _mm256_storeu_si256(column.as_mut_ptr().cast(), *vector) };
        for (words, word) in words.iter_mut().zip(column) {
            words[i] = word;
        }
    }
}
