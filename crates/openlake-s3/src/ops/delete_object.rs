//! DeleteObject: 204 whether or not there was an object.

use openlake_store::DeleteObject;

use super::header_rules::{refuse_conditions, refuse_unknown};
use super::{HotRequest, s3_error};
use crate::conditions::write_condition;
use crate::control::ControlPlane;
use crate::error::S3Error;
use crate::http::answer::{Answer, AnswerBody};
use crate::service::{HotAnswer, Service};

pub(super) async fn delete_object<C: ControlPlane>(
    service: &Service<C>,
    request: &HotRequest<'_>,
) -> Result<HotAnswer, S3Error> {
    refuse_unknown(request.headers(), &[], |_, _| false)?;
    refuse_conditions(request.headers(), &["if-none-match"])?;
    request.check_version()?;
    let delete = DeleteObject {
        bucket: request.bucket().clone(),
        key: request.key().clone(),
        condition: write_condition(request.headers())?,
    };
    service.store().delete_object(delete).await.map_err(s3_error)?;
    let mut answer = Answer::new(204);
    answer.body = AnswerBody::None;
    Ok(answer)
}
