//! Four streams in 128-bit registers with the instructions of AVX-512, one or two such groups
//! interleaved: for a few streams. A step waits for four operations of one cycle whatever the
//! width, so a narrow group loses no time to lanes that are empty.

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_loadu_si128, _mm_rol_epi32, _mm_set1_epi32, _mm_setr_epi32,
    _mm_setzero_si128, _mm_storeu_si128, _mm_ternarylogic_epi32, _mm_unpackhi_epi32,
    _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
};

use super::{Block, Words};

pub const WIDTH: usize = 4;

/// Advances `G` groups of four streams by the first `blocks` blocks of each.
#[target_feature(enable = "avx512f,avx512vl")]
pub fn advance<const G: usize>(
    words: &mut [[Words; WIDTH]; G],
    lanes: &[[&[Block]; WIDTH]; G],
    blocks: usize,
) {
    let mut state: [[__m128i; 4]; G] = [[_mm_setzero_si128(); 4]; G];
    for (state, words) in state.iter_mut().zip(&*words) {
        *state = gather(words);
    }
    for block in 0..blocks {
        let mut message = [[_mm_setzero_si128(); 16]; G];
        for (message, lanes) in message.iter_mut().zip(lanes) {
            *message = load(lanes, block);
        }
        let mut next = state;
        md5_rounds!(next, message);
        for (state, next) in state.iter_mut().zip(&next) {
            for (word, next) in state.iter_mut().zip(next) {
                *word = _mm_add_epi32(*word, *next);
            }
        }
    }
    for (state, words) in state.iter().zip(words) {
        scatter(state, words);
    }
}

#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn step<const ROUND: usize, const LEFT: i32, const RIGHT: i32>(
    [a, b, c, d]: [__m128i; 4],
    word: __m128i,
    constant: u32,
) -> __m128i {
    // The immediate is the truth table of the round's function over its operands.
    let mixed = match ROUND {
        0 => _mm_ternarylogic_epi32::<0xca>(b, c, d),
        1 => _mm_ternarylogic_epi32::<0xca>(d, b, c),
        2 => _mm_ternarylogic_epi32::<0x96>(b, c, d),
        _ => _mm_ternarylogic_epi32::<0x39>(b, c, d),
    };
    let constant = _mm_set1_epi32(constant.cast_signed());
    let early = _mm_add_epi32(a, _mm_add_epi32(word, constant));
    _mm_add_epi32(_mm_rol_epi32::<LEFT>(_mm_add_epi32(early, mixed)), b)
}

/// Word `i` of block `block` of all lanes in element `i`: four 4x4 transposes.
#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn load(lanes: &[&[Block]; WIDTH], block: usize) -> [__m128i; 16] {
    let mut out = [_mm_setzero_si128(); 16];
    for (quarter, out) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let mut rows = [_mm_setzero_si128(); WIDTH];
        for (row, lane) in rows.iter_mut().zip(lanes) {
            let bytes = &lane[block][16 * quarter..16 * quarter + 16];
            // SAFETY: `bytes` has 16 bytes, and the load asks for no alignment.
            *row = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        }
        let low = [_mm_unpacklo_epi32(rows[0], rows[1]), _mm_unpacklo_epi32(rows[2], rows[3])];
        let high = [_mm_unpackhi_epi32(rows[0], rows[1]), _mm_unpackhi_epi32(rows[2], rows[3])];
        out[0] = _mm_unpacklo_epi64(low[0], low[1]);
        out[1] = _mm_unpackhi_epi64(low[0], low[1]);
        out[2] = _mm_unpacklo_epi64(high[0], high[1]);
        out[3] = _mm_unpackhi_epi64(high[0], high[1]);
    }
    out
}

/// Words of four streams to one vector a word.
#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn gather(words: &[Words; WIDTH]) -> [__m128i; 4] {
    let mut state = [_mm_setzero_si128(); 4];
    for (i, vector) in state.iter_mut().enumerate() {
        let w = |lane: usize| words[lane][i].cast_signed();
        *vector = _mm_setr_epi32(w(0), w(1), w(2), w(3));
    }
    state
}

#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn scatter(state: &[__m128i; 4], words: &mut [Words; WIDTH]) {
    for (i, vector) in state.iter().enumerate() {
        let mut column = [0u32; WIDTH];
        // SAFETY: `column` has 16 bytes, and the store asks for no alignment.
        unsafe { _mm_storeu_si128(column.as_mut_ptr().cast(), *vector) };
        for (words, word) in words.iter_mut().zip(column) {
            words[i] = word;
        }
    }
}
