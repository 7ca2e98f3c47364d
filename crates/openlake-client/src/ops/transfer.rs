//! Large objects on several connections at once, out of and into one buffer of the caller's.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use openlake_coding::checksum::full_object;
use openlake_types::limits::{PART_BYTES_MIN, PART_NUMBER_MAX};
use openlake_types::{ByteRange, ChecksumAlgorithm, ChecksumKind};

use crate::client::Client;
use crate::error::{ClientError, ErrorKind};
use crate::ops::multipart::{UploadedPart, checksum};
use crate::ops::object::{ObjectInfo, PutOptions, PutOutcome};

/// How a transfer is cut and how much of it is under way at once.
#[derive(Clone, Copy)]
pub struct Transfer<'a> {
    /// Size of each part or range but the last.
    pub part_bytes: usize,
    /// Parts in flight, each on a thread and a connection of its own.
    pub parallel: usize,
    /// Grows by the size of each part that is done.
    pub progress: Option<&'a AtomicU64>,
}

impl Transfer<'_> {
    fn check(&self, part_bytes_min: usize) -> Result<(), ClientError> {
        if self.parallel == 0 || self.part_bytes < part_bytes_min {
            let message = format!(
                "parallel must be at least 1 and a part at least {part_bytes_min} bytes, not {} and {}",
                self.parallel, self.part_bytes
            );
            return Err(ClientError::new(ErrorKind::InvalidInput, message));
        }
        Ok(())
    }

    fn done(&self, bytes: usize) {
        if let Some(progress) = self.progress {
            progress.fetch_add(bytes as u64, Relaxed);
        }
    }
}

impl Client {
    /// Stores `body` by parallel multipart upload, or in one piece if it fits in one part. On any
    /// error the upload is aborted, so that no parts are left behind.
    pub fn upload(
        &self,
        bucket: &str,
        key: &str,
        body: &[u8],
        transfer: Transfer<'_>,
        options: &PutOptions,
    ) -> Result<PutOutcome, ClientError> {
        transfer.check(PART_BYTES_MIN as usize).map_err(|error| error.at(bucket, key))?;
        if body.len() <= transfer.part_bytes {
            let outcome = self.put_object(bucket, key, body, options)?;
            transfer.done(body.len());
            return Ok(outcome);
        }
        if body.len().div_ceil(transfer.part_bytes) > usize::from(PART_NUMBER_MAX) {
            let message = format!(
                "{} bytes are more than {PART_NUMBER_MAX} parts of {}",
                body.len(),
                transfer.part_bytes
            );
            return Err(ClientError::new(ErrorKind::InvalidInput, message).at(bucket, key));
        }
        let upload_id = self.create_multipart_upload(bucket, key, options)?;
        let outcome =
            self.upload_parts(bucket, key, &upload_id, body, transfer).and_then(|parts| {
                self.complete_multipart_upload(bucket, key, &upload_id, &parts, options)
            });
        if outcome.is_err() {
            // The first error is the one to report, whatever becomes of the clean-up.
            let _ = self.abort_multipart_upload(bucket, key, &upload_id);
        }
        outcome
    }

    fn upload_parts(
        &self,
        bucket: &str,
        key: &str,
        upload_id: &str,
        body: &[u8],
        transfer: Transfer<'_>,
    ) -> Result<Vec<UploadedPart>, ClientError> {
        let work: Vec<(u16, &[u8])> = (1..).zip(body.chunks(transfer.part_bytes)).collect();
        in_parallel(transfer.parallel, work, |(number, part)| {
            let uploaded = self.upload_part(bucket, key, upload_id, number, part)?;
            transfer.done(part.len());
            Ok(uploaded)
        })
    }

    /// Fills `buffer` with the object's bytes from `start` on. When that is the whole object, its
    /// stored CRC is checked against those of the pieces, put together.
    pub fn download_into(
        &self,
        bucket: &str,
        key: &str,
        buffer: &mut [u8],
        start: u64,
        transfer: Transfer<'_>,
    ) -> Result<ObjectInfo, ClientError> {
        transfer.check(1).map_err(|error| error.at(bucket, key))?;
        let info = self.head_object(bucket, key)?;
        let fail = |kind, message: String| Err(ClientError::new(kind, message).at(bucket, key));
        let want_bytes = buffer.len() as u64;
        if start.checked_add(want_bytes).is_none_or(|end| end > info.size_bytes) {
            let size_bytes = info.size_bytes;
            let message = format!(
                "{want_bytes} bytes from {start} on reach beyond the object's {size_bytes} bytes"
            );
            return fail(ErrorKind::InvalidInput, message);
        }
        let starts = (start..).step_by(transfer.part_bytes);
        let work: Vec<_> = starts.zip(buffer.chunks_mut(transfer.part_bytes)).collect();
        let pieces = in_parallel(transfer.parallel, work, |(start, piece)| {
            let bytes = piece.len();
            let range = ByteRange { start, end: start + bytes as u64 };
            let etag = Some(info.etag.as_str());
            let got = self.get_version_into(bucket, key, piece, Some(range), etag)?;
            transfer.done(bytes);
            Ok((checksum(got.crc), bytes as u64))
        })?;
        let stored = info.checksum.filter(|sum| {
            want_bytes == info.size_bytes
                && !pieces.is_empty()
                && sum.algorithm == ChecksumAlgorithm::Crc64Nvme
                && sum.kind == ChecksumKind::FullObject
        });
        if let Some(stored) = stored {
            let sums: Option<Vec<_>> =
                pieces.into_iter().map(|(sum, bytes)| Some((sum?, bytes))).collect();
            if sums.and_then(|sums| full_object(&sums)) != Some(stored) {
                let message = "the bytes received do not have the CRC64NVME that was stored";
                return fail(ErrorKind::Integrity, message.to_owned());
            }
        }
        Ok(info)
    }
}

/// Runs `each` over all `work` on at most `parallel` threads; results in the order of the work, or
/// the first error, after which nothing new is begun.
fn in_parallel<W: Send, R: Send>(
    parallel: usize,
    work: Vec<W>,
    each: impl Fn(W) -> Result<R, ClientError> + Sync,
) -> Result<Vec<R>, ClientError> {
    let threads = parallel.min(work.len());
    let slots: Vec<_> = work.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let worker = || {
        let mut results = Vec::new();
        while !stop.load(Relaxed) {
            let index = next.fetch_add(1, Relaxed);
            let Some(slot) = slots.get(index) else { break };
            let item = slot.lock().expect("taken once, without a panic").take();
            let item = item.expect("each index is handed out once");
            let result = each(item);
            stop.fetch_or(result.is_err(), Relaxed);
            results.push((index, result));
        }
        results
    };
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        handles
            .into_iter()
            .flat_map(|handle| {
                handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
