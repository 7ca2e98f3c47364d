//! Signatures in the query.

use super::signed::{NOW, signature, signed};
use super::{ACCESS_KEY, EMPTY, Verifier, at, code_at, head, table, verify_at};
use crate::error::S3ErrorCode;
use crate::request_head::RequestHead;

fn parameters(expires: &str) -> String {
    format!(
        "X-Amz-Algorithm=AWS4-HMAC-SHA256\
         &X-Amz-Credential={ACCESS_KEY}%2F20130524%2Fus-east-1%2Fs3%2Faws4_request\
         &X-Amz-Date={NOW}&X-Amz-Expires={expires}&X-Amz-SignedHeaders=host"
    )
}

fn presigned(query: &str, headers: &[(&str, &str)]) -> RequestHead {
    let unsigned = head("PUT", &format!("/b/k?{query}"), headers);
    let signature = signature(&unsigned, "host", "UNSIGNED-PAYLOAD");
    head("PUT", &format!("/b/k?{query}&X-Amz-Signature={signature}"), headers)
}

#[test]
fn sec11_the_lifetime_is_one_second_to_seven_days() {
    let host = [("host", "h")];
    for good in ["1", "604800"] {
        verify_at(presigned(&parameters(good), &host), NOW).expect(good);
    }
    for bad in ["0", "-1", "604801", "99999999999999999999", "", "1.5", "abc", "%2B1"] {
        let code = code_at(presigned(&parameters(bad), &host), NOW);
        assert_eq!(code, S3ErrorCode::AuthorizationQueryParametersError, "{bad}");
    }
}

#[test]
fn every_parameter_is_required_once() {
    let all = parameters("60") + "&X-Amz-Signature=" + EMPTY;
    for gone in 0..6 {
        let rest: Vec<_> = all.split('&').enumerate().filter(|(i, _)| *i != gone).collect();
        let rest: Vec<_> = rest.into_iter().map(|(_, pair)| pair).collect();
        let request = head("GET", &format!("/b/k?{}", rest.join("&")), &[("host", "h")]);
        assert_eq!(code_at(request, NOW), S3ErrorCode::AuthorizationQueryParametersError);
    }
    let twice = head("GET", &format!("/b/k?{all}&X-Amz-Expires=61"), &[("host", "h")]);
    assert_eq!(code_at(twice, NOW), S3ErrorCode::AuthorizationQueryParametersError);
}

#[test]
fn sec12_the_scope_of_a_query_is_exact() {
    for (from, to) in [
        ("us-east-1", "mars"),
        ("%2Fs3%2F", "%2Fec2%2F"),
        ("aws4_request", "aws4"),
        ("%2F20130524%2F", "%2F20130525%2F"),
        ("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA1"),
        ("Date=20130524T", "Date=2013-05-24T"),
    ] {
        let query = parameters("60").replace(from, to);
        let code = code_at(presigned(&query, &[("host", "h")]), NOW);
        assert_eq!(code, S3ErrorCode::AuthorizationQueryParametersError, "{to}");
    }
}

#[test]
fn sec8_two_mechanisms_are_one_too_many() {
    let headers = [("host", "h"), ("x-amz-content-sha256", EMPTY)];
    let target = format!("/b/k?{}&X-Amz-Signature={EMPTY}", parameters("60"));
    let both = signed("GET", &target, &headers, "host;x-amz-content-sha256;x-amz-date");
    assert_eq!(code_at(both, NOW), S3ErrorCode::InvalidArgument);
}

#[test]
fn au9_unsigned_headers_do_not_matter_but_x_amz_ones_are_refused() {
    let query = parameters("60");
    let plain = [("host", "h"), ("content-type", "text/html")];
    verify_at(presigned(&query, &plain), NOW).expect("a browser's header");
    let amz = [("host", "h"), ("x-amz-acl", "public-read")];
    assert_eq!(code_at(presigned(&query, &amz), NOW), S3ErrorCode::AccessDenied);
}

#[test]
fn ck17_headers_in_the_query_count_as_headers() {
    let query = parameters("60") + "&x-amz-checksum-crc32=AAAAAA%3D%3D";
    let mut request = presigned(&query, &[("host", "h")]);
    let verifier = Verifier::new(&["us-east-1"]);
    verifier.verify(&mut request, &table(), at(NOW)).expect("signed");
    assert_eq!(request.headers.get_text("x-amz-checksum-crc32"), Some("AAAAAA=="));
    assert_eq!(request.headers.get_text("x-amz-expires"), None);
}
