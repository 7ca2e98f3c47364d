//! Requests of other shards: what can be answered at once is, the rest runs as a task.

use std::future::Future;

use openlake_io::Disk;

use crate::error::StoreError;
use crate::message::{Answered, Request};
use crate::store::Store;

fn run<T: 'static>(
    reply: Answered<T>,
    work: impl Future<Output = Result<T, StoreError>> + 'static,
) {
    openlake_io::runtime::spawn(async move { reply.send(work.await) }).detach();
}

impl<D: Disk> Store<D> {
    pub(crate) fn dispatch(&self, request: Request) {
        let shard = self.0.clone();
        match request {
            Request::CommitObject(commit, reply) => run(reply, shard.commit_object(*commit)),
            Request::DeleteObject(request, reply) => run(reply, shard.delete_object(request)),
            Request::FindObject(request, reply) => match shard.find_in_memory(&request) {
                Some(found) => reply.send(found.map(Box::new)),
                None => run(reply, async move { shard.find_object(&request).await.map(Box::new) }),
            },
            Request::HeadObject(request, reply) => {
                reply.send(shard.head_object(&request).map(Box::new));
            }
            Request::CreateUpload(request, reply) => run(reply, shard.create_upload(*request)),
            Request::CommitPart(commit, reply) => run(reply, shard.commit_part(*commit)),
            Request::AbortUpload(request, reply) => run(reply, shard.abort_upload(request)),
            Request::CompleteUpload(request, reply) => {
                run(reply, async move { shard.complete_upload(*request).await.map(Box::new) });
            }
            Request::ListParts(request, reply) => {
                reply.send(shard.list_parts(&request).map(Box::new));
            }
            Request::ListObjects(slice, reply) => reply.send(shard.list_slice(&slice)),
            Request::ListUploads(slice, reply) => reply.send(shard.upload_slice(&slice)),
            Request::CreateBucket(request, reply) => run(reply, shard.create_bucket(request)),
            Request::DeleteBucket(name, reply) => run(reply, shard.delete_bucket(name)),
            Request::PublishBucket(record, reply) => {
                shard.publish_bucket(record);
                reply.send(Ok(()));
            }
            Request::CloseBucket(id, reply) => run(reply, shard.close_bucket(id)),
            Request::DecideBucket(id, deleted, reply) => {
                shard.decide_bucket(id, deleted);
                reply.send(Ok(()));
            }
            Request::PutSystemRecord(kind, name, value, reply) => {
                run(reply, shard.put_system_record(kind, name, value));
            }
            Request::DeleteSystemRecord(kind, name, reply) => {
                run(reply, shard.delete_system_record(kind, name));
            }
            Request::ListSystemRecords(kind, reply) => {
                reply.send(Ok(shard.system_records(&kind)));
            }
            Request::CachedBlocks(blob, blocks, reply) => {
                reply.send(Ok(shard.cache.window(blob, blocks)));
            }
            Request::KeepBlocks(blob, blocks) => shard.keep_blocks(blob, blocks),
            Request::Stats(reply) => reply.send(Ok(Box::new(shard.stats()))),
        }
    }
}
