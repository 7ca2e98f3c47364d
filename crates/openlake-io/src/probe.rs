//! What the drive itself gives, by the operations that the engine uses: the yardstick of every
//! benchmark. All transfers bypass the page cache; the file is written in full before it is read
//! or overwritten, as the engine's recycled files are.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use openlake_types::limits::PAGE_BYTES;

use crate::buffer::{Buffer, BufferConfig, Buffers, LARGE_BYTES};
use crate::disk::{Disk, DiskFile, OpenOptions, UringDisk, UringFile};
use crate::runtime::{JoinHandle, ResumeUnwind, run_shard, spawn};

/// Sequential transfers of 1 MiB in flight, as in the engine's writer and reader.
const SEQUENTIAL_DEPTH: usize = 4;
/// Random reads of 4 KiB in flight.
const RANDOM_DEPTH: usize = 32;

#[derive(Clone, Copy, Debug)]
pub struct ProbeConfig {
    /// Size of the file that is made for the probe and removed after it.
    pub file_bytes: u64,
    /// How long each of the random and the sync test runs at least.
    pub time: Duration,
}

/// Rates of one run; no averages over runs.
#[derive(Clone, Copy, Debug)]
pub struct DriveProbe {
    /// Overwriting in order, 1 MiB, four in flight, one `fdatasync` at the end.
    pub write_bytes_per_s: f64,
    /// Reading in order, 1 MiB, four in flight.
    pub read_bytes_per_s: f64,
    /// Reading 4 KiB at random, 32 in flight.
    pub random_reads_per_s: f64,
    /// Writing 4 KiB with `RWF_DSYNC`, one after the other.
    pub syncs_per_s: f64,
    pub sync_p50: Duration,
    pub sync_p99: Duration,
}

/// Runs the probe in a file of its own in `dir`, on a thread of its own.
pub fn probe_drive(dir: &Path, config: ProbeConfig) -> io::Result<DriveProbe> {
    let path = dir.join("drive-probe.tmp");
    let file_path = path.clone();
    let thread = std::thread::spawn(move || run_shard(None, || probe(file_path, config))?);
    let result = thread.join().map_err(|_| io::Error::other("the probe has failed"))?;
    let removed = std::fs::remove_file(&path);
    // Why there is no file to remove says more than that there is none.
    let probe = result?;
    removed?;
    Ok(probe)
}

async fn probe(path: std::path::PathBuf, config: ProbeConfig) -> io::Result<DriveProbe> {
    let blocks = (config.file_bytes / LARGE_BYTES as u64).max(1);
    let buffers = Buffers::new(BufferConfig { large_count: 8, small_count: RANDOM_DEPTH + 1 })?;
    let options = OpenOptions { create: true, direct: true, truncate: true };
    let file = UringDisk.open(&path, options).await?;
    file.allocate(0, blocks * LARGE_BYTES as u64).await?;
    write_in_order(&file, &buffers, blocks).await?;
    let write_bytes_per_s = write_in_order(&file, &buffers, blocks).await?;
    let read_bytes_per_s = read_in_order(&file, &buffers, blocks).await?;
    let pages = blocks * (LARGE_BYTES / PAGE_BYTES) as u64;
    let random_reads_per_s = read_at_random(&file, &buffers, pages, config.time).await?;
    let mut times = sync_one_by_one(&file, &buffers, pages, config.time).await?;
    times.sort_unstable();
    let total: Duration = times.iter().sum();
    Ok(DriveProbe {
        write_bytes_per_s,
        read_bytes_per_s,
        random_reads_per_s,
        syncs_per_s: times.len() as f64 / total.as_secs_f64(),
        sync_p50: times[times.len() / 2],
        sync_p99: times[times.len() * 99 / 100],
    })
}

type Flights = VecDeque<JoinHandle<io::Result<()>>>;

async fn land(flights: &mut Flights, down_to: usize) -> io::Result<()> {
    while flights.len() > down_to {
        let flight = flights.pop_front().expect("longer than `down_to`");
        flight.await.resume_unwind().expect("never cancelled")?;
    }
    Ok(())
}

/// Incompressible enough that no layer below can shorten it.
async fn noise(buffers: &Buffers, len: usize) -> Buffer {
    let mut buffer =
        if len > crate::SMALL_BYTES { buffers.large().await } else { buffers.small().await };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for word in buffer.as_mut_slice()[..len].as_chunks_mut::<8>().0 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        word.copy_from_slice(&(state ^ (state >> 29)).to_le_bytes());
    }
    buffer.set_filled(len);
    buffer.freeze()
}

async fn write_in_order(file: &UringFile, buffers: &Buffers, blocks: u64) -> io::Result<f64> {
    let block = noise(buffers, LARGE_BYTES).await;
    let start = Instant::now();
    let mut flights = Flights::new();
    for number in 0..blocks {
        land(&mut flights, SEQUENTIAL_DEPTH - 1).await?;
        let (file, block) = (file.clone(), block.clone());
        let offset = number * LARGE_BYTES as u64;
        flights.push_back(spawn(async move { file.write_at(block, offset, false).await }));
    }
    land(&mut flights, 0).await?;
    file.sync_data().await?;
    Ok((blocks * LARGE_BYTES as u64) as f64 / start.elapsed().as_secs_f64())
}

async fn read_in_order(file: &UringFile, buffers: &Buffers, blocks: u64) -> io::Result<f64> {
    let start = Instant::now();
    let mut flights = Flights::new();
    for number in 0..blocks {
        land(&mut flights, SEQUENTIAL_DEPTH - 1).await?;
        let (file, buffer) = (file.clone(), buffers.large().await);
        let offset = number * LARGE_BYTES as u64;
        let read = async move { file.read_at(buffer, LARGE_BYTES, offset).await.map(drop) };
        flights.push_back(spawn(read));
    }
    land(&mut flights, 0).await?;
    Ok((blocks * LARGE_BYTES as u64) as f64 / start.elapsed().as_secs_f64())
}

async fn read_at_random(
    file: &UringFile,
    buffers: &Buffers,
    pages: u64,
    time: Duration,
) -> io::Result<f64> {
    let start = Instant::now();
    let mut flights = Flights::new();
    let (mut reads, mut state) = (0u64, 1u64);
    while start.elapsed() < time {
        land(&mut flights, RANDOM_DEPTH - 1).await?;
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (file, buffer) = (file.clone(), buffers.small().await);
        let offset = (state >> 33) % pages * PAGE_BYTES as u64;
        let read = async move { file.read_at(buffer, PAGE_BYTES, offset).await.map(drop) };
        flights.push_back(spawn(read));
        reads += 1;
    }
    land(&mut flights, 0).await?;
    Ok(reads as f64 / start.elapsed().as_secs_f64())
}

async fn sync_one_by_one(
    file: &UringFile,
    buffers: &Buffers,
    pages: u64,
    time: Duration,
) -> io::Result<Vec<Duration>> {
    let page = noise(buffers, PAGE_BYTES).await;
    let start = Instant::now();
    let mut times = Vec::new();
    while start.elapsed() < time || times.is_empty() {
        let begin = Instant::now();
        let offset = times.len() as u64 % pages * PAGE_BYTES as u64;
        file.write_at(page.clone(), offset, true).await?;
        times.push(begin.elapsed());
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rate_is_measured_and_the_file_is_gone() {
        let dir = std::env::temp_dir().join(format!("openlake-probe-{}", std::process::id()));
        std::fs::create_dir(&dir).expect("a fresh directory");
        let config = ProbeConfig { file_bytes: 8 << 20, time: Duration::from_millis(20) };
        let probe = probe_drive(&dir, config).expect("a drive that knows O_DIRECT");
        for rate in [
            probe.write_bytes_per_s,
            probe.read_bytes_per_s,
            probe.random_reads_per_s,
            probe.syncs_per_s,
        ] {
            assert!(rate.is_finite() && rate > 0.0, "{probe:?}");
        }
        assert!(probe.sync_p50 <= probe.sync_p99);
        std::fs::remove_dir(&dir).expect("the probe left nothing behind");
    }
}
