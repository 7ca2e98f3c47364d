//! CreateMultipartUpload, UploadPart, CompleteMultipartUpload, AbortMultipartUpload. Each part goes
//! with its CRC-64/NVME, and Complete with that of the whole object, put together from the parts'.

use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use openlake_coding::{checksum::full_object, crc64nvme};
use openlake_types::{Checksum, ChecksumAlgorithm, ChecksumKind};

use crate::call::Sink;
use crate::client::Client;
use crate::config::PartETag;
use crate::error::{ClientError, ErrorKind};
use crate::ops::object::{CRC64NVME_HEADER, PutOptions, PutOutcome, etag_of, unquoted};
use crate::request::Request;
use crate::xml;

const PART_ETAG_HEADER: &str = "x-openlake-part-etag";

/// What Complete needs to know of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadedPart {
    pub number: u16,
    /// Without quotes.
    pub etag: String,
    pub size_bytes: u64,
    /// CRC-64/NVME of the part, big-endian.
    pub crc64nvme: [u8; 8],
}

impl Client {
    /// Returns the upload's id.
    pub fn create_multipart_upload(
        &self,
        bucket: &str,
        key: &str,
        options: &PutOptions,
    ) -> Result<String, ClientError> {
        let request = options
            .attributes(Request::new("POST", bucket, key))
            .query("uploads", "")
            .header("x-amz-checksum-algorithm", ChecksumAlgorithm::Crc64Nvme.name())
            .header("x-amz-checksum-type", ChecksumKind::FullObject.name());
        let answer = self.call(&request, Sink::Text)?;
        let root = answer
            .document("InitiateMultipartUploadResult")
            .map_err(|error| error.at(bucket, key))?;
        Ok(root.text_of("UploadId").to_owned())
    }

    pub fn upload_part(
        &self,
        bucket: &str,
        key: &str,
        upload_id: &str,
        number: u16,
        body: &[u8],
    ) -> Result<UploadedPart, ClientError> {
        let crc = crc64nvme(body).to_be_bytes();
        let request = self
            .with_part_etag(Request::new("PUT", bucket, key))
            .query("partNumber", number.to_string())
            .query("uploadId", upload_id)
            .header(CRC64NVME_HEADER, BASE64.encode(crc))
            .body(body);
        let answer = self.call(&request, Sink::Text)?;
        let etag = etag_of(&answer).map_err(|error| error.at(bucket, key))?;
        Ok(UploadedPart { number, etag, size_bytes: body.len() as u64, crc64nvme: crc })
    }

    /// Says which ETag a part is to have; its CRC-64/NVME must go along.
    pub(crate) fn with_part_etag<'a>(&self, request: Request<'a>) -> Request<'a> {
        match self.config().part_etag {
            PartETag::Crc64Nvme => request.header(PART_ETAG_HEADER, "crc64nvme"),
            PartETag::Md5 => request,
        }
    }

    /// `parts` in the order of their numbers; conditions come from `options`, the rest of which
    /// belongs to Create.
    pub fn complete_multipart_upload(
        &self,
        bucket: &str,
        key: &str,
        upload_id: &str,
        parts: &[UploadedPart],
        options: &PutOptions,
    ) -> Result<PutOutcome, ClientError> {
        let fail = |kind, message: &str| ClientError::new(kind, message).at(bucket, key);
        let crc = crc_of(parts)
            .ok_or_else(|| fail(ErrorKind::InvalidInput, "an upload has at least one part"))?;
        let size_bytes: u64 = parts.iter().map(|part| part.size_bytes).sum();
        let body = completion(parts);
        let request = options
            .conditions(Request::new("POST", bucket, key))
            .query("uploadId", upload_id)
            .header(CRC64NVME_HEADER, BASE64.encode(crc))
            .header("x-amz-checksum-type", ChecksumKind::FullObject.name())
            .header("x-amz-mp-object-size", size_bytes.to_string())
            .body(body.as_bytes());
        let answer = self.call(&request, Sink::Text)?;
        // S3 may begin with 200 and find an error while it assembles.
        if let Ok(root) = answer.document("Error") {
            let mut error = fail(ErrorKind::Service, root.text_of("Message"));
            error.status = Some(answer.head.status);
            error.code = Some(root.text_of("Code").to_owned());
            return Err(error);
        }
        let root = answer
            .document("CompleteMultipartUploadResult")
            .map_err(|error| error.at(bucket, key))?;
        let stored = root.text_of("ChecksumCRC64NVME");
        if !stored.is_empty() && stored != BASE64.encode(crc) {
            let message = "the object put together has another CRC64NVME than its parts";
            return Err(fail(ErrorKind::Integrity, message));
        }
        Ok(PutOutcome { etag: unquoted(root.text_of("ETag")).to_owned(), crc64nvme: crc })
    }

    pub fn abort_multipart_upload(
        &self,
        bucket: &str,
        key: &str,
        upload_id: &str,
    ) -> Result<(), ClientError> {
        let request = Request::new("DELETE", bucket, key).query("uploadId", upload_id);
        self.call(&request, Sink::Text).map(drop)
    }
}

fn crc_of(parts: &[UploadedPart]) -> Option<[u8; 8]> {
    let sums: Option<Vec<_>> =
        parts.iter().map(|part| Some((checksum(part.crc64nvme)?, part.size_bytes))).collect();
    full_object(&sums?)?.value().try_into().ok()
}

pub(crate) fn checksum(crc: [u8; 8]) -> Option<Checksum> {
    Checksum::new(ChecksumAlgorithm::Crc64Nvme, ChecksumKind::FullObject, &crc).ok()
}

fn completion(parts: &[UploadedPart]) -> String {
    let mut text = String::with_capacity(64 + 192 * parts.len());
    text.push_str("<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for part in parts {
        write!(text, "<Part><PartNumber>{}</PartNumber><ETag>", part.number).expect(INFALLIBLE);
        xml::escape(&mut text, &format!("\"{}\"", part.etag));
        let crc = BASE64.encode(part.crc64nvme);
        write!(text, "</ETag><ChecksumCRC64NVME>{crc}</ChecksumCRC64NVME></Part>")
            .expect(INFALLIBLE);
    }
    text.push_str("</CompleteMultipartUpload>");
    text
}

const INFALLIBLE: &str = "writing to a String cannot fail";
