//! CompleteMultipartUpload: one manifest record makes the object and ends the upload. The same
//! request again gets the same answer as long as the object it made is the current one.

use std::rc::Rc;
use std::sync::Arc;

use openlake_coding::Md5State;
use openlake_coding::checksum::{composite, full_object};
use openlake_io::Disk;
use openlake_types::{BucketName, Checksum, ChecksumKind, ETag, ObjectKey, PartNumber, UploadId};

use crate::body::{Body, Manifest, StoredPart};
use crate::error::StoreError;
use crate::index::{Bucket, Upload};
use crate::message::Request;
use crate::object::{ObjectInfo, WriteCondition};
use crate::ops::put_object::NewObject;
use crate::store::{Shard, Store};
use crate::wait::Task;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedPart {
    pub number: PartNumber,
    pub etag: ETag,
    pub checksum: Option<Checksum>,
}

#[derive(Clone, Debug)]
pub struct CompleteMultipartUpload {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub upload: UploadId,
    /// In ascending order; parts that were uploaded and are not named are dropped.
    pub parts: Vec<CompletedPart>,
    pub condition: WriteCondition,
    /// Of the whole object, when the client sent one.
    pub checksum: Option<Checksum>,
    /// `x-amz-checksum-type`: the kind that the client thinks the upload was begun with.
    pub checksum_kind: Option<ChecksumKind>,
    /// `x-amz-mp-object-size`.
    pub size: Option<u64>,
}

impl<D: Disk> Store<D> {
    pub async fn complete_multipart_upload(
        &self,
        request: CompleteMultipartUpload,
    ) -> Result<ObjectInfo, StoreError> {
        let owner = self.owner(&request.bucket, &request.key);
        if self.is_here(owner) {
            return Task::start(self.0.clone().complete_upload(request)).await;
        }
        let ask = |reply| Request::CompleteUpload(Box::new(request), reply);
        self.ask(owner, ask).await.map(|info| *info)
    }
}

impl<D: Disk> Shard<D> {
    pub async fn complete_upload(
        self: Rc<Self>,
        request: CompleteMultipartUpload,
    ) -> Result<ObjectInfo, StoreError> {
        let bucket = self.buckets.write_to(&request.bucket).await?;
        let _turn = self.locks.lock(bucket.id, &request.key).await;
        let Some(upload) = bucket.upload(&request.key, request.upload) else {
            return completed_before(&bucket, &request);
        };
        let parts = choose_parts(&upload, &request.parts)?;
        check_sizes(&parts, self.deployment.config.part_bytes_min)?;
        let size = parts.iter().map(|part| part.size).sum();
        if let Some(expected) = request.size.filter(|expected| *expected != size) {
            return Err(StoreError::SizeMismatch { expected, found: size });
        }
        let mut attributes = upload.attributes.clone();
        attributes.etag = etag_of(&parts);
        attributes.checksum = checksum_of(&upload, &parts);
        check_checksum(&request, attributes.checksum)?;
        request.condition.check(bucket.object(&request.key).map(|object| object.etag))?;
        let object = NewObject {
            key: request.key,
            size,
            attributes,
            body: Body::Parts(Arc::new(Manifest { upload: upload.id, parts })),
            inline: None,
        };
        let object = self.write_object(&bucket, object).await?;
        bucket.remove_upload(&upload);
        self.discard_upload(&upload);
        Ok(object.info())
    }
}

/// Its answer may have been lost. The condition held then, and is not asked again: the object that
/// it was about is this one now.
fn completed_before(
    bucket: &Bucket,
    request: &CompleteMultipartUpload,
) -> Result<ObjectInfo, StoreError> {
    let object = bucket.object(&request.key).ok_or(StoreError::NoSuchUpload)?;
    let Body::Parts(manifest) = &object.body else { return Err(StoreError::NoSuchUpload) };
    let (stored, named) = (&manifest.parts, &request.parts);
    let is_same = manifest.upload == request.upload
        && stored.len() == named.len()
        && stored.iter().zip(named).all(|(stored, named)| is_named(stored, named))
        && request.size.is_none_or(|size| size == object.size)
        && check_checksum(request, object.info().checksum()).is_ok();
    if is_same { Ok(object.info()) } else { Err(StoreError::NoSuchUpload) }
}

fn is_named(stored: &StoredPart, named: &CompletedPart) -> bool {
    let value = |checksum: Checksum| (checksum.algorithm, checksum.value().to_vec());
    let same_checksum = match (named.checksum, stored.checksum) {
        (None, _) => true,
        (Some(named), Some(stored)) => value(named) == value(stored),
        (Some(_), None) => false,
    };
    stored.number == named.number && stored.etag == named.etag && same_checksum
}

fn choose_parts(upload: &Upload, wanted: &[CompletedPart]) -> Result<Vec<StoredPart>, StoreError> {
    if wanted.is_empty() {
        return Err(StoreError::NoParts);
    }
    if !wanted.is_sorted_by(|a, b| a.number < b.number) {
        return Err(StoreError::InvalidPartOrder);
    }
    let mut parts = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        let number = wanted.number;
        let found = upload.part(number).filter(|found| is_named(&found.part, wanted));
        let found = found.ok_or(StoreError::InvalidPart { number })?;
        parts.push(found.part.clone());
    }
    Ok(parts)
}

fn check_sizes(parts: &[StoredPart], part_bytes_min: u64) -> Result<(), StoreError> {
    let all_but_last = &parts[..parts.len() - 1];
    match all_but_last.iter().find(|part| part.size < part_bytes_min) {
        Some(part) => Err(StoreError::PartTooSmall { number: part.number, size_bytes: part.size }),
        None => Ok(()),
    }
}

/// MD5 of the parts' MD5s, and their number.
fn etag_of(parts: &[StoredPart]) -> ETag {
    let mut md5 = Md5State::new();
    for part in parts {
        md5.update(&part.etag.md5);
    }
    ETag { md5: md5.finish(), parts: parts.len() as u16 }
}

/// Of the kind that the upload was begun with; none when a part came without.
fn checksum_of(upload: &Upload, parts: &[StoredPart]) -> Option<Checksum> {
    let of_parts: Option<Vec<_>> =
        parts.iter().map(|part| part.checksum.map(|checksum| (checksum, part.size))).collect();
    let of_parts = of_parts?;
    let algorithm = of_parts.first()?.0.algorithm;
    let kind = match upload.checksum {
        Some((begun_with, _)) if begun_with != algorithm => return None,
        Some((_, kind)) => kind,
        None => algorithm.default_multipart_kind(),
    };
    match kind {
        ChecksumKind::FullObject => full_object(&of_parts),
        ChecksumKind::Composite => {
            let values: Vec<_> = of_parts.into_iter().map(|(checksum, _)| checksum).collect();
            composite(&values)
        }
    }
}

fn check_checksum(
    request: &CompleteMultipartUpload,
    found: Option<Checksum>,
) -> Result<(), StoreError> {
    if let (Some(named), Some(found)) = (request.checksum_kind, found)
        && named != found.kind
    {
        return Err(StoreError::ChecksumKindMismatch { begun_with: found.kind });
    }
    let Some(sent) = request.checksum else { return Ok(()) };
    match found {
        Some(found) if found.algorithm != sent.algorithm => {
            Err(StoreError::ChecksumAlgorithmMismatch)
        }
        Some(found) if found.value() == sent.value() => Ok(()),
        _ => Err(StoreError::ChecksumMismatch),
    }
}
