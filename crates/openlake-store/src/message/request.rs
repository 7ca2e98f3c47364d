//! What one shard asks another. Everything in here crosses threads.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use openlake_format::{BucketRecord, ObjectAttributes};
use openlake_io::Buffer;
use openlake_io::oneshot::Reply;
use openlake_types::{BlobId, BucketName, ObjectKey, UploadId};

use crate::body::{BlobRef, Manifest, StoredPart};
use crate::error::StoreError;
use crate::object::{ObjectInfo, PartInfo, WriteCondition};
use crate::ops::buckets::{BucketInfo, CreateBucket};
use crate::ops::delete_object::{DeleteObject, DeleteOutcome};
use crate::ops::get_object::GetObject;
use crate::ops::list_objects::{ListSlice, ObjectSlice};
use crate::ops::multipart::{
    AbortMultipartUpload, CompleteMultipartUpload, CreateMultipartUpload, ListParts, PartsPage,
    UploadListSlice, UploadSlice,
};
use crate::stats::StoreStats;

/// Blocks of a blob with their numbers, `LARGE_BYTES` each but the last.
pub(crate) type Blocks = Vec<(u32, Buffer)>;

pub(crate) type Answered<T> = Reply<Result<T, StoreError>>;

/// A body that is durable or goes into the record, on its way to the owner of its key.
pub(crate) enum Content {
    Inline(Buffer),
    Blob(BlobRef),
    Parts(Arc<Manifest>),
}

/// Makes a body the object of a key.
pub(crate) struct ObjectCommit {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub size: u64,
    pub content: Content,
    /// Blocks of the blob that are in memory, for the cache.
    pub blocks: Blocks,
    pub attributes: ObjectAttributes,
    pub condition: WriteCondition,
}

/// Makes a blob a part of an upload.
pub(crate) struct PartCommit {
    pub bucket: BucketName,
    pub key: ObjectKey,
    pub upload: UploadId,
    pub part: StoredPart,
    pub blocks: Blocks,
}

/// An object and where its bytes are.
pub(crate) struct Found {
    pub info: ObjectInfo,
    pub content: Content,
}

pub(crate) enum Request {
    CommitObject(Box<ObjectCommit>, Answered<ObjectInfo>),
    DeleteObject(DeleteObject, Answered<DeleteOutcome>),
    FindObject(GetObject, Answered<Box<Found>>),
    HeadObject(GetObject, Answered<Box<ObjectInfo>>),
    CreateUpload(Box<CreateMultipartUpload>, Answered<UploadId>),
    CommitPart(Box<PartCommit>, Answered<PartInfo>),
    AbortUpload(AbortMultipartUpload, Answered<()>),
    CompleteUpload(Box<CompleteMultipartUpload>, Answered<Box<ObjectInfo>>),
    ListParts(ListParts, Answered<Box<PartsPage>>),
    ListObjects(ListSlice, Answered<ObjectSlice>),
    ListUploads(UploadListSlice, Answered<UploadSlice>),
    CreateBucket(CreateBucket, Answered<BucketInfo>),
    DeleteBucket(BucketName, Answered<()>),
    /// From shard 0: the bucket exists from now on.
    PublishBucket(BucketRecord, Answered<()>),
    /// From shard 0: stop writers; is the bucket empty?
    CloseBucket(u64, Answered<bool>),
    /// From shard 0: the bucket goes, or stays after all.
    DecideBucket(u64, bool, Answered<()>),
    PutSystemRecord(String, String, Bytes, Answered<()>),
    DeleteSystemRecord(String, String, Answered<bool>),
    ListSystemRecords(String, Answered<Vec<(String, Bytes)>>),
    /// These blocks, as far as they are held.
    CachedBlocks(BlobId, Range<u32>, Answered<Vec<Option<Buffer>>>),
    /// Blocks that were read from the drive.
    KeepBlocks(BlobId, Blocks),
    Stats(Answered<Box<StoreStats>>),
}
