//! PutObject, HeadObject, DeleteObject, and what is known of an object.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use openlake_coding::crc64nvme;
use openlake_types::{Checksum, ChecksumAlgorithm, ChecksumKind};

use crate::call::{Answer, Sink};
use crate::client::Client;
use crate::error::{ClientError, ErrorKind};
use crate::http::response::ResponseHead;
use crate::request::Request;

pub(crate) const CRC64NVME_HEADER: &str = ChecksumAlgorithm::Crc64Nvme.header();

/// What goes along with an object's bytes.
#[derive(Clone, Debug, Default)]
pub struct PutOptions {
    pub content_type: Option<String>,
    /// Names without `x-amz-meta-`.
    pub metadata: Vec<(String, String)>,
    /// Succeed only if no object has this key.
    pub if_none_match: bool,
    /// Succeed only if the present object has this ETag.
    pub if_match: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutOutcome {
    /// Without quotes.
    pub etag: String,
    /// CRC-64/NVME of all bytes, big-endian.
    pub crc64nvme: [u8; 8],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Of the whole object, also when a range was asked for.
    pub size_bytes: u64,
    /// Without quotes.
    pub etag: String,
    /// As the server writes it (RFC 9110, IMF-fixdate).
    pub last_modified: String,
    pub content_type: String,
    /// Names without `x-amz-meta-`, in lower case.
    pub metadata: Vec<(String, String)>,
    /// The stored checksum, if the server names one.
    pub checksum: Option<Checksum>,
}

impl Client {
    /// Stores `body` with its CRC-64/NVME, which the server verifies and keeps.
    pub fn put_object(
        &self,
        bucket: &str,
        key: &str,
        body: &[u8],
        options: &PutOptions,
    ) -> Result<PutOutcome, ClientError> {
        let crc = crc64nvme(body).to_be_bytes();
        let request = options
            .conditions(options.attributes(Request::new("PUT", bucket, key)))
            .header(CRC64NVME_HEADER, BASE64.encode(crc))
            .body(body);
        let answer = self.call(&request, Sink::Text)?;
        let etag = etag_of(&answer).map_err(|error| error.at(bucket, key))?;
        Ok(PutOutcome { etag, crc64nvme: crc })
    }

    pub fn head_object(&self, bucket: &str, key: &str) -> Result<ObjectInfo, ClientError> {
        let request = Request::new("HEAD", bucket, key).header("x-amz-checksum-mode", "ENABLED");
        let answer = self.call(&request, Sink::Text)?;
        ObjectInfo::of(&answer.head).map_err(|error| error.at(bucket, key))
    }

    /// Succeeds also when there is no such object.
    pub fn delete_object(&self, bucket: &str, key: &str) -> Result<(), ClientError> {
        self.call(&Request::new("DELETE", bucket, key), Sink::Text).map(drop)
    }
}

impl PutOptions {
    pub(crate) fn attributes<'a>(&'a self, mut request: Request<'a>) -> Request<'a> {
        if let Some(content_type) = &self.content_type {
            request = request.header("content-type", content_type);
        }
        for (name, value) in &self.metadata {
            let name = format!("x-amz-meta-{}", name.to_ascii_lowercase());
            request.headers.push((name.into(), value.into()));
        }
        request
    }

    pub(crate) fn conditions<'a>(&'a self, mut request: Request<'a>) -> Request<'a> {
        if self.if_none_match {
            request = request.header("if-none-match", "*");
        }
        if let Some(etag) = &self.if_match {
            request = request.header("if-match", format!("\"{}\"", unquoted(etag)));
        }
        request
    }
}

impl ObjectInfo {
    pub(crate) fn of(head: &ResponseHead) -> Result<Self, ClientError> {
        let text = |name| head.header(name).unwrap_or("").to_owned();
        let total = match head.header("content-range") {
            Some(range) => range.rsplit('/').next(),
            None => head.header("content-length"),
        };
        let size_bytes = total.and_then(|total| total.parse().ok()).ok_or_else(|| {
            ClientError::new(ErrorKind::Protocol, "the answer does not say the object's size")
        })?;
        let metadata = head
            .headers
            .iter()
            .filter_map(|(name, value)| Some((name.strip_prefix("x-amz-meta-")?, value)))
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        Ok(Self {
            size_bytes,
            etag: unquoted(head.header("etag").unwrap_or("")).to_owned(),
            last_modified: text("last-modified"),
            content_type: text("content-type"),
            metadata,
            checksum: checksum_of(head),
        })
    }
}

/// The checksum that the headers carry. What is composite has a `-N` behind it.
fn checksum_of(head: &ResponseHead) -> Option<Checksum> {
    ChecksumAlgorithm::ALL.into_iter().find_map(|algorithm| {
        let text = head.header(algorithm.header())?;
        let (value, parts) = text.split_once('-').map_or((text, false), |(value, _)| (value, true));
        let composite = parts || head.header("x-amz-checksum-type") == Some("COMPOSITE");
        let kind = if composite { ChecksumKind::Composite } else { ChecksumKind::FullObject };
        Checksum::new(algorithm, kind, &BASE64.decode(value).ok()?).ok()
    })
}

pub(crate) fn etag_of(answer: &Answer) -> Result<String, ClientError> {
    let etag = answer.header("etag").map(|etag| unquoted(etag).to_owned());
    etag.ok_or_else(|| ClientError::new(ErrorKind::Protocol, "the answer has no ETag"))
}

pub(crate) fn unquoted(etag: &str) -> &str {
    etag.strip_prefix('"').and_then(|etag| etag.strip_suffix('"')).unwrap_or(etag)
}
