//! What a part's ETag is made of. By default its MD5, as on AWS. One chain of MD5 is the slowest step
//! of a large write, so a client that sends a CRC-64/NVME anyway may ask for an ETag from that.

use openlake_types::ChecksumAlgorithm;

use super::checksum_plan::{ChecksumPlan, ChecksumSource};
use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::HeaderMap;

pub const PART_ETAG_HEADER: &str = "x-openlake-part-etag";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartETag {
    Md5,
    /// CRC-64/NVME and length.
    Crc64Nvme,
}

impl PartETag {
    /// The server has verified the CRC that the ETag is made of, so the client must send it.
    pub fn from_headers(headers: &HeaderMap, checksum: ChecksumPlan) -> Result<Self, S3Error> {
        match headers.get(PART_ETAG_HEADER) {
            None | Some(b"md5") => Ok(Self::Md5),
            Some(b"crc64nvme") => {
                let is_sent = checksum.source != ChecksumSource::Server;
                if is_sent && checksum.algorithm == ChecksumAlgorithm::Crc64Nvme {
                    return Ok(Self::Crc64Nvme);
                }
                Err(S3Error::with_message(
                    S3ErrorCode::InvalidRequest,
                    "x-openlake-part-etag: crc64nvme needs x-amz-checksum-crc64nvme of the part",
                ))
            }
            Some(_) => Err(S3Error::with_message(
                S3ErrorCode::InvalidArgument,
                "x-openlake-part-etag is md5 or crc64nvme",
            )
            .field("ArgumentName", PART_ETAG_HEADER)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::PayloadMode;

    fn parse(pairs: &[(&str, &str)]) -> Result<PartETag, S3ErrorCode> {
        let headers = HeaderMap::from_pairs(pairs.iter().map(|(n, v)| (*n, v.as_bytes())));
        let plan = ChecksumPlan::from_headers(&headers, PayloadMode::Unsigned);
        PartETag::from_headers(&headers, plan.expect("valid")).map_err(|error| error.code)
    }

    #[test]
    fn a_part_has_its_md5_unless_its_client_sends_and_asks_for_a_crc() {
        let crc = ("x-amz-checksum-crc64nvme", "rosUhgp5mIg=");
        let crc32 = ("x-amz-checksum-crc32", "y/Q5Jg==");
        let asked = (PART_ETAG_HEADER, "crc64nvme");
        assert_eq!(parse(&[crc]), Ok(PartETag::Md5));
        assert_eq!(parse(&[(PART_ETAG_HEADER, "md5")]), Ok(PartETag::Md5));
        assert_eq!(parse(&[crc, asked]), Ok(PartETag::Crc64Nvme));
        assert_eq!(parse(&[asked]), Err(S3ErrorCode::InvalidRequest));
        assert_eq!(parse(&[crc32, asked]), Err(S3ErrorCode::InvalidRequest));
        assert_eq!(parse(&[crc, (PART_ETAG_HEADER, "none")]), Err(S3ErrorCode::InvalidArgument));
    }
}
