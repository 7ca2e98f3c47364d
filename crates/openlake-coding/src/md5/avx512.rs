//! Sixteen streams in AVX-512 registers, one or two such groups interleaved.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_loadu_si512, _mm512_rol_epi32, _mm512_set1_epi32,
    _mm512_setzero_si512, _mm512_shuffle_i32x4, _mm512_storeu_si512, _mm512_ternarylogic_epi32,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

use super::{Block, Words};

pub const WIDTH: usize = 16;

/// Advances `G` groups of sixteen streams by the first `blocks` blocks of each.
#[target_feature(enable = "avx512f")]
pub fn advance<const G: usize>(
    words: &mut [[Words; WIDTH]; G],
    lanes: &[[&[Block]; WIDTH]; G],
    blocks: usize,
) {
    let mut state: [[__m512i; 4]; G] = [[_mm512_setzero_si512(); 4]; G];
    for (state, words) in state.iter_mut().zip(&*words) {
        *state = gather(words);
    }
    for block in 0..blocks {
        let mut message = [[_mm512_setzero_si512(); 16]; G];
        for (message, lanes) in message.iter_mut().zip(lanes) {
            *message = load(lanes, block);
        }
        let mut next = state;
        md5_rounds!(next, message);
        for (state, next) in state.iter_mut().zip(&next) {
            for (word, next) in state.iter_mut().zip(next) {
                *word = _mm512_add_epi32(*word, *next);
            }
        }
    }
    for (state, words) in state.iter().zip(words) {
        scatter(state, words);
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn step<const ROUND: usize, const LEFT: i32, const RIGHT: i32>(
    [a, b, c, d]: [__m512i; 4],
    word: __m512i,
    constant: u32,
) -> __m512i {
    // The immediate is the truth table of the round's function over its operands.
    let mixed = match ROUND {
        0 => _mm512_ternarylogic_epi32::<0xca>(b, c, d),
        1 => _mm512_ternarylogic_epi32::<0xca>(d, b, c),
        2 => _mm512_ternarylogic_epi32::<0x96>(b, c, d),
        _ => _mm512_ternarylogic_epi32::<0x39>(b, c, d),
    };
    let constant = _mm512_set1_epi32(constant.cast_signed());
    let early = _mm512_add_epi32(a, _mm512_add_epi32(word, constant));
    _mm512_add_epi32(_mm512_rol_epi32::<LEFT>(_mm512_add_epi32(early, mixed)), b)
}

/// Word `i` of block `block` of all lanes in element `i`: a 16x16 transpose.
#[target_feature(enable = "avx512f")]
#[inline]
fn load(lanes: &[&[Block]; WIDTH], block: usize) -> [__m512i; 16] {
    let mut rows = [_mm512_setzero_si512(); WIDTH];
    for lane in 0..WIDTH {
        let bytes: &Block = &lanes[lane][block];
        // SAFETY: `bytes` has 64 bytes, and the load asks for no alignment.
        rows[lane] = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    }
    let mut pairs = [_mm512_setzero_si512(); 16];
    for i in 0..8 {
        pairs[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
        pairs[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
    }
    let mut quads = [_mm512_setzero_si512(); 16];
    for i in 0..4 {
        for half in 0..2 {
            let (even, odd) = (pairs[4 * i + half], pairs[4 * i + 2 + half]);
            quads[4 * i + 2 * half] = _mm512_unpacklo_epi64(even, odd);
            quads[4 * i + 2 * half + 1] = _mm512_unpackhi_epi64(even, odd);
        }
    }
    let mut out = [_mm512_setzero_si512(); 16];
    for j in 0..4 {
        let a = _mm512_shuffle_i32x4::<0x88>(quads[j], quads[4 + j]);
        let b = _mm512_shuffle_i32x4::<0xdd>(quads[j], quads[4 + j]);
        let c = _mm512_shuffle_i32x4::<0x88>(quads[8 + j], quads[12 + j]);
        let d = _mm512_shuffle_i32x4::<0xdd>(quads[8 + j], quads[12 + j]);
        out[j] = _mm512_shuffle_i32x4::<0x88>(a, c);
        out[8 + j] = _mm512_shuffle_i32x4::<0xdd>(a, c);
        out[4 + j] = _mm512_shuffle_i32x4::<0x88>(b, d);
        out[12 + j] = _mm512_shuffle_i32x4::<0xdd>(b, d);
    }
    out
}

/// Words of sixteen streams to one vector a word.
#[target_feature(enable = "avx512f")]
#[inline]
fn gather(words: &[Words; WIDTH]) -> [__m512i; 4] {
    let mut state = [_mm512_setzero_si512(); 4];
    for (i, vector) in state.iter_mut().enumerate() {
        let column = words.map(|words| words[i]);
        // SAFETY: `column` has 64 bytes, and the load asks for no alignment.
        *vector = unsafe { _mm512_loadu_si512(column.as_ptr().cast()) };
    }
    state
}

#[target_feature(enable = "avx512f")]
#[inline]
fn scatter(state: &[__m512i; 4], words: &mut [Words; WIDTH]) {
    for (i, vector) in state.iter().enumerate() {
        let mut column = [0u32; WIDTH];
        // SAFETY: `column` has 64 bytes, and the store asks for no alignment.
        unsafe { _mm512_storeu_si512(column.as_mut_ptr().cast(), *vector) };
        for (words, word) in words.iter_mut().zip(column) {
            words[i] = word;
        }
    }
}
