//! Authorization headers that are not well-formed, or that claim what they may not.

use proptest::prelude::*;

use super::{EMPTY, code_at, head, verify_at};
use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::RequestHead;

const NOW: &str = "20130524T000000Z";
const SCOPE: &str = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";

fn request(authorization: &str) -> RequestHead {
    head(
        "GET",
        "/b/k",
        &[
            ("host", "localhost"),
            ("x-amz-date", NOW),
            ("x-amz-content-sha256", EMPTY),
            ("authorization", authorization),
        ],
    )
}

fn with_credential(credential: &str) -> RequestHead {
    request(&format!(
        "AWS4-HMAC-SHA256 Credential={credential}, \
         SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature={EMPTY}"
    ))
}

fn error(request: RequestHead) -> S3Error {
    verify_at(request, NOW).map(|_| ()).expect_err("must be refused")
}

#[test]
fn au3_sec12_the_scope_is_exact() {
    for credential in [
        "",
        "AKIAIOSFODNN7EXAMPLE",
        "20130524/us-east-1/s3/aws4_request",
        "/20130524/us-east-1/s3/aws4_request",
        "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3",
        "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/ec2/aws4_request",
        "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws5_request",
        "AKIAIOSFODNN7EXAMPLE/2013-05-24/us-east-1/s3/aws4_request",
        "AKIAIOSFODNN7EXAMPLE/2013052/us-east-1/s3/aws4_request",
        "AKIAIOSFODNN7EXAMPLE/20130525/us-east-1/s3/aws4_request",
        "AKIAIOSFODNN7EXAMPLE/20130524/eu-west-1/s3/aws4_request",
    ] {
        let error = error(with_credential(credential));
        assert_eq!(error.code, S3ErrorCode::AuthorizationHeaderMalformed, "{credential}");
        assert_eq!(error.status(), 400);
    }
}

#[test]
fn au3_a_wrong_region_names_the_expected_one() {
    let error = error(with_credential("AKIAIOSFODNN7EXAMPLE/20130524/mars/s3/aws4_request"));
    let body = error.answer(crate::Method::Get, b"/b/k", "ID").body;
    assert!(String::from_utf8_lossy(&body).contains("<Region>us-east-1</Region>"));
}

#[test]
fn au3_three_components_are_required_once() {
    let signed = "SignedHeaders=host";
    for authorization in [
        "AWS4-HMAC-SHA256".to_owned(),
        "AWS4-HMAC-SHA256 ".to_owned(),
        format!("AWS4-HMAC-SHA256 Credential={SCOPE}"),
        format!("AWS4-HMAC-SHA256 Credential={SCOPE},{signed}"),
        format!("AWS4-HMAC-SHA256 Credential={SCOPE},Signature={EMPTY}"),
        format!("AWS4-HMAC-SHA256 {signed},Signature={EMPTY}"),
        format!("AWS4-HMAC-SHA256 Credential={SCOPE},SignedHeaders=,Signature={EMPTY}"),
        format!("AWS4-HMAC-SHA256 Credential={SCOPE},{signed},{signed},Signature={EMPTY}"),
    ] {
        let code = error(request(&authorization)).code;
        assert_eq!(code, S3ErrorCode::AuthorizationHeaderMalformed, "{authorization}");
    }
}

#[test]
fn au4_other_mechanisms_are_named_and_refused() {
    assert_eq!(error(request("AWS AKID:frJIUN8DYpKDtOLCwo=")).code, S3ErrorCode::InvalidRequest);
    assert_eq!(error(request("Bearer abc")).code, S3ErrorCode::InvalidArgument);
    assert_eq!(error(request("")).code, S3ErrorCode::InvalidArgument);
    let version_4a = "AWS4-ECDSA-P256-SHA256 Credential=a/b/s3/aws4_request";
    assert_eq!(error(request(version_4a)).code, S3ErrorCode::NotImplemented);
    let version_2 = head("GET", "/b/k?AWSAccessKeyId=a&Expires=1&Signature=s", &[]);
    assert_eq!(error(version_2).code, S3ErrorCode::InvalidRequest);
}

#[test]
fn sec1_unknown_keys_and_no_credentials() {
    let unknown = error(with_credential("NOBODY/20130524/us-east-1/s3/aws4_request"));
    assert_eq!((unknown.code, unknown.status()), (S3ErrorCode::InvalidAccessKeyId, 403));
    let anonymous = head("GET", "/b/k?list-type=2", &[("host", "localhost")]);
    assert_eq!(code_at(anonymous, NOW), S3ErrorCode::AccessDenied);
}

#[test]
fn au1_sec11_the_clock_may_be_off_by_15_minutes() {
    for now in ["20130524T001501Z", "20130523T234459Z"] {
        let code = code_at(with_credential(SCOPE), now);
        assert_eq!(code, S3ErrorCode::RequestTimeTooSkewed, "{now}");
    }
    let code = code_at(with_credential(SCOPE), "20130524T001500Z");
    assert_eq!(code, S3ErrorCode::SignatureDoesNotMatch);
}

#[test]
fn sec3_st19_the_payload_hash_is_required_and_known() {
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={SCOPE},SignedHeaders=host;x-amz-date,Signature={EMPTY}"
    );
    let base = [("host", "h"), ("x-amz-date", NOW), ("authorization", &authorization)];
    assert_eq!(error(head("GET", "/b/k", &base)).code, S3ErrorCode::InvalidRequest);
    for word in ["", "STREAMING", "e3b0c442"] {
        let mut headers = base.to_vec();
        headers.push(("x-amz-content-sha256", word));
        assert_eq!(error(head("GET", "/b/k", &headers)).code, S3ErrorCode::InvalidArgument);
    }
}

#[test]
fn a_request_without_a_readable_date_is_refused() {
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={SCOPE},SignedHeaders=host;x-amz-date,Signature={EMPTY}"
    );
    for date in [None, Some("2013-05-24"), Some("20130524T250000Z")] {
        let mut headers = vec![("host", "h"), ("authorization", &*authorization)];
        headers.extend(date.map(|date| ("x-amz-date", date)));
        assert_eq!(error(head("GET", "/b/k", &headers)).code, S3ErrorCode::AccessDenied);
    }
}

proptest! {
    #[test]
    fn no_authorization_header_panics(text in "(AWS4-HMAC-SHA256 )?[ -~]{0,80}") {
        let _ = verify_at(request(&text), NOW);
    }

    #[test]
    fn no_damaged_authorization_header_verifies(place in 0usize..160, byte in 0x20u8..0x7f) {
        let mut text = format!(
            "AWS4-HMAC-SHA256 Credential={SCOPE},SignedHeaders=host,Signature={EMPTY}"
        ).into_bytes();
        let place = place % text.len();
        text[place] = byte;
        let text = String::from_utf8(text).expect("ASCII");
        prop_assert!(verify_at(request(&text), NOW).is_err());
    }

    #[test]
    fn no_query_panics(query in "[ -~]{0,120}") {
        let _ = verify_at(head("GET", &format!("/b/k?{query}"), &[("host", "h")]), NOW);
    }
}
