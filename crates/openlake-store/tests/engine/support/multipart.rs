//! Multipart uploads as a client does them.

use openlake_io::Disk;
use openlake_store::{
    CompleteMultipartUpload, CompletedPart, CreateMultipartUpload, ObjectAttributes, ObjectInfo,
    PartInfo, Store, StoreError, UploadPart, WriteCondition,
};
use openlake_types::{PartNumber, UploadId};

use super::{bucket, etag, key, stage};

pub async fn create<D: Disk>(store: &Store<D>, name: &str) -> Result<UploadId, StoreError> {
    let request = CreateMultipartUpload {
        bucket: bucket(),
        key: key(name),
        attributes: ObjectAttributes::new(etag(b"")),
        checksum: None,
    };
    store.create_multipart_upload(request).await
}

pub async fn upload<D: Disk>(
    store: &Store<D>,
    name: &str,
    upload: UploadId,
    number: u16,
    bytes: &[u8],
) -> Result<PartInfo, StoreError> {
    let request = UploadPart {
        bucket: bucket(),
        key: key(name),
        upload,
        number: PartNumber::new(number).unwrap(),
        body: stage(store, &key(name), bytes).await?,
        etag: etag(bytes),
        checksum: None,
    };
    store.upload_part(request).await
}

pub fn completion(name: &str, upload: UploadId, parts: &[PartInfo]) -> CompleteMultipartUpload {
    let completed =
        |part: &PartInfo| CompletedPart { number: part.number, etag: part.etag, checksum: None };
    CompleteMultipartUpload {
        bucket: bucket(),
        key: key(name),
        upload,
        parts: parts.iter().map(completed).collect(),
        condition: WriteCondition::None,
        checksum: None,
        checksum_kind: None,
        size: None,
    }
}

pub async fn complete<D: Disk>(
    store: &Store<D>,
    name: &str,
    upload: UploadId,
    parts: &[PartInfo],
) -> Result<ObjectInfo, StoreError> {
    store.complete_multipart_upload(completion(name, upload, parts)).await
}
