//! A changed byte of any kind is noticed and named; no wrong byte is handed out.

use openlake_format::blob_layout::BlobLayout;
use openlake_io::{DiskFile, OpenOptions};

use super::*;

/// 2,040 pages: two whole blocks hold their checksums, the footer stands alone.
const LARGE: u64 = 2039 * 4096 + 77;
/// Data, checksums and footer share a page.
const SMALL: u64 = 5 * 4096 + 77;

/// Flips a bit of the blob's file, past all caches.
async fn flip<D: Disk>(disk: &D, blob: &Blob, at: u64) {
    let number = blob.id().file;
    let path = root().join(format!("{:02x}/{number:x}.blob", number as u8));
    let options = OpenOptions { direct: true, ..OpenOptions::default() };
    let file = disk.open(&path, options).await.expect("the file is there");
    let page = buffers().small().await;
    let from = at / 4096 * 4096;
    let mut page = file.read_at(page, 4096, from).await.expect("read");
    page.as_mut_slice()[(at - from) as usize] ^= 0x20;
    file.write_at(page.freeze(), from, false).await.expect("written");
}

/// What a fresh pool (nothing cached) says to a read of the whole blob.
async fn read_part<D: Disk>(disk: &D, blob: &Blob) -> Result<Vec<u8>, CorruptPart> {
    let pool = open(disk, config(root())).await;
    match read_all(&pool, &pool.existing(blob.location())).await {
        Ok(bytes) => Ok(bytes),
        Err(BlobError::Corrupt { id, part, .. }) => {
            assert_eq!(id, blob.id());
            assert!(pool.stats().corrupt > 0);
            Err(part)
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_flipped_bit_of_each_kind_is_noticed_and_named() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        let large = write(&pool, 1, LARGE).await.expect("written");
        let layout = BlobLayout::new(LARGE);
        let (first, second) = (layout.block_offset(0), layout.block_offset(1));
        let end = layout.file_bytes();
        let cases = [
            (0, CorruptPart::Data { page: 0 }),
            (4096 * 300 + 9, CorruptPart::Data { page: 300 }),
            (LARGE - 1, CorruptPart::Data { page: 2039 }),
            (first, CorruptPart::Table { block: 0 }),
            (first + 4095, CorruptPart::Table { block: 0 }),
            (second + 2000, CorruptPart::Table { block: 1 }),
        ];
        for (at, part) in cases {
            flip(&disk, &large, at).await;
            assert_eq!(read_part(&disk, &large).await, Err(part), "byte {at}");
            flip(&disk, &large, at).await;
        }
        // The footer holds none of the checksums of this blob: a flip there harms no read.
        flip(&disk, &large, end - 1).await;
        assert_eq!(read_part(&disk, &large).await, Ok(data(1, LARGE)));
    });
}

#[test]
fn a_flipped_bit_of_a_small_blob_is_noticed_wherever_it_is() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        let blob = write(&pool, 2, SMALL).await.expect("written");
        let end = blob.file_bytes();
        let want = data(2, SMALL);
        let (mut data_flips, mut footer_flips) = (0, 0);
        for at in (0..end).step_by(97).chain(end - 64 - 24..end) {
            flip(&disk, &blob, at).await;
            match read_part(&disk, &blob).await {
                Err(CorruptPart::Data { page }) => {
                    assert_eq!(page, at / 4096);
                    data_flips += 1;
                }
                Err(CorruptPart::Footer) => {
                    assert!(at >= end - 64 - 24, "byte {at}");
                    footer_flips += 1;
                }
                Err(other) => panic!("{other:?}"),
                Ok(bytes) => {
                    assert!(at >= SMALL && at < end - 64 - 24, "byte {at} holds something");
                    assert_eq!(bytes, want);
                }
            }
            flip(&disk, &blob, at).await;
        }
        assert!(data_flips > 200 && footer_flips >= 88, "{data_flips} {footer_flips}");
    });
}

#[test]
fn a_missing_or_short_file_is_corruption_too() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        let blob = write(&pool, 3, LARGE).await.expect("written");
        let number = blob.id().file;
        let path = root().join(format!("{:02x}/{number:x}.blob", number as u8));
        let file = disk.open(&path, OpenOptions::default()).await.expect("there");
        file.truncate(100 * 4096).await.expect("cut");
        assert_eq!(read_part(&disk, &blob).await, Err(CorruptPart::File));
        disk.remove_file(&path).await.expect("removed");
        assert_eq!(read_part(&disk, &blob).await, Err(CorruptPart::File));
    });
}

/// The record says which bytes it means, not only which file.
#[test]
fn a_record_of_other_bytes_does_not_read_the_blob() {
    run(|| async {
        let disk = fault_disk().await;
        let pool = open(&disk, config(root())).await;
        let blob = write(&pool, 4, SMALL).await.expect("written");
        let mut other = blob.location();
        other.crc ^= 1;
        let error = read_all(&pool, &pool.existing(other)).await.expect_err("another checksum");
        assert!(matches!(error, BlobError::Corrupt { part: CorruptPart::Footer, .. }), "{error}");
    });
}
