//! UploadPart: a body under a number, kept with its upload until that ends.

use openlake_store::{ListParts, UploadPart};

use super::get_object::parse_part_number;
use super::header_rules::{
    BODY, CONDITIONS, is_body_checksum, refuse_conditions, refuse_partial_put, refuse_unknown,
};
use super::object_headers::push_checksum;
use super::upload::{Upload, receive};
use super::{HotRequest, s3_error};
use crate::body::{BodyPlan, PART_ETAG_HEADER};
use crate::control::ControlPlane;
use crate::error::{S3Error, S3ErrorCode};
use crate::http::answer::Answer;
use crate::http::request_body::RequestBody;
use crate::service::{HotAnswer, Service};

pub(super) async fn upload_part<C: ControlPlane>(
    service: &Service<C>,
    request: HotRequest<'_>,
    body: &mut RequestBody<'_>,
) -> Result<HotAnswer, S3Error> {
    let headers = request.headers();
    refuse_unknown(headers, &[BODY, &[PART_ETAG_HEADER]], |name, _| is_body_checksum(name))?;
    refuse_conditions(headers, &CONDITIONS)?;
    refuse_partial_put(headers)?;
    let number = parse_part_number(request.query.get("partNumber").unwrap_or_default())?;
    let mut plan = BodyPlan::for_part(headers, request.auth.payload)?;
    let (bucket, key) = (request.bucket().clone(), request.key().clone());
    if !service.store().has_bucket(&bucket) {
        return Err(S3ErrorCode::NoSuchBucket.into());
    }
    let upload_id = request.query.get("uploadId").unwrap_or_default();
    let upload = upload_id.parse().map_err(|_| S3Error::new(S3ErrorCode::NoSuchUpload))?;
    let begun =
        ListParts { bucket: bucket.clone(), key: key.clone(), upload, after: None, max_parts: 0 };
    let begun = service.store().list_parts(begun).await.map_err(s3_error)?;
    if let Some((algorithm, _)) = begun.checksum {
        plan.checksum = plan.checksum.require(algorithm)?;
    }
    let signer = request.auth.chunk_signer;
    let receiving = Upload { bucket: &bucket, key: &key, plan, signer };
    let (verified, staged) = receive(service, receiving, body).await?;
    let (etag, checksum) = (verified.etag, Some(verified.checksum));
    let part = UploadPart { bucket, key, upload, number, body: staged, etag, checksum };
    service.store().upload_part(part).await.map_err(s3_error)?;
    let mut answer = Answer::new(200);
    answer.etag(etag);
    push_checksum(&mut answer, &verified.checksum, 0);
    Ok(answer)
}
