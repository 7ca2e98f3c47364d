//! The shards agree on the blobs that live, and each puts what it replayed into its index.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use openlake_format::{BlobLocation, BucketRecord, ManifestPart, ObjectBody, ObjectRecord};
use openlake_io::Disk;
use openlake_types::{BlobId, ShardIndex};

use super::open::blob_error;
use super::replay::Replay;
use crate::blob::BlobPool;
use crate::body::{BlobRef, Body, Manifest, StoredPart};
use crate::deployment::Deployment;
use crate::error::OpenError;
use crate::index::{Bucket, Object, Place, Upload, UploadedPart};
use crate::ops::buckets::BucketInfo;
use crate::store::{SYSTEM_SHARD, Shard};

/// What the records of one shard name.
pub type LiveBlobs = Vec<BlobLocation>;
/// One reference for each live blob, whichever shards name it.
pub type FoundBlobs = HashMap<BlobId, BlobRef>;

/// The low byte of a file's number is its directory, and directories belong to shards in turn.
const fn home(blob: BlobId, shards: u16) -> ShardIndex {
    ShardIndex((blob.file & 0xff) as u16 % shards)
}

pub(super) async fn agree<D: Disk>(
    deployment: &Arc<Deployment>,
    shard: ShardIndex,
    blobs: &BlobPool<D>,
    live: LiveBlobs,
) -> Result<FoundBlobs, OpenError> {
    let shards = deployment.config.shards;
    let other_shard = |_| OpenError::OtherShard;
    let all = deployment.live_blobs.exchange(shard, live).await.map_err(other_shard)?;
    let all = || all.iter().flatten();
    let mine = all().filter(|blob| home(blob.id, shards) == shard);
    let mut found = FoundBlobs::new();
    for blob in mine {
        found.entry(blob.id).or_insert_with(|| BlobRef::new(blobs.existing(*blob)));
    }
    let numbers: HashSet<u64> = all().map(|blob| blob.id.file).collect();
    blobs.recover(|number| numbers.contains(&number)).await.map_err(blob_error)?;
    let all = deployment.found_blobs.exchange(shard, found).await.map_err(other_shard)?;
    Ok(all.into_iter().flatten().collect())
}

fn stored_part(part: &ManifestPart, found: &FoundBlobs) -> StoredPart {
    StoredPart {
        number: part.number,
        size: part.size,
        etag: part.etag,
        checksum: part.checksum,
        blob: part.blob.map(|blob| found[&blob.id].clone()),
    }
}

fn body(record: &ObjectRecord, found: &FoundBlobs) -> Body {
    match &record.body {
        ObjectBody::Inline => Body::Inline,
        ObjectBody::Blob(blob) => Body::Blob(found[&blob.id].clone()),
        ObjectBody::Parts { upload, parts } => {
            let parts = parts.iter().map(|part| stored_part(part, found)).collect();
            Body::Parts(Arc::new(Manifest { upload: *upload, parts }))
        }
    }
}

impl Replay {
    /// Puts everything that counts into the index of the shard.
    pub fn fill<D: Disk>(mut self, shard: &Shard<D>, found: &FoundBlobs) {
        for (place, record) in std::mem::take(&mut self.buckets).into_values() {
            if let Some(record) = record {
                self.fill_bucket(shard, place, record, found);
            }
        }
        if shard.index == SYSTEM_SHARD {
            for (name, (place, value)) in self.system {
                if let Some(value) = value {
                    shard.add_live(place.stride());
                    shard.system.records.borrow_mut().insert(name, (place, value));
                }
            }
        }
    }

    fn fill_bucket<D: Disk>(
        &mut self,
        shard: &Shard<D>,
        place: Place,
        record: BucketRecord,
        found: &FoundBlobs,
    ) {
        let id = record.bucket;
        if shard.index == SYSTEM_SHARD {
            shard.add_live(place.stride());
            shard.system.buckets.borrow_mut().insert(id, place);
        }
        let bucket = Rc::new(Bucket::new(id, BucketInfo::from(record)));
        for (key, (place, record)) in self.objects.remove(&id).unwrap_or_default() {
            let Some(record) = record else { continue };
            let body = body(&record, found);
            body.name();
            let (size, modified) = (record.size, record.last_modified);
            let object = Object::new(place, size, modified, &record.attributes, body);
            shard.add_live(place.stride());
            shard.objects.set(shard.objects.get() + 1);
            bucket.objects.borrow_mut().insert(key, Rc::new(object));
        }
        self.fill_uploads(shard, &bucket, found);
        shard.buckets.insert(bucket);
    }

    fn fill_uploads<D: Disk>(&mut self, shard: &Shard<D>, bucket: &Bucket, found: &FoundBlobs) {
        for (place, record) in self.uploads.values() {
            let Some(record) = record else { continue };
            if record.bucket != bucket.id || self.ended.contains(&record.upload) {
                continue;
            }
            let mut parts = std::collections::BTreeMap::new();
            for (number, (place, part)) in self.parts.remove(&record.upload).unwrap_or_default() {
                let Some(part) = part else { continue };
                let stored = stored_part(&part.part, found);
                stored.blob.iter().for_each(BlobRef::name);
                let uploaded = UploadedPart {
                    part: stored,
                    last_modified: part.last_modified,
                    place: Cell::new(place),
                };
                parts.insert(number, Rc::new(uploaded));
            }
            let upload = Upload {
                key: record.key.clone(),
                id: record.upload,
                initiated: record.initiated,
                checksum: record.checksum,
                attributes: record.attributes.clone(),
                place: Cell::new(*place),
                parts: RefCell::new(parts),
            };
            shard.add_live(upload.stride());
            bucket.add_upload(upload);
        }
    }
}
