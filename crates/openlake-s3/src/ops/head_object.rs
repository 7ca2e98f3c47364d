//! HeadObject: what GetObject would answer, without the bytes.

use super::HotRequest;
use super::get_object::describe;
use crate::control::ControlPlane;
use crate::error::S3Error;
use crate::http::answer::AnswerBody;
use crate::service::{HotAnswer, Service};

pub(super) async fn head_object<C: ControlPlane>(
    service: &Service<C>,
    request: &HotRequest<'_>,
) -> Result<HotAnswer, S3Error> {
    let mut description = describe(service, request).await?;
    if let Some(range) = description.range {
        description.answer.body = AnswerBody::Omitted(range.len());
    }
    Ok(description.answer)
}
