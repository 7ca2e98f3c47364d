//! Receives a body into the store's buffers: the next buffer comes in while the one before is
//! hashed and written. Nothing of it is visible until the caller commits what was staged.

use futures_util::future::join;
use openlake_coding::PageSums;
use openlake_io::{BufferMut, LARGE_BYTES};
use openlake_store::{StageRequest, StagedBody, Staging};
use openlake_types::{BucketName, Checksum, ObjectKey};

use super::s3_error;
use crate::auth::ChunkSigner;
use crate::body::{BodyPlan, BodyVerifier, ChunkDecoder, VerifiedBody};
use crate::control::ControlPlane;
use crate::error::{S3Error, S3ErrorCode};
use crate::hashing::Md5Stream;
use crate::http::request_body::RequestBody;
use crate::service::{Disk, Service};

pub(super) struct Upload<'a> {
    pub bucket: &'a BucketName,
    pub key: &'a ObjectKey,
    pub plan: BodyPlan,
    pub signer: Option<ChunkSigner>,
}

/// What is received by one call: the checksums then find it in the processor's cache.
const RECEIVE_BYTES: usize = 128 << 10;

/// The body as the wire carries it: bare, or in aws-chunked framing.
struct Source<'a, 'connection> {
    body: &'a mut RequestBody<'connection>,
    decoder: Option<ChunkDecoder>,
    verifier: BodyVerifier,
    sums_pages: bool,
    /// Bytes of the object that are still to come.
    remaining: u64,
}

pub(super) async fn receive<C: ControlPlane>(
    service: &Service<C>,
    upload: Upload<'_>,
    body: &mut RequestBody<'_>,
) -> Result<(VerifiedBody, StagedBody), S3Error> {
    let Upload { bucket, key, plan, signer } = upload;
    let stage =
        StageRequest { bucket: bucket.clone(), key: key.clone(), size_hint: Some(plan.size) };
    let mut staging = service.store().stage(&stage);
    body.begin().await?;
    let decoder = plan.payload.is_chunked().then(|| ChunkDecoder::new(&plan, signer));
    let verifier = BodyVerifier::new(plan);
    let sums_pages = staging.sums_pages();
    let mut source = Source { body, decoder, verifier, sums_pages, remaining: plan.size };
    let md5 = plan.needs_md5().then(|| service.hasher().stream());
    copy(service, &mut source, &mut staging, md5.as_ref()).await?;
    let md5 = match md5 {
        Some(md5) => Some(md5.finish().await),
        None => None,
    };
    let trailer = source.trailer().await?;
    let verified = source.verifier.finish(md5, trailer)?;
    service.counters.received_bytes.add(verified.size);
    let staged = staging.finish().await.map_err(s3_error)?;
    Ok((verified, staged))
}

async fn copy<C: ControlPlane>(
    service: &Service<C>,
    source: &mut Source<'_, '_>,
    staging: &mut Staging<Disk>,
    md5: Option<&Md5Stream>,
) -> Result<(), S3Error> {
    let mut filled = None;
    if source.remaining > 0 {
        filled = Some(source.fill(next_buffer(service, staging).await?).await?);
    }
    while let Some((buffer, sums)) = filled.take() {
        let buffer = buffer.freeze();
        // Only a buffer that is free at once is filled meanwhile: waiting for one while holding
        // another would let many uploads wait for each other.
        let next = if source.remaining > 0 { service.buffers().try_large() } else { None };
        let work = async {
            let written = match md5 {
                Some(md5) => {
                    let written = staging.write_summed(buffer.clone(), sums);
                    join(written, md5.update(buffer)).await.0
                }
                None => staging.write_summed(buffer, sums).await,
            };
            written.map_err(s3_error)
        };
        let (received, worked) = join(source.fill_if(next), work).await;
        worked?;
        filled = received?;
        if filled.is_none() && source.remaining > 0 {
            if let Some(md5) = md5 {
                md5.flush().await;
            }
            filled = Some(source.fill(next_buffer(service, staging).await?).await?);
        }
    }
    Ok(())
}

async fn next_buffer<C: ControlPlane>(
    service: &Service<C>,
    staging: &mut Staging<Disk>,
) -> Result<BufferMut, S3Error> {
    staging.buffer(service.timeouts().buffer).await.map_err(s3_error)
}

impl Source<'_, '_> {
    async fn fill_if(
        &mut self,
        buffer: Option<BufferMut>,
    ) -> Result<Option<(BufferMut, PageSums)>, S3Error> {
        match buffer {
            Some(buffer) => self.fill(buffer).await.map(Some),
            None => Ok(None),
        }
    }

    /// Fills the buffer, or what of it is left of the body; the verifier sees what came.
    async fn fill(&mut self, mut buffer: BufferMut) -> Result<(BufferMut, PageSums), S3Error> {
        let mut sums = PageSums::default();
        let room = buffer.capacity().min(LARGE_BYTES);
        let count = usize::try_from(self.remaining).map_or(room, |remaining| remaining.min(room));
        self.remaining -= count as u64;
        while buffer.len() < count {
            let at = buffer.len();
            buffer = if self.decoder.is_some() {
                self.decode_some(buffer, count).await?
            } else {
                let piece = (count - at).min(RECEIVE_BYTES);
                self.body.receive_exact(buffer, piece).await?
            };
            self.verifier.update(&buffer.filled()[at..]);
            if self.sums_pages {
                sums.cover(buffer.filled());
            }
        }
        Ok((buffer, sums))
    }

    /// Payload goes straight to the buffer; only the lines of the framing, and payload that came
    /// along with one, pass through the connection's own buffer.
    async fn decode_some(
        &mut self,
        mut buffer: BufferMut,
        count: usize,
    ) -> Result<BufferMut, S3Error> {
        let decoder = self.decoder.as_mut().expect("only called with a decoder");
        let at = buffer.len();
        let direct = decoder.payload_remaining().min((count - at) as u64) as usize;
        if direct > 0 {
            let piece = direct.min(RECEIVE_BYTES);
            buffer = self.body.receive_exact(buffer, piece).await?;
            decoder.payload_received(&buffer.filled()[at..])?;
            return Ok(buffer);
        }
        let framing = self.body.some().await?;
        if framing.is_empty() {
            return Err(S3ErrorCode::IncompleteBody.into());
        }
        let decoded = decoder.decode(framing, &mut buffer.as_mut_slice()[at..count])?;
        buffer.set_filled(at + decoded.produced);
        self.body.use_up(decoded.consumed);
        Ok(buffer)
    }

    /// Reads the framing after the payload, to the end of the body.
    async fn trailer(&mut self) -> Result<Option<Checksum>, S3Error> {
        let Some(mut decoder) = self.decoder.take() else { return Ok(None) };
        loop {
            let framing = self.body.some().await?;
            if framing.is_empty() {
                return decoder.finish();
            }
            let decoded = decoder.decode(framing, &mut [])?;
            if decoded.consumed == 0 {
                return Err(S3ErrorCode::IncompleteBody.into());
            }
            self.body.use_up(decoded.consumed);
        }
    }
}
