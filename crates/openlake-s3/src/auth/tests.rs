//! Signature tests: the examples that AWS publishes, then every way of being wrong by case id.

mod malformed;
mod presigned;
pub(crate) mod published;
mod signed;

use bytes::Bytes;
use openlake_types::Timestamp;

use super::{AuthContext, KeyTable, SecretKey, Verifier};
use crate::error::{S3Error, S3ErrorCode};
use crate::http_date::parse_amz_date;
use crate::request_head::{HeaderMap, Method, RequestHead};

pub(super) const ACCESS_KEY: &str = "AKIAIOSFODNN7EXAMPLE";
pub(super) const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
pub(super) const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

pub(super) fn at(text: &str) -> Timestamp {
    parse_amz_date(text.as_bytes()).expect("a date")
}

pub(super) fn table() -> KeyTable {
    let mut table = KeyTable::default();
    table.insert(ACCESS_KEY, SecretKey::new(SECRET).expect("not empty"), "user-1", true);
    table
}

pub(super) fn head(method: &str, target: &str, headers: &[(&str, &str)]) -> RequestHead {
    RequestHead {
        method: Method::from_bytes(method.as_bytes()),
        target: Bytes::copy_from_slice(target.as_bytes()),
        headers: HeaderMap::from_pairs(headers.iter().map(|(name, v)| (*name, v.as_bytes()))),
    }
}

pub(super) fn verify_at(mut head: RequestHead, now: &str) -> Result<AuthContext, S3Error> {
    Verifier::new(&["us-east-1"]).verify(&mut head, &table(), at(now))
}

pub(super) fn code_at(head: RequestHead, now: &str) -> S3ErrorCode {
    verify_at(head, now).map(|_| ()).expect_err("must be refused").code
}
