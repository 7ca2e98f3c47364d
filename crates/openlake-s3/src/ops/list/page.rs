//! What both versions of ListObjects share: their parameters, the call of the store, and the
//! elements of the answer.

use bytes::Bytes;
use openlake_store::{ListObjects, ListPage, ListPosition, ListedObject};
use openlake_types::ChecksumKind;
use openlake_types::limits::LIST_KEYS_MAX;

use super::super::header_rules::{CONDITIONS, refuse_conditions, refuse_unknown};
use super::super::{HotRequest, s3_error};
use crate::control::ControlPlane;
use crate::error::{S3Error, S3ErrorCode};
use crate::http::answer::{Answer, AnswerBody};
use crate::http_date::iso_date;
use crate::service::{HotAnswer, Service};
use crate::xml::{XmlWriter, url_encoded};

pub(super) struct ListParameters<'a> {
    pub prefix: &'a str,
    pub delimiter: Option<&'a str>,
    pub max_keys: usize,
    pub is_url_encoded: bool,
}

impl<'a> ListParameters<'a> {
    pub fn of(request: &'a HotRequest<'_>) -> Result<Self, S3Error> {
        refuse_unknown(request.headers(), &[], |_, _| false)?;
        refuse_conditions(request.headers(), &CONDITIONS)?;
        let query = request.query;
        let is_url_encoded = match query.get("encoding-type") {
            None => false,
            Some(value) if value.eq_ignore_ascii_case("url") => true,
            Some(value) => {
                return Err(invalid(
                    "encoding-type",
                    value,
                    "Invalid Encoding Method specified in Request",
                ));
            }
        };
        Ok(Self {
            prefix: query.get("prefix").unwrap_or_default(),
            delimiter: query.get("delimiter").filter(|delimiter| !delimiter.is_empty()),
            max_keys: max_keys(query.get("max-keys"))?,
            is_url_encoded,
        })
    }

    pub fn element(&self, xml: &mut XmlWriter, name: &str, text: &str) {
        if self.is_url_encoded {
            xml.element(name, &url_encoded(text));
        } else {
            xml.element(name, text);
        }
    }

    pub async fn page<C: ControlPlane>(
        &self,
        service: &Service<C>,
        request: &HotRequest<'_>,
        after: Option<ListPosition>,
    ) -> Result<ListPage, S3Error> {
        if self.max_keys == 0 {
            let is_there = service.store().has_bucket(request.bucket());
            return if is_there {
                Ok(ListPage::default())
            } else {
                Err(S3ErrorCode::NoSuchBucket.into())
            };
        }
        let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        let list = ListObjects {
            bucket: request.bucket().clone(),
            prefix: bytes(self.prefix),
            delimiter: self.delimiter.map(bytes),
            after,
            max_keys: self.max_keys,
        };
        service.store().list_objects(list).await.map_err(s3_error)
    }

    /// The entries of a page. `owner`: shown with each key.
    pub fn entries(&self, xml: &mut XmlWriter, page: &ListPage, owner: Option<&str>) {
        for object in &page.objects {
            xml.open("Contents");
            self.element(xml, "Key", object.key.as_str());
            push_object(xml, object);
            if let Some(owner) = owner {
                xml.open("Owner");
                xml.element("ID", owner);
                xml.element("DisplayName", owner);
                xml.close("Owner");
            }
            xml.element("StorageClass", "STANDARD");
            xml.close("Contents");
        }
        for prefix in &page.common_prefixes {
            xml.open("CommonPrefixes");
            self.element(xml, "Prefix", &String::from_utf8_lossy(prefix));
            xml.close("CommonPrefixes");
        }
    }
}

fn push_object(xml: &mut XmlWriter, object: &ListedObject) {
    xml.value("LastModified", iso_date(object.last_modified).as_str());
    xml.element("ETag", &format!("\"{}\"", object.etag));
    if let Some(checksum) = &object.checksum {
        xml.value("ChecksumAlgorithm", checksum.algorithm.name());
        let kind = match checksum.kind {
            ChecksumKind::FullObject => "FULL_OBJECT",
            ChecksumKind::Composite => "COMPOSITE",
        };
        xml.value("ChecksumType", kind);
    }
    xml.value("Size", object.size);
}

/// The text form of a position, for V1's NextMarker.
pub(super) fn position_text(position: &ListPosition) -> String {
    match position {
        ListPosition::Key(bytes) | ListPosition::CommonPrefix(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}

pub(super) fn answer(region: &str, document: String) -> HotAnswer {
    let mut answer = Answer::new(200);
    answer.header("Content-Type", "application/xml");
    answer.header("x-amz-bucket-region", region);
    answer.body = AnswerBody::Bytes(document.into());
    answer
}

/// The user id that listings show as the owner of every key: the bucket's.
pub(super) fn owner<C: ControlPlane>(service: &Service<C>, request: &HotRequest<'_>) -> String {
    service.store().bucket(request.bucket()).map(|bucket| bucket.owner).unwrap_or_default()
}

pub(super) fn size_hint(page: &ListPage) -> usize {
    1024 + 512 * page.objects.len() + 128 * page.common_prefixes.len()
}

fn max_keys(text: Option<&str>) -> Result<usize, S3Error> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(LIST_KEYS_MAX) };
    match text.parse::<u32>() {
        Ok(number) if number <= i32::MAX.unsigned_abs() && !text.starts_with('+') => {
            Ok((number as usize).min(LIST_KEYS_MAX))
        }
        _ => Err(invalid(
            "max-keys",
            text,
            "Argument maxKeys must be an integer between 0 and 2147483647",
        )),
    }
}

pub(super) fn invalid(name: &'static str, value: &str, message: &'static str) -> S3Error {
    S3Error::with_message(S3ErrorCode::InvalidArgument, message)
        .field("ArgumentName", name)
        .field("ArgumentValue", value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ls5_max_keys_is_bounded_and_checked() {
        assert_eq!(max_keys(None), Ok(1000));
        assert_eq!(max_keys(Some("")), Ok(1000));
        assert_eq!(max_keys(Some("0")), Ok(0));
        assert_eq!(max_keys(Some("7")), Ok(7));
        assert_eq!(max_keys(Some("2147483647")), Ok(1000));
        for bad in ["-1", "x", "1.5", "2147483648", "+1", " 1"] {
            assert_eq!(max_keys(Some(bad)).expect_err(bad).code, S3ErrorCode::InvalidArgument);
        }
    }
}
