//! Which way a request goes: to a hot verb, or to the control plane, which knows every other one by
//! its name. A parameter that a hot verb does not have never falls through to that verb.

use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::{HeaderMap, Method};
use crate::target::{Query, Resource, Target};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HotVerb {
    GetObject,
    HeadObject,
    PutObject,
    DeleteObject,
    UploadPart,
    ListObjects,
    ListObjectsV2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    Hot(HotVerb),
    Control,
}

const READ_PARAMETERS: &[&str] = &[
    "partNumber",
    "response-cache-control",
    "response-content-disposition",
    "response-content-encoding",
    "response-content-language",
    "response-content-type",
    "response-expires",
    "versionId",
];
const UPLOAD_PART_PARAMETERS: &[&str] = &["partNumber", "uploadId"];
const LIST_PARAMETERS: &[&str] = &["delimiter", "encoding-type", "marker", "max-keys", "prefix"];
const LIST_V2_PARAMETERS: &[&str] = &[
    "continuation-token",
    "delimiter",
    "encoding-type",
    "fetch-owner",
    "list-type",
    "max-keys",
    "prefix",
    "start-after",
];

impl HotVerb {
    const fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::GetObject | Self::HeadObject => READ_PARAMETERS,
            Self::PutObject => &[],
            Self::DeleteObject => &["versionId"],
            Self::UploadPart => UPLOAD_PART_PARAMETERS,
            Self::ListObjects => LIST_PARAMETERS,
            Self::ListObjectsV2 => LIST_V2_PARAMETERS,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::GetObject => "GetObject",
            Self::HeadObject => "HeadObject",
            Self::PutObject => "PutObject",
            Self::DeleteObject => "DeleteObject",
            Self::UploadPart => "UploadPart",
            Self::ListObjects => "ListObjects",
            Self::ListObjectsV2 => "ListObjectsV2",
        }
    }

    pub const ALL: [Self; 7] = [
        Self::GetObject,
        Self::HeadObject,
        Self::PutObject,
        Self::DeleteObject,
        Self::UploadPart,
        Self::ListObjects,
        Self::ListObjectsV2,
    ];

    /// Only these have bodies that the data plane reads.
    pub const fn has_body(self) -> bool {
        matches!(self, Self::PutObject | Self::UploadPart)
    }
}

pub fn route(method: Method, target: &Target, headers: &HeaderMap) -> Result<Route, S3Error> {
    if method == Method::Other {
        return Err(S3ErrorCode::MethodNotAllowed.into());
    }
    let hot = candidate(method, target, headers)
        .filter(|verb| names_fit(&target.query, verb.parameters()));
    Ok(hot.map_or(Route::Control, Route::Hot))
}

fn candidate(method: Method, target: &Target, headers: &HeaderMap) -> Option<HotVerb> {
    match (method, &target.resource) {
        (Method::Get, Resource::Object(..)) => Some(HotVerb::GetObject),
        (Method::Head, Resource::Object(..)) => Some(HotVerb::HeadObject),
        (Method::Delete, Resource::Object(..)) => Some(HotVerb::DeleteObject),
        (Method::Put, Resource::Object(..)) if headers.get("x-amz-copy-source").is_none() => {
            if target.query.has("uploadId") && target.query.has("partNumber") {
                Some(HotVerb::UploadPart)
            } else {
                Some(HotVerb::PutObject)
            }
        }
        (Method::Get, Resource::Bucket(_)) => match target.query.get("list-type") {
            Some("2") => Some(HotVerb::ListObjectsV2),
            Some(_) => None,
            None => Some(HotVerb::ListObjects),
        },
        _ => None,
    }
}

/// `x-id` only repeats the name of the operation; `x-amz-*` belong to the signature, or stand for
/// headers.
fn names_fit(query: &Query, allowed: &[&str]) -> bool {
    query.names().all(|name| allowed.contains(&name) || name == "x-id" || is_signature(name))
}

fn is_signature(name: &str) -> bool {
    name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("x-amz-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request_head::RequestHead;

    fn routed(method: Method, target: &str, headers: &[(&str, &[u8])]) -> Route {
        let headers = HeaderMap::from_pairs(headers.iter().copied());
        let target = bytes::Bytes::from(target.to_owned());
        let head = RequestHead { method, target, headers };
        let target = Target::parse(&head).expect("valid");
        route(method, &target, &head.headers).expect("a method of S3")
    }

    #[test]
    fn hot_verbs_are_known_by_method_level_and_parameters() {
        use HotVerb::*;
        for (method, target, verb) in [
            (Method::Get, "/bkt/k", GetObject),
            (Method::Get, "/bkt/k?x-id=GetObject&response-content-type=a", GetObject),
            (Method::Get, "/bkt/k?X-Amz-Signature=0&X-Amz-Date=1", GetObject),
            (Method::Head, "/bkt/k?partNumber=1", HeadObject),
            (Method::Put, "/bkt/k?x-id=PutObject", PutObject),
            (Method::Put, "/bkt/k?partNumber=1&uploadId=u", UploadPart),
            (Method::Delete, "/bkt/k", DeleteObject),
            (Method::Get, "/bkt", ListObjects),
            (Method::Get, "/bkt/?prefix=a&delimiter=/&marker=m", ListObjects),
            (Method::Get, "/bkt?list-type=2&fetch-owner=true", ListObjectsV2),
        ] {
            assert_eq!(routed(method, target, &[]), Route::Hot(verb), "{target}");
        }
    }

    #[test]
    fn xm10_an_unknown_subresource_never_runs_a_plain_verb() {
        for (method, target) in [
            (Method::Get, "/bkt/k?acl"),
            (Method::Get, "/bkt/k?uploadId=u"),
            (Method::Put, "/bkt/k?tagging"),
            (Method::Put, "/bkt/k?uploadId=u"),
            (Method::Put, "/bkt/k?partNumber=1"),
            (Method::Put, "/bkt/k?surprise"),
            (Method::Put, "/bkt/k?versionId=1"),
            (Method::Delete, "/bkt/k?uploadId=u"),
            (Method::Get, "/bkt?versioning"),
            (Method::Get, "/bkt?list-type=3"),
            (Method::Get, "/bkt?list-type=2&versions"),
            (Method::Get, "/bkt?continuation-token=t"),
            (Method::Get, "/"),
            (Method::Put, "/bkt"),
            (Method::Head, "/bkt"),
            (Method::Delete, "/bkt"),
            (Method::Post, "/bkt/k?uploads"),
            (Method::Post, "/bkt?delete"),
            (Method::Options, "/bkt/k"),
        ] {
            assert_eq!(routed(method, target, &[]), Route::Control, "{target}");
        }
    }

    #[test]
    fn copies_are_control_verbs() {
        let source = [("x-amz-copy-source", &b"/b/k"[..])];
        assert_eq!(routed(Method::Put, "/bkt/k", &source), Route::Control);
        assert_eq!(routed(Method::Put, "/bkt/k?partNumber=1&uploadId=u", &source), Route::Control);
    }

    #[test]
    fn xm11_an_unknown_method_is_refused() {
        let headers = HeaderMap::default();
        let target = Target { resource: Resource::Service, query: Query::default() };
        let refusal = route(Method::Other, &target, &headers).expect_err("unknown");
        assert_eq!(refusal.code, S3ErrorCode::MethodNotAllowed);
    }
}
