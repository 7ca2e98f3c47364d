//! GetObject, into memory of its own or the caller's, whole or a range. A whole object is checked
//! against its stored checksum; S3 sends none for a range.

use openlake_coding::ChecksumStream;
use openlake_types::{ByteRange, ChecksumAlgorithm, ChecksumKind};

use crate::call::{Answer, Sink};
use crate::client::Client;
use crate::error::{ClientError, ErrorKind};
use crate::ops::object::ObjectInfo;
use crate::request::Request;

pub struct GotObject {
    pub info: ObjectInfo,
    pub body: Vec<u8>,
}

pub struct GotRange {
    pub info: ObjectInfo,
    /// How much of the buffer was filled.
    pub received_bytes: usize,
    /// CRC-64/NVME of what was received.
    pub(crate) crc: [u8; 8],
}

impl Client {
    /// A `range` beyond the object's end is clipped, as S3 does.
    pub fn get_object(
        &self,
        bucket: &str,
        key: &str,
        range: Option<ByteRange>,
    ) -> Result<GotObject, ClientError> {
        let request = get(bucket, key, range, None).map_err(|error| error.at(bucket, key))?;
        let answer = self.call(&request, Sink::Object)?;
        let info = check(&answer, &answer.body, range).map_err(|error| error.at(bucket, key))?;
        Ok(GotObject { info, body: answer.body })
    }

    /// Receives straight into `buffer`, which must hold all that comes.
    pub fn get_object_into(
        &self,
        bucket: &str,
        key: &str,
        buffer: &mut [u8],
        range: Option<ByteRange>,
    ) -> Result<GotRange, ClientError> {
        self.get_version_into(bucket, key, buffer, range, None)
    }

    /// The same, of exactly the object that has this ETag.
    pub(crate) fn get_version_into(
        &self,
        bucket: &str,
        key: &str,
        buffer: &mut [u8],
        range: Option<ByteRange>,
        etag: Option<&str>,
    ) -> Result<GotRange, ClientError> {
        let request = get(bucket, key, range, etag).map_err(|error| error.at(bucket, key))?;
        let answer = self.call(&request, Sink::Within(buffer))?;
        let received = &buffer[..answer.received_bytes];
        let info = check(&answer, received, range).map_err(|error| error.at(bucket, key))?;
        let crc = answer.crc.unwrap_or_default();
        Ok(GotRange { info, received_bytes: answer.received_bytes, crc })
    }
}

fn get<'a>(
    bucket: &'a str,
    key: &'a str,
    range: Option<ByteRange>,
    etag: Option<&str>,
) -> Result<Request<'a>, ClientError> {
    let mut request = Request::new("GET", bucket, key);
    match range {
        None => request = request.header("x-amz-checksum-mode", "ENABLED"),
        Some(range) if range.start < range.end => {
            request = request.header("range", format!("bytes={}-{}", range.start, range.end - 1));
        }
        Some(range) => {
            let message = format!("the range {}..{} is empty", range.start, range.end);
            return Err(ClientError::new(ErrorKind::InvalidInput, message));
        }
    }
    if let Some(etag) = etag {
        request = request.header("if-match", format!("\"{etag}\""));
    }
    Ok(request)
}

fn check(
    answer: &Answer,
    body: &[u8],
    range: Option<ByteRange>,
) -> Result<ObjectInfo, ClientError> {
    let info = ObjectInfo::of(&answer.head)?;
    if let Some(range) = range {
        let last = range.end.min(info.size_bytes).saturating_sub(1);
        let want = format!("bytes {}-{last}/{}", range.start, info.size_bytes);
        let got = answer.header("content-range").unwrap_or("nothing");
        if answer.head.status != 206 || got != want {
            let message = format!("asked for {want}, the server sent {got}");
            return Err(ClientError::new(ErrorKind::Protocol, message));
        }
        return Ok(info);
    }
    let Some(stored) = info.checksum.filter(|sum| sum.kind == ChecksumKind::FullObject) else {
        return Ok(info);
    };
    let matches = match answer.crc {
        Some(crc) if stored.algorithm == ChecksumAlgorithm::Crc64Nvme => stored.value() == crc,
        _ => {
            let mut stream = ChecksumStream::new(stored.algorithm);
            stream.update(body);
            stream.finish() == stored
        }
    };
    if matches {
        return Ok(info);
    }
    let algorithm = stored.algorithm.name();
    let message = format!("the bytes received do not have the {algorithm} that was stored");
    Err(ClientError::new(ErrorKind::Integrity, message))
}
