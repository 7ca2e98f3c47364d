//! ListObjectsV2: pages chained by opaque, signed tokens.

use bytes::Bytes;
use openlake_store::ListPosition;

use super::super::HotRequest;
use super::page::{ListParameters, answer, invalid, owner, size_hint};
use crate::control::ControlPlane;
use crate::error::S3Error;
use crate::service::{HotAnswer, Service};
use crate::xml::XmlWriter;

const ROOT: &str = "ListBucketResult";

pub(in super::super) async fn list_objects_v2<C: ControlPlane>(
    service: &Service<C>,
    request: &HotRequest<'_>,
) -> Result<HotAnswer, S3Error> {
    let parameters = ListParameters::of(request)?;
    let start_after = request.query.get("start-after");
    let token = request.query.get("continuation-token");
    let shows_owner = match request.query.get("fetch-owner") {
        None | Some("" | "false") => false,
        Some("true") => true,
        Some(value) => {
            return Err(invalid("fetch-owner", value, "fetch-owner is true or false"));
        }
    };
    // An empty token asks for the first page, as widely used tests expect (LS22).
    let after = match token.filter(|token| !token.is_empty()) {
        Some(token) => Some(service.list_tokens().read(request.bucket(), token)?),
        None => start_after
            .filter(|key| !key.is_empty())
            .map(|key| ListPosition::Key(Bytes::copy_from_slice(key.as_bytes()))),
    };
    let page = parameters.page(service, request, after).await?;
    let mut xml = XmlWriter::document(ROOT, size_hint(&page));
    xml.element("Name", request.bucket().as_str());
    parameters.element(&mut xml, "Prefix", parameters.prefix);
    if let Some(delimiter) = parameters.delimiter {
        parameters.element(&mut xml, "Delimiter", delimiter);
    }
    if let Some(start_after) = start_after {
        parameters.element(&mut xml, "StartAfter", start_after);
    }
    if let Some(token) = token {
        xml.element("ContinuationToken", token);
    }
    if let Some(next) = &page.next {
        let token = service.list_tokens().issue(request.bucket(), next);
        xml.value("NextContinuationToken", token);
    }
    xml.value("MaxKeys", parameters.max_keys);
    xml.value("KeyCount", page.objects.len() + page.common_prefixes.len());
    if parameters.is_url_encoded {
        xml.value("EncodingType", "url");
    }
    xml.value("IsTruncated", page.is_truncated());
    let owner = shows_owner.then(|| owner(service, request));
    parameters.entries(&mut xml, &page, owner.as_deref());
    Ok(answer(service.region(), xml.finish(ROOT)))
}
