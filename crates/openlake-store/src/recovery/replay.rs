//! What the records say, the newest of each thing counting. Records of one key may come from
//! several streams in any order: sequences decide, never the order of reading.

use std::collections::{BTreeMap, HashMap, HashSet};

use bytes::Bytes;
use openlake_format::{
    BlobLocation, BucketDeletion, BucketRecord, DecodeError, ObjectBody, ObjectDeletion,
    ObjectRecord, PartRecord, RecordType, SystemDeletion, SystemRecord, UploadEnd, UploadRecord,
};
use openlake_types::{ObjectKey, PartNumber, Sequence, ShardIndex, UploadId};

use crate::index::Place;
use crate::journal::RecordView;

/// A thing and the record that says so; none when the record says that it is gone.
pub(super) type Newest<T> = (Place, Option<T>);

pub struct Replay {
    shard: ShardIndex,
    shards: u16,
    pub max_sequence: Sequence,
    /// Every shard needs all buckets.
    pub(super) buckets: HashMap<u64, Newest<BucketRecord>>,
    pub(super) objects: HashMap<u64, BTreeMap<ObjectKey, Newest<ObjectRecord>>>,
    pub(super) uploads: HashMap<UploadId, Newest<UploadRecord>>,
    pub(super) parts: HashMap<UploadId, BTreeMap<PartNumber, Newest<PartRecord>>>,
    pub(super) ended: HashSet<UploadId>,
    pub(super) system: BTreeMap<(String, String), Newest<Bytes>>,
}

fn supersedes<T>(known: Option<&Newest<T>>, place: Place) -> bool {
    known.is_none_or(|(newest, _)| newest.sequence < place.sequence)
}

impl Replay {
    pub fn new(shard: ShardIndex, shards: u16) -> Self {
        Self {
            shard,
            shards,
            max_sequence: Sequence(0),
            buckets: HashMap::new(),
            objects: HashMap::new(),
            uploads: HashMap::new(),
            parts: HashMap::new(),
            ended: HashSet::new(),
            system: BTreeMap::new(),
        }
    }

    pub fn apply(&mut self, record: &RecordView) -> Result<(), DecodeError> {
        let place = Place { sequence: record.header.sequence, location: record.location };
        self.max_sequence = self.max_sequence.max(place.sequence);
        let payload = &record.payload[..];
        let mine = record.header.group.shard(self.shards) == self.shard;
        match record.header.record_type {
            RecordType::Bucket => {
                let bucket = BucketRecord::decode(payload)?;
                self.bucket(bucket.bucket, place, Some(bucket));
            }
            RecordType::BucketDeletion => {
                self.bucket(BucketDeletion::decode(payload)?.bucket, place, None);
            }
            RecordType::Seal => {}
            _ if !mine => {}
            RecordType::Object => self.object(ObjectRecord::decode(payload)?.0, place),
            RecordType::ObjectDeletion => {
                let deletion = ObjectDeletion::decode(payload)?;
                self.set_object(deletion.bucket, deletion.key, (place, None));
            }
            RecordType::Upload => {
                let upload = UploadRecord::decode(payload)?;
                if supersedes(self.uploads.get(&upload.upload), place) {
                    self.uploads.insert(upload.upload, (place, Some(upload)));
                }
            }
            RecordType::Part => {
                let part = PartRecord::decode(payload)?;
                let parts = self.parts.entry(part.upload).or_default();
                if supersedes(parts.get(&part.part.number), place) {
                    parts.insert(part.part.number, (place, Some(part)));
                }
            }
            RecordType::UploadEnd => {
                self.ended.insert(UploadEnd::decode(payload)?.upload);
            }
            RecordType::System => {
                let SystemRecord { kind, name, value } = SystemRecord::decode(payload)?;
                self.system((kind, name), (place, Some(value)));
            }
            RecordType::SystemDeletion => {
                let SystemDeletion { kind, name } = SystemDeletion::decode(payload)?;
                self.system((kind, name), (place, None));
            }
        }
        Ok(())
    }

    fn bucket(&mut self, id: u64, place: Place, bucket: Option<BucketRecord>) {
        if supersedes(self.buckets.get(&id), place) {
            self.buckets.insert(id, (place, bucket));
        }
    }

    fn object(&mut self, object: ObjectRecord, place: Place) {
        if let ObjectBody::Parts { upload, .. } = &object.body {
            self.ended.insert(*upload);
        }
        self.set_object(object.bucket, object.key.clone(), (place, Some(object)));
    }

    fn set_object(&mut self, bucket: u64, key: ObjectKey, newest: Newest<ObjectRecord>) {
        let objects = self.objects.entry(bucket).or_default();
        if supersedes(objects.get(&key), newest.0) {
            objects.insert(key, newest);
        }
    }

    fn system(&mut self, name: (String, String), newest: Newest<Bytes>) {
        if supersedes(self.system.get(&name), newest.0) {
            self.system.insert(name, newest);
        }
    }

    pub(super) fn is_live_bucket(&self, id: u64) -> bool {
        self.buckets.get(&id).is_some_and(|(_, bucket)| bucket.is_some())
    }

    pub(super) fn is_open(&self, id: UploadId) -> bool {
        let upload = self.uploads.get(&id).and_then(|(_, upload)| upload.as_ref());
        upload.is_some_and(|upload| self.is_live_bucket(upload.bucket) && !self.ended.contains(&id))
    }

    /// The blobs that this shard's records name.
    pub fn live_blobs(&self) -> Vec<BlobLocation> {
        let mut blobs = Vec::new();
        for (_, objects) in self.objects.iter().filter(|(id, _)| self.is_live_bucket(**id)) {
            for object in objects.values().filter_map(|(_, object)| object.as_ref()) {
                match &object.body {
                    ObjectBody::Inline => {}
                    ObjectBody::Blob(blob) => blobs.push(*blob),
                    ObjectBody::Parts { parts, .. } => {
                        blobs.extend(parts.iter().filter_map(|part| part.blob));
                    }
                }
            }
        }
        for (_, parts) in self.parts.iter().filter(|(id, _)| self.is_open(**id)) {
            let parts = parts.values().filter_map(|(_, part)| part.as_ref());
            blobs.extend(parts.filter_map(|part| part.part.blob));
        }
        blobs
    }
}
