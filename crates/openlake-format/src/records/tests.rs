//! Every record: what was encoded is decoded; no cut or flipped record passes for one; version 1
//! stays as it was written.

use bytes::Bytes;
use openlake_types::{
    BlobId, BucketName, Checksum, ChecksumAlgorithm, ChecksumKind, ETag, Epoch, ObjectKey,
    PartNumber, PlacementGroup, Sequence, Timestamp, UploadId,
};

use super::*;
use crate::attributes::ObjectAttributes;
use crate::error::DecodeError;
use crate::record_header::{RECORD_HEADER_BYTES, RecordHeader, RecordType};
use crate::segment_header::SegmentId;

fn attributes() -> ObjectAttributes {
    let checksum = Checksum::new(ChecksumAlgorithm::Crc64Nvme, ChecksumKind::FullObject, &[7; 8]);
    ObjectAttributes {
        checksum: checksum.ok(),
        content_type: Some("text/plain".to_owned()),
        cache_control: Some("no-cache".to_owned()),
        user_metadata: vec![("colour".to_owned(), "grün".to_owned())],
        ..ObjectAttributes::new(ETag::of_md5([0xab; 16]))
    }
}

fn key() -> ObjectKey {
    ObjectKey::new("rank-0/model.bin").expect("valid")
}

fn blob(file: u64, size: u64) -> BlobLocation {
    BlobLocation { id: BlobId { file, generation: 3 }, size, crc: 0x1234_5678 }
}

fn part(number: u16, size: u64) -> ManifestPart {
    ManifestPart {
        number: PartNumber::new(number).expect("valid"),
        size,
        etag: ETag::of_md5([number as u8; 16]),
        checksum: None,
        blob: (size > 0).then(|| blob(u64::from(number), size)),
    }
}

fn object(body: ObjectBody, size: u64) -> ObjectRecord {
    let last_modified = Timestamp(1_700_000_000_123);
    ObjectRecord { bucket: 42, key: key(), size, last_modified, attributes: attributes(), body }
}

const UPLOAD: UploadId = UploadId(0x0123_4567_89ab_cdef_0011_2233_4455_6677);

/// Each kind of record once, with its name, its payload and how to read it.
type Case = (&'static str, RecordType, Vec<u8>, fn(&[u8]) -> Result<(), DecodeError>);

fn encoded(encode: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    encode(&mut out);
    out
}

fn objects() -> Vec<Case> {
    fn read(payload: &[u8]) -> Result<(), DecodeError> {
        ObjectRecord::decode(payload).map(drop)
    }
    let inline = object(ObjectBody::Inline, 5);
    let in_blob = object(ObjectBody::Blob(blob(9, 70_000)), 70_000);
    let body = ObjectBody::Parts { upload: UPLOAD, parts: vec![part(1, 6 << 20), part(4, 0)] };
    let of_parts = object(body, 6 << 20);
    let mut inline_payload = encoded(|out| inline.encode(out));
    inline_payload.extend(b"hello");
    vec![
        ("object-inline", RecordType::Object, inline_payload, read),
        ("object-blob", RecordType::Object, encoded(|out| in_blob.encode(out)), read),
        ("object-parts", RecordType::Object, encoded(|out| of_parts.encode(out)), read),
    ]
}

fn uploads() -> Vec<Case> {
    let upload = UploadRecord {
        bucket: 42,
        key: key(),
        upload: UPLOAD,
        initiated: Timestamp(1),
        checksum: Some((ChecksumAlgorithm::Sha256, ChecksumKind::Composite)),
        attributes: attributes(),
    };
    let last_modified = Timestamp(2);
    let of_upload = PartRecord { bucket: 42, upload: UPLOAD, last_modified, part: part(7, 9) };
    let end = UploadEnd { bucket: 42, upload: UPLOAD };
    vec![
        ("upload", RecordType::Upload, encoded(|out| upload.encode(out)), |payload| {
            UploadRecord::decode(payload).map(drop)
        }),
        ("part", RecordType::Part, encoded(|out| of_upload.encode(out)), |payload| {
            PartRecord::decode(payload).map(drop)
        }),
        ("upload-end", RecordType::UploadEnd, encoded(|out| end.encode(out)), |payload| {
            UploadEnd::decode(payload).map(drop)
        }),
    ]
}

fn others() -> Vec<Case> {
    let deletion = ObjectDeletion { bucket: 42, key: key() };
    let bucket = BucketRecord {
        bucket: 42,
        name: BucketName::new("checkpoints").expect("valid"),
        owner: "root".to_owned(),
        created: Timestamp(3),
        config: Bytes::from_static(b"{}"),
    };
    let (kind, name) = ("user".to_owned(), "alice".to_owned());
    let value = Bytes::from_static(b"secret");
    let system = SystemRecord { kind: kind.clone(), name: name.clone(), value };
    let system_deletion = SystemDeletion { kind, name };
    let gone = BucketDeletion { bucket: 42 };
    vec![
        (
            "object-deletion",
            RecordType::ObjectDeletion,
            encoded(|out| deletion.encode(out)),
            |payload| ObjectDeletion::decode(payload).map(drop),
        ),
        ("bucket", RecordType::Bucket, encoded(|out| bucket.encode(out)), |payload| {
            BucketRecord::decode(payload).map(drop)
        }),
        (
            "bucket-deletion",
            RecordType::BucketDeletion,
            encoded(|out| gone.encode(out)),
            |payload| BucketDeletion::decode(payload).map(drop),
        ),
        ("system", RecordType::System, encoded(|out| system.encode(out)), |payload| {
            SystemRecord::decode(payload).map(drop)
        }),
        (
            "system-deletion",
            RecordType::SystemDeletion,
            encoded(|out| system_deletion.encode(out)),
            |payload| SystemDeletion::decode(payload).map(drop),
        ),
    ]
}

fn cases() -> Vec<Case> {
    [objects(), uploads(), others()].concat()
}

fn framed(record_type: RecordType, payload: &[u8]) -> Vec<u8> {
    let mut record = vec![0; RECORD_HEADER_BYTES];
    record.extend(payload);
    let header = RecordHeader {
        record_type,
        sequence: Sequence(0x0102_0304),
        segment: SegmentId { layout: 1, stream: 2, ordinal: 3 },
        epoch: Epoch(1),
        group: PlacementGroup::of_hash(517),
    };
    header.write(&mut record);
    assert_eq!(RecordHeader::read(&record), Ok((header, payload)));
    record
}

#[test]
fn what_was_encoded_is_decoded() {
    let record = object(ObjectBody::Inline, 5);
    let mut payload = encoded(|out| record.encode(out));
    payload.extend(b"hello");
    assert_eq!(ObjectRecord::decode(&payload), Ok((record, &b"hello"[..])));
    let body = ObjectBody::Parts { upload: UPLOAD, parts: vec![part(1, 6 << 20), part(4, 0)] };
    let record = object(body, 6 << 20);
    let payload = encoded(|out| record.encode(out));
    assert_eq!(ObjectRecord::decode(&payload), Ok((record, &b""[..])));
    for (name, _, payload, read) in cases() {
        assert_eq!(read(&payload), Ok(()), "{name}");
    }
}

#[test]
fn a_cut_record_is_refused_wherever_it_is_cut() {
    for (name, record_type, payload, read) in cases() {
        for len in 0..payload.len() {
            assert!(read(&payload[..len]).is_err(), "{name} cut at {len}");
        }
        let mut longer = payload.clone();
        longer.push(0);
        assert_eq!(read(&longer), Err(DecodeError::TrailingBytes), "{name}");
        let record = framed(record_type, &payload);
        for len in 0..record.len() {
            assert!(RecordHeader::read(&record[..len]).is_err(), "{name} cut at {len}");
        }
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    for (name, record_type, payload, _) in cases() {
        let record = framed(record_type, &payload);
        for bit in 0..record.len() * 8 {
            let mut bad = record.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(RecordHeader::read(&bad).is_err(), "{name} bit {bit}");
        }
    }
}

#[test]
fn the_manifest_of_ten_thousand_parts_with_the_longest_checksums_fits_a_batch() {
    let checksum = Checksum::new(ChecksumAlgorithm::Sha256, ChecksumKind::Composite, &[1; 32]);
    let longest = |number| ManifestPart { checksum: checksum.ok(), ..part(number, 5 << 20) };
    let parts: Vec<_> = (1..=10_000).map(longest).collect();
    let record = object(ObjectBody::Parts { upload: UPLOAD, parts }, 10_000 * (5 << 20));
    let payload = encoded(|out| record.encode(out));
    // Attributes take at most some 20 KiB more than in this one.
    assert!(payload.len() < 980 << 10, "{}", payload.len());
}

/// The golden files were made by another program, from the drawing in the design document. They
/// never change: a new layout is a new version.
#[test]
fn version_1_stays_as_it_was_written() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/src/golden");
    for (name, record_type, payload, _) in cases() {
        let path = format!("{directory}/record_{}_v1.bin", name.replace('-', "_"));
        let golden = std::fs::read(&path).expect("the golden file is in the repository");
        assert!(framed(record_type, &payload) == golden, "{name}");
    }
}
