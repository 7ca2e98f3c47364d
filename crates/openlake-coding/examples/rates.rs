//! How fast does one core hash, check and make bytes? GB/s (10^9), best and median of 15 passes of
//! about 20 ms of CPU time each. Bound: no kernel can pass the read bandwidth of the cache level it works in.
//!
//! `cargo run --release -p openlake-coding --example rates`

use std::hint::black_box;
use std::time::Duration;

use openlake_coding::{ChecksumStream, Lanes, Md5State, combine, crc32c, page_crcs, pattern};
use openlake_types::ChecksumAlgorithm;

const PASSES: usize = 15;

/// Of this thread, so that other work on the machine counts as little as it can.
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.cast_unsigned(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[expect(clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "small positive numbers")]
fn measure(name: &str, bytes_per_call: usize, mut call: impl FnMut()) {
    let start = cpu_time();
    call();
    let once_secs = cpu_time().saturating_sub(start).as_secs_f64().max(1e-7);
    let calls = (0.02 / once_secs).ceil() as u32;
    let mut rates: Vec<f64> = (0..PASSES)
        .map(|_| {
            let start = cpu_time();
            for _ in 0..calls {
                call();
            }
            bytes_per_call as f64 * f64::from(calls)
                / cpu_time().saturating_sub(start).as_secs_f64()
                / 1e9
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!("{name:46} {:8.2} {:8.2}", rates[PASSES - 1], rates[PASSES / 2]);
}

fn md5(lanes: Lanes, data: &[u8], streams: usize, each_bytes: usize, name: &str) {
    let mut states = vec![Md5State::new(); streams];
    measure(name, streams * each_bytes, || {
        let mut updates: Vec<_> = states.iter_mut().zip(data.chunks_exact(each_bytes)).collect();
        lanes.update_many(black_box(&mut updates));
    });
}

fn main() {
    let mut data = vec![0; 32 << 20];
    pattern::fill(&mut data, 1, 0);
    let lanes = Lanes::new();
    println!("{:46} {:>8} {:>8}   ({lanes:?})", "", "best", "median");
    md5(Lanes::scalar(), &data, 1, 1 << 20, "MD5 scalar, 1 stream, 1 MiB");
    for streams in [1, 2, 4, 8, 16, 32] {
        for (each_bytes, text) in [(4 << 10, "4 KiB"), (64 << 10, "64 KiB"), (1 << 20, "1 MiB")] {
            md5(
                lanes,
                &data,
                streams,
                each_bytes,
                &format!("MD5 lanes, {streams} streams, {text}"),
            );
        }
    }
    let messages: Vec<&[u8]> = data.chunks(4096).take(16).collect();
    measure("MD5 digest_many, 16 messages, 4 KiB", 16 * 4096, || {
        black_box(lanes.digest_many(black_box(&messages)));
    });
    for (bytes, text) in [(4 << 10, "4 KiB"), (1 << 20, "1 MiB")] {
        for algorithm in ChecksumAlgorithm::ALL {
            measure(&format!("{}, {text}", algorithm.name()), bytes, || {
                let mut stream = ChecksumStream::new(algorithm);
                stream.update(black_box(&data[..bytes]));
                black_box(stream.finish());
            });
        }
        measure(&format!("crc32c(), {text}"), bytes, || {
            black_box(crc32c(black_box(&data[..bytes])));
        });
    }
    let mut crcs = Vec::new();
    measure("page_crcs(), 1 MiB", 1 << 20, || {
        crcs.clear();
        page_crcs(black_box(&data[..1 << 20]), &mut crcs);
    });
    let part_bytes = 32 << 20;
    measure("combine(), GB/s of a 32 MiB part", part_bytes, || {
        black_box(combine(ChecksumAlgorithm::Crc64Nvme, black_box(1), 2, part_bytes as u64));
    });
    let mut buffer = vec![0; 32 << 20];
    for (bytes, text) in [(64 << 10, "64 KiB"), (1 << 20, "1 MiB"), (32 << 20, "32 MiB")] {
        measure(&format!("pattern::fill, {text}"), bytes, || {
            pattern::fill(black_box(&mut buffer[..bytes]), 1, 0);
        });
        measure(&format!("pattern::first_difference, {text}"), bytes, || {
            black_box(pattern::first_difference(black_box(&data[..bytes]), 1, 0));
        });
        measure(&format!("memcpy, {text}"), bytes, || {
            buffer[..bytes].copy_from_slice(black_box(&data[..bytes]));
        });
    }
}
