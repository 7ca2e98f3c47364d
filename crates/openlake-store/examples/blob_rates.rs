//! How fast are durable 32 MiB blobs, written 1, 4 and 8 at a time to new and to recycled files,
//! and read back, against raw O_DIRECT writes with one sync, and raw reads?
//!
//! Bound from arithmetic: a blob writes 0.11 % more than its data and syncs once per 32 MiB, so at
//! rate R and sync time s it reaches R / (1 + R * s / (32 MiB * c)) with c blobs at a time.
//!
//! `cargo run --release -p openlake-store --example blob_rates -- DIRECTORY [BLOBS] [ROUNDS]`

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use openlake_coding::pattern;
use openlake_io::runtime::{JoinHandle, ResumeUnwind, run_shard, spawn};
use openlake_io::{
    Buffer, BufferConfig, Buffers, Disk, DiskFile, LARGE_BYTES, OpenOptions, UringDisk,
};
use openlake_store::blob::{Blob, BlobConfig, BlobError, BlobPool, Homes, Piece, ReadAhead};
use openlake_types::{Epoch, PlacementGroup, ShardIndex};

const BLOB_BYTES: u32 = 32 << 20;
const CHUNKS: u64 = BLOB_BYTES as u64 / LARGE_BYTES as u64;
const DEPTHS: [usize; 3] = [1, 4, 8];

/// Writes on their way at once in the raw case, as in one blob.
const RAW_DEPTH: usize = 4;

type Pool = BlobPool<UringDisk>;

struct Run {
    directory: PathBuf,
    blobs: u32,
    rounds: usize,
    buffers: Buffers,
    chunk: Buffer,
}

/// One measurement: wall time and processor time.
#[derive(Clone, Copy)]
struct Sample {
    wall: Duration,
    cpu: Duration,
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().expect("usage: blob_rates DIRECTORY"));
    let mut number =
        |default| arguments.next().map_or(default, |text| text.parse().expect("number"));
    let (blobs, rounds) = (number(48), number(3));
    let buffers = Buffers::new(BufferConfig { large_count: 80, small_count: 64 })?;
    run_shard(None, || async {
        let mut chunk = buffers.large().await;
        pattern::fill(chunk.as_mut_slice(), 1, 0);
        chunk.set_filled(LARGE_BYTES);
        let chunk = chunk.freeze();
        let run = Run { directory, blobs, rounds: rounds as usize, buffers, chunk };
        run.all().await.expect("the drive works");
    })
}

impl Run {
    async fn all(&self) -> Result<(), BlobError> {
        println!(
            "{} blobs of 32 MiB a case, {} rounds; GiB/s min/median/max",
            self.blobs, self.rounds
        );
        let raw = self.directory.join("raw.dat");
        let mut cases: Vec<(String, Vec<Sample>)> = Vec::new();
        for round in 0..self.rounds {
            let mut add = |name: String, sample: Sample| {
                if round == 0 {
                    cases.push((name.clone(), Vec::new()));
                }
                let case = cases.iter_mut().find(|case| case.0 == name);
                case.expect("added in the first round").1.push(sample);
            };
            add("raw, new file".into(), self.raw(&raw, true).await?);
            add("raw, written before".into(), self.raw(&raw, false).await?);
            add("raw, read".into(), self.raw_read(&raw).await?);
            for depth in DEPTHS {
                let pool = self.open_pool().await?;
                let (sample, _) = self.write(&pool, depth).await?;
                add(format!("blobs, new files, {depth} at a time"), sample);
                let (sample, blobs) = self.write(&pool, depth).await?;
                add(format!("blobs, recycled, {depth} at a time"), sample);
                add(format!("blobs, read, {depth} at a time"), read(&pool, &blobs, depth).await?);
                drop(blobs);
                pool.reclaim().await;
            }
        }
        std::fs::remove_file(&raw)?;
        for (name, samples) in cases {
            self.report(&name, samples);
        }
        Ok(())
    }

    fn report(&self, name: &str, mut samples: Vec<Sample>) {
        samples.sort_by_key(|sample| std::cmp::Reverse(sample.wall));
        let gib = f64::from(self.blobs) * f64::from(BLOB_BYTES >> 20) / 1024.0;
        let rate = |sample: &Sample| gib / sample.wall.as_secs_f64();
        let (slowest, fastest) = (&samples[0], &samples[samples.len() - 1]);
        let median = &samples[samples.len() / 2];
        println!(
            "{name:36} {:6.2} {:6.2} {:6.2}   {:.3} CPU s/GiB",
            rate(slowest),
            rate(median),
            rate(fastest),
            median.cpu.as_secs_f64() / gib,
        );
    }

    async fn open_pool(&self) -> Result<Pool, BlobError> {
        let config = BlobConfig {
            root: self.directory.join("blobs"),
            shard: ShardIndex(0),
            shards: 1,
            recycle_bytes_max: u64::MAX,
            epoch: Epoch(1),
        };
        BlobPool::open(UringDisk, self.buffers.clone(), Homes::new(1), config).await
    }

    async fn write(&self, pool: &Pool, depth: usize) -> Result<(Sample, Vec<Blob>), BlobError> {
        let started = Started::now();
        let blobs = side_by_side(depth, (0..self.blobs).map(|_| self.write_blob(pool))).await?;
        Ok((started.sample(), blobs))
    }

    fn write_blob(&self, pool: &Pool) -> impl Future<Output = Result<Blob, BlobError>> + 'static {
        let (pool, chunk) = (pool.clone(), self.chunk.clone());
        async move {
            let group = PlacementGroup::of_hash(0);
            let mut writer = pool.writer(Some(BLOB_BYTES.into()), group).await?;
            for _ in 0..CHUNKS {
                writer.write(chunk.clone()).await?;
            }
            writer.finish().await
        }
    }

    /// 1 MiB writes, four on their way, one sync at the end.
    async fn raw(&self, path: &Path, new: bool) -> io::Result<Sample> {
        if new && path.exists() {
            std::fs::remove_file(path)?;
        }
        let options = OpenOptions { create: true, direct: true, truncate: false };
        let file = UringDisk.open(path, options).await?;
        let started = Started::now();
        if new {
            file.allocate(0, u64::from(self.blobs) * u64::from(BLOB_BYTES)).await?;
        }
        let chunks = 0..u64::from(self.blobs) * CHUNKS;
        let writes = chunks.map(|number| {
            let (file, chunk) = (file.clone(), self.chunk.clone());
            async move { file.write_at(chunk, number * LARGE_BYTES as u64, false).await }
        });
        side_by_side(RAW_DEPTH, writes).await?;
        file.sync_data().await?;
        Ok(started.sample())
    }

    async fn raw_read(&self, path: &Path) -> io::Result<Sample> {
        let options = OpenOptions { direct: true, ..OpenOptions::default() };
        let file = UringDisk.open(path, options).await?;
        let started = Started::now();
        let chunks = 0..u64::from(self.blobs) * CHUNKS;
        let reads = chunks.map(|number| {
            let (file, buffers) = (file.clone(), self.buffers.clone());
            async move {
                let buffer = buffers.large().await;
                file.read_at(buffer, LARGE_BYTES, number * LARGE_BYTES as u64).await.map(drop)
            }
        });
        side_by_side(RAW_DEPTH, reads).await?;
        Ok(started.sample())
    }
}

/// Reads every blob whole, as a body is sent.
async fn read(pool: &Pool, blobs: &[Blob], depth: usize) -> Result<Sample, BlobError> {
    let started = Started::now();
    let reads = blobs.iter().map(|blob| {
        let reader = pool.reader(blob.clone());
        async move {
            let (mut ahead, mut block) = (ReadAhead::new(), 0);
            let mut more = || {
                let start = block * LARGE_BYTES as u64;
                block += 1;
                let range = start..start + LARGE_BYTES as u64;
                (block <= CHUNKS).then(|| Piece::Read(reader.clone(), range))
            };
            while ahead.next(&mut more).await?.is_some() {}
            Ok::<(), BlobError>(())
        }
    });
    side_by_side(depth, reads).await?;
    Ok(started.sample())
}

/// Runs the futures in order, at most `depth` at once.
async fn side_by_side<T: 'static, E: 'static, F>(
    depth: usize,
    futures: impl Iterator<Item = F>,
) -> Result<Vec<T>, E>
where
    F: Future<Output = Result<T, E>> + 'static,
{
    let (mut flights, mut done) = (VecDeque::new(), Vec::new());
    for future in futures {
        if flights.len() >= depth
            && let Some(flight) = flights.pop_front()
        {
            done.push(join(flight).await?);
        }
        flights.push_back(spawn(future));
    }
    for flight in flights {
        done.push(join(flight).await?);
    }
    Ok(done)
}

async fn join<T>(flight: JoinHandle<T>) -> T {
    flight.await.resume_unwind().expect("nobody cancels")
}

struct Started {
    wall: Instant,
    cpu: Duration,
}

impl Started {
    fn now() -> Self {
        Self { wall: Instant::now(), cpu: processor_time() }
    }

    fn sample(&self) -> Sample {
        Sample { wall: self.wall.elapsed(), cpu: processor_time().saturating_sub(self.cpu) }
    }
}

/// User and system time of this process.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields = text.rsplit(')').next().expect("the name ends").split_whitespace();
    let ticks: u64 =
        fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum();
    Duration::from_millis(ticks * 10)
}
