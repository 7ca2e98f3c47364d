//! PutObject: everything that the head decides is decided before the body is let in.

use openlake_store::PutObject;

use super::object_attributes::{attributes, refuse_unknown_of_put};
use super::object_headers::push_checksum;
use super::upload::{Upload, receive};
use super::{HotRequest, s3_error};
use crate::body::BodyPlan;
use crate::conditions::write_condition;
use crate::control::ControlPlane;
use crate::error::{S3Error, S3ErrorCode};
use crate::http::answer::Answer;
use crate::http::request_body::RequestBody;
use crate::service::{HotAnswer, Service};

pub(super) async fn put_object<C: ControlPlane>(
    service: &Service<C>,
    request: HotRequest<'_>,
    body: &mut RequestBody<'_>,
) -> Result<HotAnswer, S3Error> {
    let headers = request.headers();
    refuse_unknown_of_put(headers)?;
    let condition = write_condition(headers)?;
    let mut attributes = attributes(headers)?;
    let plan = BodyPlan::for_object(headers, request.auth.payload)?;
    let (bucket, key) = (request.bucket().clone(), request.key().clone());
    if !service.store().has_bucket(&bucket) {
        return Err(S3ErrorCode::NoSuchBucket.into());
    }
    let signer = request.auth.chunk_signer;
    let upload = Upload { bucket: &bucket, key: &key, plan, signer };
    let (verified, staged) = receive(service, upload, body).await?;
    attributes.etag = verified.etag;
    attributes.checksum = Some(verified.checksum);
    let put = PutObject { bucket, key, body: staged, attributes, condition };
    let info = service.store().put_object(put).await.map_err(s3_error)?;
    let mut answer = Answer::new(200);
    answer.etag(info.etag());
    push_checksum(&mut answer, &verified.checksum, 0);
    Ok(answer)
}
