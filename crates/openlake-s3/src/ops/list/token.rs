//! Continuation tokens of ListObjectsV2: the position of the next page, opaque to the client, with a
//! MAC over it and its bucket, so that only a token that this deployment issued is taken.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use openlake_coding::hmac_sha256;
use openlake_store::ListPosition;
use openlake_types::BucketName;

use crate::error::{S3Error, S3ErrorCode};

const MAC_BYTES: usize = 16;
const KEY: u8 = 1;
const COMMON_PREFIX: u8 = 2;

/// The secret under which tokens are made; the same on all shards and after a restart.
#[derive(Clone, Copy)]
pub struct ListTokenKey(pub [u8; 32]);

impl ListTokenKey {
    pub fn issue(&self, bucket: &BucketName, position: &ListPosition) -> String {
        let (kind, bytes) = match position {
            ListPosition::Key(key) => (KEY, key),
            ListPosition::CommonPrefix(prefix) => (COMMON_PREFIX, prefix),
        };
        let mut token = Vec::with_capacity(1 + bytes.len() + MAC_BYTES);
        token.push(kind);
        token.extend_from_slice(bytes);
        let mac = self.mac(bucket, &token);
        token.extend_from_slice(&mac);
        URL_SAFE_NO_PAD.encode(token)
    }

    pub fn read(&self, bucket: &BucketName, token: &str) -> Result<ListPosition, S3Error> {
        let refuse = || {
            S3Error::with_message(
                S3ErrorCode::InvalidArgument,
                "The continuation token provided is incorrect",
            )
            .field("ArgumentName", "continuation-token")
        };
        let mut bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| refuse())?;
        let position_bytes = bytes.len().checked_sub(MAC_BYTES).ok_or_else(refuse)?;
        let mac = bytes.split_off(position_bytes);
        if !same(&mac, &self.mac(bucket, &bytes)) || bytes.is_empty() {
            return Err(refuse());
        }
        let position = Bytes::from(bytes);
        match position[0] {
            KEY => Ok(ListPosition::Key(position.slice(1..))),
            COMMON_PREFIX => Ok(ListPosition::CommonPrefix(position.slice(1..))),
            _ => Err(refuse()),
        }
    }

    fn mac(&self, bucket: &BucketName, position: &[u8]) -> [u8; MAC_BYTES] {
        let mac = hmac_sha256(&self.0, &[bucket.as_str().as_bytes(), b"/", position]);
        std::array::from_fn(|at| mac[at])
    }
}

/// Compares without leaving early, so that time tells nothing about the MAC.
fn same(left: &[u8], right: &[u8; MAC_BYTES]) -> bool {
    left.len() == MAC_BYTES && left.iter().zip(right).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ls22_only_issued_tokens_are_taken() {
        let key = ListTokenKey([7; 32]);
        let bucket = BucketName::new("bucket").expect("valid");
        let other = BucketName::new("other").expect("valid");
        for position in [
            ListPosition::Key(Bytes::from_static(b"a/b\n")),
            ListPosition::CommonPrefix(Bytes::from_static(b"a/")),
        ] {
            let token = key.issue(&bucket, &position);
            assert_eq!(key.read(&bucket, &token), Ok(position));
            assert!(key.read(&other, &token).is_err());
            assert!(ListTokenKey([8; 32]).read(&bucket, &token).is_err());
            let flipped = format!("{}A", &token[..token.len() - 1]);
            assert!(flipped == token || key.read(&bucket, &flipped).is_err());
        }
        for forged in ["", "AAAA", "not a token", &"A".repeat(64)] {
            let refusal = key.read(&bucket, forged).expect_err(forged);
            assert_eq!(refusal.code, S3ErrorCode::InvalidArgument);
        }
    }
}
