//! Incompressible data that any process can make again: a function of seed and offset, so that
//! what comes back from a store can be checked byte by byte without keeping it.

/// Content is made in blocks; each has keys of its own, and a word depends only on them and its
/// position.
const BLOCK_BYTES: usize = 4096;
const WORD_BYTES: usize = 4;
const BLOCK_WORDS: usize = BLOCK_BYTES / WORD_BYTES;

type Words = [u32; BLOCK_WORDS];

/// Fills `buffer` with the bytes that the stream `seed` has from `offset` on.
pub fn fill(buffer: &mut [u8], seed: u64, offset: u64) {
    let mut words = [0; BLOCK_WORDS];
    let mut rest = buffer;
    let mut at = offset;
    while !rest.is_empty() {
        let within = (at % BLOCK_BYTES as u64) as usize;
        let taken = rest.len().min(BLOCK_BYTES - within);
        let (piece, after) = rest.split_at_mut(taken);
        make_block(&mut words, seed, at / BLOCK_BYTES as u64);
        copy(&words, within, piece);
        rest = after;
        at += taken as u64;
    }
}

/// Where `buffer` first differs from the bytes that the stream `seed` has from `offset` on.
pub fn first_difference(buffer: &[u8], seed: u64, offset: u64) -> Option<usize> {
    let mut want = [0; BLOCK_BYTES];
    let mut done = 0;
    while done < buffer.len() {
        let at = offset + done as u64;
        let within = (at % BLOCK_BYTES as u64) as usize;
        let piece = &buffer[done..buffer.len().min(done + BLOCK_BYTES - within)];
        let want = &mut want[..piece.len()];
        fill(want, seed, at);
        if piece != want {
            let equal = piece.iter().zip(&*want).take_while(|(a, b)| a == b).count();
            return Some(done + equal);
        }
        done += piece.len();
    }
    None
}

fn copy(words: &Words, within: usize, piece: &mut [u8]) {
    if piece.len() == BLOCK_BYTES {
        for (bytes, word) in piece.as_chunks_mut::<WORD_BYTES>().0.iter_mut().zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        return;
    }
    for (i, byte) in piece.iter_mut().enumerate() {
        let position = within + i;
        *byte = words[position / WORD_BYTES].to_le_bytes()[position % WORD_BYTES];
    }
}

fn make_block(words: &mut Words, seed: u64, block: u64) {
    let key = mix64(mix64(seed ^ 0x9e37_79b9_7f4a_7c15) ^ block);
    let keys = [key as u32, (key >> 32) as u32];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { make_words_avx2(words, keys) };
        return;
    }
    make_words(words, keys);
}

/// The same code, compiled for eight words at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn make_words_avx2(words: &mut Words, keys: [u32; 2]) {
    make_words(words, keys);
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "it must take on the caller's target features")]
fn make_words(words: &mut Words, [first, second]: [u32; 2]) {
    for (i, word) in words.iter_mut().enumerate() {
        // Two rounds of multiply and shift (a permutation of 32 bits); the second key enters
        // between them, so that blocks are not permutations of one another.
        let mut x = (i as u32).wrapping_mul(0x9e37_79b9) ^ first;
        x = (x ^ (x >> 16)).wrapping_mul(0x21f0_aaad) ^ second;
        x = (x ^ (x >> 15)).wrapping_mul(0x735a_2d97);
        *word = x ^ (x >> 15);
    }
}

/// The finaliser of `SplitMix64`.
fn mix64(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_words_are_what_the_formula_gives() {
        // Worked out apart from this code, with Python integers.
        let mut words = [0; 16];
        fill(&mut words, 7, 4096);
        assert_eq!(hex::encode(words), PINNED);
    }

    const PINNED: &str = "9c62a4a511704aa0d2a3f673e956a030";

    #[test]
    fn bytes_are_evenly_spread_and_blocks_differ() {
        let mut data = vec![0; 1 << 20];
        fill(&mut data, 1, 0);
        let mut counts = [0u32; 256];
        for byte in &data {
            counts[usize::from(*byte)] += 1;
        }
        // 4,096 expected of each, standard deviation 64; six deviations either way.
        assert!(counts.iter().all(|count| (3712..=4480).contains(count)), "{counts:?}");
        let mut blocks: Vec<&[u8]> = data.chunks(BLOCK_BYTES).collect();
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), 256);
    }

    #[test]
    fn seeds_give_different_streams() {
        let (mut one, mut two) = ([0; 64], [0; 64]);
        fill(&mut one, 1, 0);
        fill(&mut two, 2, 0);
        assert_ne!(one, two);
    }

    proptest! {
        #[test]
        fn any_window_is_a_window_of_the_whole(
            start in 0usize..10_000, length in 0usize..10_000, seed: u64,
        ) {
            let mut whole = vec![0; 20_000];
            fill(&mut whole, seed, 0);
            let mut window = vec![0; length];
            fill(&mut window, seed, start as u64);
            prop_assert_eq!(&window[..], &whole[start..start + length]);
            prop_assert_eq!(first_difference(&window, seed, start as u64), None);
        }

        #[test]
        fn the_first_wrong_byte_is_found(
            length in 1usize..10_000, wrong: prop::sample::Index, offset: u32, bit in 0u32..8,
        ) {
            let wrong = wrong.index(length);
            let mut data = vec![0; length];
            fill(&mut data, 3, u64::from(offset));
            data[wrong] ^= 1 << bit;
            data[length - 1] = if wrong == length - 1 { data[wrong] } else { !data[length - 1] };
            prop_assert_eq!(first_difference(&data, 3, u64::from(offset)), Some(wrong));
        }
    }
}
