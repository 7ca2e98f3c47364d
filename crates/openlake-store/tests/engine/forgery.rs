//! What an object holds is never taken for a batch of the journal, even if its bytes are those of
//! a batch that is still to come, in a file that is used again.

use std::path::PathBuf;

use bytes::Bytes;
use openlake_format::batch_header::BATCH_HEADER_BYTES;
use openlake_format::record_header::RECORD_HEADER_BYTES;
use openlake_format::{
    BatchHeader, BucketRecord, RecordHeader, RecordType, SegmentHeader, SegmentId, SegmentState,
};
use openlake_io::{BufferConfig, Buffers, Disk, DiskFile, FaultDisk, OpenOptions};
use openlake_store::{OpenError, Random, StoreConfig};
use openlake_types::limits::PAGE_BYTES;
use openlake_types::{BucketName, Epoch, PlacementGroup, Sequence, Timestamp};

use crate::support::{Directory, content, create_bucket, live, open, put, run};

const INLINE: usize = 64 << 10;
/// A batch with one inline object `k`: so far come the heads of batch and record, and what the
/// record says before the content.
const CONTENT_AT: usize = BATCH_HEADER_BYTES + RECORD_HEADER_BYTES + 50;
/// The segment's head, the batch of the bucket, and one batch of 17 pages lie before.
const FORGED_BATCH_AT: usize = 19;
/// The content's whole pages in that batch.
const FORGED_PAGES: usize = 15;
/// All else in a batch is known to the user.
const GUESS: u64 = 0x0123_4567_89ab_cdef;

/// A batch with a bucket that nobody made.
fn batch(segment: SegmentId, number: u32) -> [u8; PAGE_BYTES] {
    let bucket = BucketRecord {
        bucket: 99,
        name: BucketName::new("forged").unwrap(),
        owner: "me".to_owned(),
        created: Timestamp(1_700_000_000_000),
        config: Bytes::new(),
    };
    let mut record = vec![0; RECORD_HEADER_BYTES];
    bucket.encode(&mut record);
    let header = RecordHeader {
        record_type: RecordType::Bucket,
        sequence: Sequence(1 << 40),
        segment,
        epoch: Epoch(1),
        group: PlacementGroup::of_hash(0),
    };
    header.write(&mut record);
    let bytes = PAGE_BYTES as u32;
    let header = BatchHeader { segment, number, bytes, records: 1, nonce: GUESS };
    let mut page = [0; PAGE_BYTES];
    page[..BATCH_HEADER_BYTES].copy_from_slice(&header.encode());
    page[BATCH_HEADER_BYTES..][..record.len()].copy_from_slice(&record);
    page
}

/// In the next use, a batch of 17 pages fills up to page 17, batches of one page follow: so the
/// one at page p is number p - 17. Page by page for another ordinal, from 3 on.
fn forged_content() -> Vec<u8> {
    let mut bytes = content(1, INLINE);
    let (pages, _) = bytes[PAGE_BYTES - CONTENT_AT..].as_chunks_mut::<PAGE_BYTES>();
    for (page, at) in pages.iter_mut().zip(FORGED_BATCH_AT + 1..) {
        let number = at as u32 - 17;
        let segment = SegmentId { layout: 0, stream: 0, ordinal: number };
        page.copy_from_slice(&batch(segment, number));
    }
    bytes
}

/// A page of the first segment's file.
async fn page(disk: &FaultDisk, number: usize) -> Vec<u8> {
    let in_journal = |path: &PathBuf| path.to_string_lossy().contains("/journal/");
    let path = disk.files().into_iter().find(in_journal).unwrap();
    let options = OpenOptions { create: false, direct: true, truncate: false };
    let file = disk.open(&path, options).await.unwrap();
    let buffers = Buffers::new(BufferConfig { large_count: 1, small_count: 1 }).unwrap();
    let at = (number * PAGE_BYTES) as u64;
    file.read_at(buffers.small().await, PAGE_BYTES, at).await.unwrap().filled().to_vec()
}

async fn ordinal(disk: &FaultDisk) -> u32 {
    let header = SegmentHeader::decode(&page(disk, 0).await).unwrap();
    if header.state == SegmentState::InUse { header.id.ordinal } else { 0 }
}

fn config(directory: &Directory, random: &Random) -> StoreConfig {
    StoreConfig { random: random.clone(), ..directory.config(1) }
}

/// The drive after each of the commits among the forged pages of a file that is used again.
fn drives(directory: &Directory, random: &Random) -> Vec<FaultDisk> {
    let disk = directory.fault_disk();
    live(config(directory, random), disk.clone(), async |stores| {
        create_bucket(&stores[0]).await;
        put(&stores[0], "k", &content(0, INLINE)).await.unwrap();
        put(&stores[0], "k", &forged_content()).await.unwrap();
        for at in FORGED_BATCH_AT + 1..=FORGED_BATCH_AT + FORGED_PAGES {
            let number = at as u32 - 17;
            let segment = SegmentId { layout: 0, stream: 0, ordinal: number };
            assert!(page(&disk, at).await == batch(segment, number), "page {at}");
        }
        let mut puts = 0;
        while ordinal(&disk).await == 0 {
            put(&stores[0], "k", &content(2, INLINE)).await.unwrap();
            puts += 1;
            assert!(puts < 1000, "60 objects fill a segment");
        }
        let mut drives = Vec::new();
        for seed in 0..20 {
            drives.push(disk.crash(seed));
            put(&stores[0], "k", b"small").await.unwrap();
        }
        drives
    })
}

/// The names of the buckets, or why it did not start.
fn start(config: StoreConfig, disk: FaultDisk) -> Result<Vec<String>, OpenError> {
    run(async move {
        let stores = open(config, disk).await?;
        let buckets = stores[0].list_buckets();
        Ok(buckets.iter().map(|bucket| bucket.name.as_str().to_owned()).collect())
    })
}

#[test]
fn a_start_sees_no_forged_batch_and_is_not_refused() {
    let directory = Directory::new();
    let random = Random::system();
    for (commits, drive) in drives(&directory, &random).into_iter().enumerate() {
        let buckets = start(config(&directory, &random), drive);
        assert_eq!(buckets.unwrap(), ["bucket"], "after {commits} commits");
    }
}

/// The forgery is a good one but for the nonce: who knew that could do harm in both ways.
#[test]
fn only_the_nonce_tells_them_apart() {
    let directory = Directory::new();
    let random = Random::new(|| Ok(GUESS.into()));
    let (mut refused, mut replayed) = (0, 0);
    for drive in drives(&directory, &random) {
        match start(config(&directory, &random), drive) {
            Ok(buckets) => replayed += u32::from(buckets.contains(&"forged".to_owned())),
            Err(OpenError::Corrupt { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(refused > 0 && replayed > 0, "{refused} refused, {replayed} replayed");
}
