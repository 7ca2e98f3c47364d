//! A request of a hot verb, verified and allowed, and the way to the verb.

use openlake_types::{BucketName, ObjectKey};

use super::{delete_object, get_object, head_object, list, put_object, upload_part};
use crate::auth::AuthContext;
use crate::control::ControlPlane;
use crate::error::{S3Error, S3ErrorCode};
use crate::http::request_body::RequestBody;
use crate::request_head::{HeaderMap, RequestHead};
use crate::router::HotVerb;
use crate::service::{HotAnswer, Service};
use crate::target::{Query, Resource};

/// A verified and allowed request of a hot verb.
pub(crate) struct HotRequest<'a> {
    pub head: &'a RequestHead,
    pub query: &'a Query,
    pub resource: &'a Resource,
    pub auth: AuthContext,
}

impl HotRequest<'_> {
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    pub fn bucket(&self) -> &BucketName {
        self.resource.bucket().expect("every hot verb names a bucket")
    }

    pub fn key(&self) -> &ObjectKey {
        match self.resource {
            Resource::Object(_, key) => key,
            _ => unreachable!("the router gives verbs of objects an object"),
        }
    }

    /// There are no versions: every object is the version `null`.
    pub fn check_version(&self) -> Result<(), S3Error> {
        match self.query.get("versionId") {
            None | Some("null") => Ok(()),
            Some(_) => Err(S3Error::with_message(
                S3ErrorCode::NotImplemented,
                "A query you provided implies functionality that is not implemented: versionId",
            )),
        }
    }
}

pub(crate) async fn run<C: ControlPlane>(
    service: &Service<C>,
    verb: HotVerb,
    request: HotRequest<'_>,
    body: &mut RequestBody<'_>,
) -> Result<HotAnswer, S3Error> {
    let resource = request.resource;
    let answer = match verb {
        HotVerb::GetObject => get_object::get_object(service, &request).await,
        HotVerb::HeadObject => head_object::head_object(service, &request).await,
        HotVerb::PutObject => put_object::put_object(service, request, body).await,
        HotVerb::DeleteObject => delete_object::delete_object(service, &request).await,
        HotVerb::UploadPart => upload_part::upload_part(service, request, body).await,
        HotVerb::ListObjects => list::list_objects(service, &request).await,
        HotVerb::ListObjectsV2 => list::list_objects_v2(service, &request).await,
    };
    answer.map_err(|error| match resource {
        Resource::Object(bucket, key) => error.about(bucket.as_str(), Some(key.as_str())),
        Resource::Bucket(bucket) => error.about(bucket.as_str(), None),
        Resource::Service => error,
    })
}
