//! ListObjects, the first version: pages chained by keys in plain sight.

use bytes::Bytes;
use openlake_store::ListPosition;

use super::super::HotRequest;
use super::page::{ListParameters, answer, owner, position_text, size_hint};
use crate::control::ControlPlane;
use crate::error::S3Error;
use crate::service::{HotAnswer, Service};
use crate::xml::XmlWriter;

const ROOT: &str = "ListBucketResult";

pub(in super::super) async fn list_objects<C: ControlPlane>(
    service: &Service<C>,
    request: &HotRequest<'_>,
) -> Result<HotAnswer, S3Error> {
    let parameters = ListParameters::of(request)?;
    let marker = request.query.get("marker").unwrap_or_default();
    let after = position(marker, parameters.prefix, parameters.delimiter);
    let page = parameters.page(service, request, after).await?;
    let mut xml = XmlWriter::document(ROOT, size_hint(&page));
    xml.element("Name", request.bucket().as_str());
    parameters.element(&mut xml, "Prefix", parameters.prefix);
    parameters.element(&mut xml, "Marker", marker);
    if let Some(delimiter) = parameters.delimiter {
        parameters.element(&mut xml, "Delimiter", delimiter);
    }
    // S3 gives it only with a delimiter; without one the last key is the next marker.
    if let Some(next) = page.next.as_ref().filter(|_| parameters.delimiter.is_some()) {
        parameters.element(&mut xml, "NextMarker", &position_text(next));
    }
    xml.value("MaxKeys", parameters.max_keys);
    if parameters.is_url_encoded {
        xml.value("EncodingType", "url");
    }
    xml.value("IsTruncated", page.is_truncated());
    let owner = owner(service, request);
    parameters.entries(&mut xml, &page, Some(&owner));
    Ok(answer(service.region(), xml.finish(ROOT)))
}

/// A marker that is itself a common prefix of this listing stands for everything below it: the
/// page before ended with it (LS2).
fn position(marker: &str, prefix: &str, delimiter: Option<&str>) -> Option<ListPosition> {
    if marker.is_empty() {
        return None;
    }
    let bytes = Bytes::copy_from_slice(marker.as_bytes());
    let below = marker.strip_prefix(prefix).zip(delimiter);
    let is_common_prefix = below.is_some_and(|(rest, delimiter)| {
        rest.find(delimiter).is_some_and(|at| at + delimiter.len() == rest.len())
    });
    Some(if is_common_prefix {
        ListPosition::CommonPrefix(bytes)
    } else {
        ListPosition::Key(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ls2_a_marker_that_is_a_common_prefix_skips_what_is_below() {
        let key = |text: &'static str| Some(ListPosition::Key(Bytes::from_static(text.as_bytes())));
        let common = |text: &'static str| {
            Some(ListPosition::CommonPrefix(Bytes::from_static(text.as_bytes())))
        };
        assert_eq!(position("", "", Some("/")), None);
        assert_eq!(position("a", "", Some("/")), key("a"));
        assert_eq!(position("a/", "", Some("/")), common("a/"));
        assert_eq!(position("a/", "", None), key("a/"));
        assert_eq!(position("a/b", "", Some("/")), key("a/b"));
        assert_eq!(position("a/b/", "a/", Some("/")), common("a/b/"));
        assert_eq!(position("a/", "a/", Some("/")), key("a/"));
    }
}
