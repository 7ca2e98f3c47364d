//! Where an object's bytes are, and who names the blobs that hold them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use openlake_format::{BlobLocation, ManifestPart, ObjectBody};
use openlake_types::{Checksum, ETag, PartNumber, UploadId};

use crate::blob::Blob;

/// A blob, shared by the records that name it and by the readers in flight. Its space returns when
/// nobody holds it and no record names it.
#[derive(Clone)]
pub struct BlobRef(Arc<Named>);

struct Named {
    blob: Option<Blob>,
    names: AtomicU32,
}

impl BlobRef {
    /// A blob that no record names yet.
    pub fn new(blob: Blob) -> Self {
        Self(Arc::new(Named { blob: Some(blob), names: AtomicU32::new(0) }))
    }

    pub fn blob(&self) -> &Blob {
        self.0.blob.as_ref().expect("taken only when the last reference goes")
    }

    pub fn location(&self) -> BlobLocation {
        self.blob().location()
    }

    /// To be called before the record goes to the journal: should its fate stay unknown, the file
    /// stays as well.
    pub fn name(&self) {
        self.0.names.fetch_add(1, Ordering::AcqRel);
        self.blob().set_live();
    }

    pub fn is_named(&self) -> bool {
        self.0.names.load(Ordering::Acquire) > 0
    }

    /// The record that named it does not count any more.
    pub fn unname(&self) {
        let names = self.0.names.fetch_sub(1, Ordering::AcqRel);
        assert!(names > 0, "each record names a blob once");
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        if *self.names.get_mut() == 0
            && let Some(blob) = self.blob.take()
        {
            blob.release();
        }
    }
}

/// A part as an object or an upload keeps it.
#[derive(Clone)]
pub struct StoredPart {
    pub number: PartNumber,
    pub size: u64,
    pub etag: ETag,
    pub checksum: Option<Checksum>,
    /// None only for a part of no bytes.
    pub blob: Option<BlobRef>,
}

impl StoredPart {
    pub fn to_record(&self) -> ManifestPart {
        ManifestPart {
            number: self.number,
            size: self.size,
            etag: self.etag,
            checksum: self.checksum,
            blob: self.blob.as_ref().map(BlobRef::location),
        }
    }
}

/// The parts of a completed upload.
pub struct Manifest {
    pub upload: UploadId,
    pub parts: Vec<StoredPart>,
}

#[derive(Clone)]
pub enum Body {
    /// In the object's own record.
    Inline,
    Blob(BlobRef),
    Parts(Arc<Manifest>),
}

impl Body {
    pub fn blobs(&self) -> impl Iterator<Item = &BlobRef> {
        let (one, parts) = match self {
            Self::Inline => (None, &[][..]),
            Self::Blob(blob) => (Some(blob), &[][..]),
            Self::Parts(manifest) => (None, &manifest.parts[..]),
        };
        one.into_iter().chain(parts.iter().filter_map(|part| part.blob.as_ref()))
    }

    pub fn name(&self) {
        self.blobs().for_each(BlobRef::name);
    }

    pub fn parts_count(&self) -> u16 {
        match self {
            Self::Inline | Self::Blob(_) => 0,
            Self::Parts(manifest) => manifest.parts.len() as u16,
        }
    }

    pub fn to_record(&self) -> ObjectBody {
        match self {
            Self::Inline => ObjectBody::Inline,
            Self::Blob(blob) => ObjectBody::Blob(blob.location()),
            Self::Parts(manifest) => ObjectBody::Parts {
                upload: manifest.upload,
                parts: manifest.parts.iter().map(StoredPart::to_record).collect(),
            },
        }
    }
}
