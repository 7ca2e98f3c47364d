//! Puts streams into lanes: keeps every lane busy while there is work, and falls back to one stream
//! at a time where only one is left or the processor has no wide registers.

use md5::block_api::compress;

use super::{BLOCK_BYTES, Block, Md5State, Words};

/// Streams advance together by at most this much, so that the lanes' data stays in the second-level
/// cache.
const SLICE_BLOCKS: usize = (64 << 10) / BLOCK_BYTES;

/// Two interleaved groups of the widest kernel.
const LANES_MAX: usize = 32;

/// How this processor runs MD5; made once, copied freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(Kernel);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// A stream in work and the blocks it still has to consume.
struct Job<'a> {
    words: &'a mut Words,
    blocks: &'a [Block],
}

impl Default for Lanes {
    fn default() -> Self {
        Self::new()
    }
}

impl Lanes {
    /// The fastest that this processor has.
    pub fn new() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                return Self(Kernel::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                return Self(Kernel::Avx2);
            }
        }
        Self::scalar()
    }

    /// One stream after the other, on any processor.
    pub const fn scalar() -> Self {
        Self(Kernel::Scalar)
    }

    /// All kernels that this processor runs.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        let mut all = vec![Self::scalar()];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(is_x86_feature_detected!("avx2").then_some(Self(Kernel::Avx2)));
            all.extend(has_avx512().then_some(Self(Kernel::Avx512)));
        }
        all
    }

    /// How many streams advance at the price of one; 1 without wide registers. Twice as many still
    /// gain something.
    pub const fn width(self) -> usize {
        match self.0 {
            Kernel::Scalar => 1,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => super::avx2::WIDTH,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => super::avx512::WIDTH,
        }
    }

    /// Each stream consumes the bytes beside it. Any number of streams, any lengths.
    pub fn update_many(self, streams: &mut [(&mut Md5State, &[u8])]) {
        self.run(streams.iter_mut().map(|(state, data)| {
            let blocks = state.take(data);
            Job { words: &mut state.words, blocks }
        }));
    }

    /// The digests of streams that end here, in order.
    pub fn finish_many(self, mut streams: Vec<Md5State>) -> Vec<[u8; 16]> {
        let tails: Vec<_> = streams.iter().map(Md5State::padding).collect();
        self.run(streams.iter_mut().zip(&tails).map(|(state, (tail, blocks))| Job {
            words: &mut state.words,
            blocks: &tail[..*blocks],
        }));
        streams.iter().map(Md5State::digest).collect()
    }

    /// The digests of whole messages, in order.
    pub fn digest_many(self, messages: &[&[u8]]) -> Vec<[u8; 16]> {
        let mut states = vec![Md5State::new(); messages.len()];
        let mut streams: Vec<_> = states.iter_mut().zip(messages.iter().copied()).collect();
        self.update_many(&mut streams);
        self.finish_many(states)
    }

    fn run<'a>(self, jobs: impl Iterator<Item = Job<'a>>) {
        let mut waiting = jobs.filter(|job| !job.blocks.is_empty());
        let lanes = 2 * self.width();
        let mut active: Vec<Job<'a>> = Vec::with_capacity(LANES_MAX);
        loop {
            active.extend(waiting.by_ref().take(lanes - active.len()));
            match &mut active[..] {
                [] => return,
                [alone] => {
                    compress(alone.words, alone.blocks);
                    alone.blocks = &[];
                }
                together => self.advance(together),
            }
            active.retain(|job| !job.blocks.is_empty());
        }
    }

    /// Advances all jobs by as much as the shortest has, at most one slice.
    fn advance(self, jobs: &mut [Job<'_>]) {
        let shortest = jobs.iter().map(|job| job.blocks.len()).min().unwrap_or(0);
        let blocks = shortest.min(SLICE_BLOCKS);
        match self.0 {
            Kernel::Scalar => {
                for job in &mut *jobs {
                    compress(job.words, &job.blocks[..blocks]);
                }
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => {
                use super::avx2::{WIDTH, advance};
                if jobs.len() <= WIDTH {
                    // SAFETY: `Lanes` has this kernel only where the processor has AVX2.
                    in_groups(jobs, |words, lanes| unsafe {
                        advance::<1>(words, lanes, blocks);
                    });
                } else {
                    // SAFETY: `Lanes` has this kernel only where the processor has AVX2.
                    in_groups(jobs, |words, lanes| unsafe {
                        advance::<2>(words, lanes, blocks);
                    });
                }
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => {
                use super::{avx512, avx512vl};
                if jobs.len() <= avx512vl::WIDTH {
                    // SAFETY: `Lanes` has this kernel only where `has_avx512`.
                    in_groups(jobs, |words, lanes| unsafe {
                        avx512vl::advance::<1>(words, lanes, blocks);
                    });
                } else if jobs.len() <= 2 * avx512vl::WIDTH {
                    // SAFETY: `Lanes` has this kernel only where `has_avx512`.
                    in_groups(jobs, |words, lanes| unsafe {
                        avx512vl::advance::<2>(words, lanes, blocks);
                    });
                } else if jobs.len() <= avx512::WIDTH {
                    // SAFETY: `Lanes` has this kernel only where `has_avx512`.
                    in_groups(jobs, |words, lanes| unsafe {
                        avx512::advance::<1>(words, lanes, blocks);
                    });
                } else {
                    // SAFETY: `Lanes` has this kernel only where `has_avx512`.
                    in_groups(jobs, |words, lanes| unsafe {
                        avx512::advance::<2>(words, lanes, blocks);
                    });
                }
            }
        }
        for job in jobs {
            job.blocks = &job.blocks[blocks..];
        }
    }
}

/// AVX-512 with its instructions for narrower registers, as every processor but the oldest has it.
#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl")
}

/// Lays the jobs out as `G` groups of `W` lanes and stores the words back. A lane without a job
/// repeats the first one's data; its result is dropped.
#[cfg(target_arch = "x86_64")]
fn in_groups<const G: usize, const W: usize>(
    jobs: &mut [Job<'_>],
    advance: impl FnOnce(&mut [[Words; W]; G], &[[&[Block]; W]; G]),
) {
    let mut words = [[[0; 4]; W]; G];
    let mut lanes = [[jobs[0].blocks; W]; G];
    for (i, job) in jobs.iter().enumerate() {
        words[i / W][i % W] = *job.words;
        lanes[i / W][i % W] = job.blocks;
    }
    advance(&mut words, &lanes);
    for (i, job) in jobs.iter_mut().enumerate() {
        *job.words = words[i / W][i % W];
    }
}
