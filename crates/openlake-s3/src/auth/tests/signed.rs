//! Requests signed here, to reach the checks that stand before and after the signature.

use super::super::canonical::{CanonicalRequest, SignedParts};
use super::super::signing_key::keyed;
use super::{ACCESS_KEY, EMPTY, SECRET, code_at, head, verify_at};
use crate::error::S3ErrorCode;
use crate::request_head::RequestHead;
use hmac::Mac;
use sha2::{Digest, Sha256};

pub(super) const NOW: &str = "20130524T000000Z";

/// Signs as a client would, over `head` as it stands.
pub(super) fn signature(head: &RequestHead, signed_headers: &str, payload_hash: &str) -> String {
    let method = head.method.name().expect("an S3 method");
    let mut canonical = CanonicalRequest::default();
    let parts = SignedParts { method, signed_headers, payload_hash };
    let digest = Sha256::digest(canonical.build(head, parts).expect("valid"));
    let text = format!(
        "AWS4-HMAC-SHA256\n{NOW}\n20130524/us-east-1/s3/aws4_request\n{}",
        hex::encode(digest)
    );
    let mut key = format!("AWS4{SECRET}").into_bytes();
    for part in ["20130524", "us-east-1", "s3", "aws4_request", &text] {
        key = keyed(&key).chain_update(part).finalize().into_bytes().to_vec();
    }
    hex::encode(key)
}

pub(super) fn signed(
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    signed_headers: &str,
) -> RequestHead {
    let mut headers = headers.to_vec();
    let date = ("x-amz-date", NOW);
    headers.push(date);
    let payload = headers.iter().find(|(name, _)| *name == "x-amz-content-sha256");
    let payload = payload.map_or("", |(_, value)| value);
    let signature = signature(&head(method, target, &headers), signed_headers, payload);
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/20130524/us-east-1/s3/aws4_request, \
         SignedHeaders={signed_headers}, Signature={signature}"
    );
    headers.push(("authorization", &authorization));
    head(method, target, &headers)
}

const USUAL: &str = "host;x-amz-content-sha256;x-amz-date";

#[test]
fn sec9_every_x_amz_header_is_signed() {
    let headers = [("host", "h"), ("x-amz-content-sha256", EMPTY)];
    verify_at(signed("GET", "/b/k", &headers, USUAL), NOW).expect("all are signed");
    let mut more = headers.to_vec();
    more.push(("x-amz-acl", "public-read"));
    assert_eq!(code_at(signed("GET", "/b/k", &more, USUAL), NOW), S3ErrorCode::AccessDenied);
    let mut more = headers.to_vec();
    more.push(("content-type", "text/plain"));
    verify_at(signed("GET", "/b/k", &more, USUAL), NOW).expect("other headers need not be");
}

#[test]
fn sec10_the_host_is_signed() {
    let headers = [("host", "h"), ("x-amz-content-sha256", EMPTY)];
    let request = signed("GET", "/b/k", &headers, "x-amz-content-sha256;x-amz-date");
    assert_eq!(code_at(request, NOW), S3ErrorCode::AccessDenied);
}

#[test]
fn sec13_a_header_given_twice_is_refused() {
    for name in ["x-amz-content-sha256", "x-amz-copy-source", "host", "content-md5"] {
        let headers = [("host", "h"), ("x-amz-content-sha256", EMPTY), (name, "a"), (name, "a")];
        let request = signed("PUT", "/b/k", &headers, USUAL);
        assert_eq!(code_at(request, NOW), S3ErrorCode::InvalidArgument, "{name}");
    }
    let headers = [
        ("host", "h"),
        ("x-amz-content-sha256", EMPTY),
        ("x-amz-meta-a", "1"),
        ("x-amz-meta-a", "2"),
    ];
    let names = "host;x-amz-content-sha256;x-amz-date;x-amz-meta-a";
    verify_at(signed("PUT", "/b/k", &headers, names), NOW).expect("metadata may be a list");
}

#[test]
fn a_session_token_is_not_ours() {
    let headers = [("host", "h"), ("x-amz-content-sha256", EMPTY), ("x-amz-security-token", "t")];
    let names = "host;x-amz-content-sha256;x-amz-date;x-amz-security-token";
    assert_eq!(code_at(signed("GET", "/b/k", &headers, names), NOW), S3ErrorCode::InvalidToken);
}

#[test]
fn sec33_a_refusal_names_the_string_to_sign_and_no_signature() {
    let headers = [("host", "h"), ("x-amz-content-sha256", EMPTY)];
    let mut request = signed("GET", "/b/k", &headers, USUAL);
    request.target = bytes::Bytes::from_static(b"/b/other");
    let error = verify_at(request, NOW).map(|_| ()).expect_err("another key");
    let body = error.answer(crate::Method::Get, b"/b/other", "ID").body;
    let body = String::from_utf8(body).expect("UTF-8");
    assert!(body.contains("<StringToSign>AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/"));
    assert!(!body.contains(SECRET) && !body.contains("SignatureProvided"));
}

#[test]
fn xm11_an_unknown_method_is_not_allowed() {
    let headers = [("host", "h"), ("x-amz-content-sha256", EMPTY)];
    let mut request = signed("GET", "/b/k", &headers, USUAL);
    request.method = crate::Method::Other;
    assert_eq!(code_at(request, NOW), S3ErrorCode::MethodNotAllowed);
}

#[test]
fn au8_a_second_region_is_accepted_only_when_configured() {
    let headers = [("host", "h"), ("x-amz-content-sha256", EMPTY)];
    let mut request = signed("GET", "/b/k", &headers, USUAL);
    let table = super::table();
    let abroad = super::Verifier::new(&["eu-west-1"]);
    let code = abroad.verify(&mut request, &table, super::at(NOW)).map(|_| ()).expect_err("");
    assert_eq!(code.code, S3ErrorCode::AuthorizationHeaderMalformed);
    let both = super::Verifier::new(&["eu-west-1", "us-east-1"]);
    both.verify(&mut request, &table, super::at(NOW)).expect("configured");
}
