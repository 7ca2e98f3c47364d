//! A bucket as one shard sees it: the objects and uploads whose keys the shard owns.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use openlake_types::{ObjectKey, UploadId};

use super::entry::Object;
use super::upload::Upload;
use crate::ops::buckets::BucketInfo;
use crate::wait::Event;

pub struct Bucket {
    pub id: u64,
    pub info: BucketInfo,
    pub objects: RefCell<BTreeMap<ObjectKey, Rc<Object>>>,
    pub uploads: RefCell<BTreeMap<(ObjectKey, UploadId), Rc<Upload>>>,
    upload_keys: RefCell<HashMap<UploadId, ObjectKey>>,
    /// A deletion looks whether the bucket is empty: writers wait for its outcome.
    pub closing: Cell<bool>,
    pub deleted: Cell<bool>,
    pub writers: Cell<u32>,
    /// One of the three changed.
    pub changed: Event,
}

impl Bucket {
    pub fn new(id: u64, info: BucketInfo) -> Self {
        Self {
            id,
            info,
            objects: RefCell::default(),
            uploads: RefCell::default(),
            upload_keys: RefCell::default(),
            closing: Cell::new(false),
            deleted: Cell::new(false),
            writers: Cell::new(0),
            changed: Event::default(),
        }
    }

    pub fn object(&self, key: &ObjectKey) -> Option<Rc<Object>> {
        self.objects.borrow().get(key).cloned()
    }

    pub fn add_upload(&self, upload: Upload) {
        self.upload_keys.borrow_mut().insert(upload.id, upload.key.clone());
        let name = (upload.key.clone(), upload.id);
        self.uploads.borrow_mut().insert(name, Rc::new(upload));
    }

    pub fn remove_upload(&self, upload: &Upload) {
        self.upload_keys.borrow_mut().remove(&upload.id);
        self.uploads.borrow_mut().remove(&(upload.key.clone(), upload.id));
    }

    pub fn upload_by_id(&self, id: UploadId) -> Option<Rc<Upload>> {
        let key = self.upload_keys.borrow().get(&id).cloned();
        key.and_then(|key| self.upload(&key, id))
    }

    pub fn upload(&self, key: &ObjectKey, id: UploadId) -> Option<Rc<Upload>> {
        self.uploads.borrow().get(&(key.clone(), id)).cloned()
    }
}
