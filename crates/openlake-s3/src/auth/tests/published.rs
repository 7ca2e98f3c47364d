//! "Examples: Signature Calculations" of the S3 API reference, sigv4-header-based-auth.html,
//! sigv4-query-string-auth.html and sigv4-streaming.html. All are for 24 May 2013.

use super::{AuthContext, EMPTY, code_at, head, verify_at};
use crate::body::PayloadMode;
use crate::error::S3ErrorCode;
use crate::request_head::RequestHead;

const NOW: &str = "20130524T000000Z";

fn signed(signed_headers: &str, signature: &str) -> String {
    format!(
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
         SignedHeaders={signed_headers},Signature={signature}"
    )
}

fn get_object(signature: &str) -> RequestHead {
    let authorization = signed("host;range;x-amz-content-sha256;x-amz-date", signature);
    head(
        "GET",
        "/test.txt",
        &[
            ("host", "examplebucket.s3.amazonaws.com"),
            ("authorization", &authorization),
            ("range", "bytes=0-9"),
            ("x-amz-content-sha256", EMPTY),
            ("x-amz-date", NOW),
        ],
    )
}

const GET_OBJECT: &str = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";

#[test]
fn get_object_verifies() {
    let context = verify_at(get_object(GET_OBJECT), NOW).expect("published signature");
    assert_eq!(context.identity.user_id(), "user-1");
    assert!(context.identity.is_root() && !context.is_presigned);
    assert!(matches!(context.payload, PayloadMode::Sha256(_)));
}

#[test]
fn sec1_every_single_changed_digit_is_refused() {
    for place in 0..GET_OBJECT.len() {
        let mut signature = GET_OBJECT.as_bytes().to_vec();
        signature[place] = if signature[place] == b'0' { b'1' } else { b'0' };
        let signature = String::from_utf8(signature).expect("digits");
        assert_eq!(code_at(get_object(&signature), NOW), S3ErrorCode::SignatureDoesNotMatch);
    }
    for signature in ["f0", "not hexadecimal", &"0".repeat(64), &"0".repeat(65)] {
        assert_eq!(code_at(get_object(signature), NOW), S3ErrorCode::SignatureDoesNotMatch);
    }
}

#[test]
fn put_object_verifies() {
    let authorization = signed(
        "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    );
    let request = head(
        "PUT",
        "/test%24file.text",
        &[
            ("host", "examplebucket.s3.amazonaws.com"),
            ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            ("authorization", &authorization),
            ("x-amz-date", NOW),
            ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            (
                "x-amz-content-sha256",
                "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            ),
        ],
    );
    verify_at(request, NOW).expect("published signature");
}

#[test]
fn queries_verify() {
    for (target, signature) in [
        ("/?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        (
            "/?max-keys=2&prefix=J",
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        ),
    ] {
        let authorization = signed("host;x-amz-content-sha256;x-amz-date", signature);
        let request = head(
            "GET",
            target,
            &[
                ("host", "examplebucket.s3.amazonaws.com"),
                ("authorization", &authorization),
                ("x-amz-date", NOW),
                ("x-amz-content-sha256", EMPTY),
            ],
        );
        verify_at(request, NOW).expect("published signature");
    }
}

#[test]
fn presigned_url_verifies_until_it_expires() {
    let target = "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=\
                  AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request\
                  &X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host\
                  &X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
    let request = || head("GET", target, &[("host", "examplebucket.s3.amazonaws.com")]);
    let context = verify_at(request(), NOW).expect("published signature");
    assert!(context.is_presigned);
    assert_eq!(context.payload, PayloadMode::Unsigned);
    verify_at(request(), "20130525T000000Z").expect("the last second");
    verify_at(request(), "20130523T234500Z").expect("a clock that is 15 minutes behind");
    assert_eq!(code_at(request(), "20130525T000001Z"), S3ErrorCode::AccessDenied);
    assert_eq!(code_at(request(), "20130523T234459Z"), S3ErrorCode::AccessDenied);
}

/// The request of "Signature calculations: transfer payload in multiple chunks", and its variant with
/// trailing headers; the seed signatures are part of them.
pub(crate) fn streaming_request(has_trailer: bool) -> RequestHead {
    let (mode, seed, names) = if has_trailer {
        (
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
            "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
            "content-encoding;host;x-amz-content-sha256;x-amz-date;\
             x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer",
        )
    } else {
        (
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
            "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
            "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;\
             x-amz-decoded-content-length;x-amz-storage-class",
        )
    };
    let authorization = signed(names, seed);
    let mut headers = vec![
        ("host", "s3.amazonaws.com"),
        ("x-amz-date", NOW),
        ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ("authorization", &authorization),
        ("x-amz-content-sha256", mode),
        ("content-encoding", "aws-chunked"),
        ("x-amz-decoded-content-length", "66560"),
    ];
    if has_trailer {
        headers.extend([("x-amz-trailer", "x-amz-checksum-crc32c"), ("content-length", "66946")]);
    } else {
        headers.push(("content-length", "66824"));
    }
    head("PUT", "/examplebucket/chunkObject.txt", &headers)
}

pub(crate) fn streaming_context(has_trailer: bool) -> AuthContext {
    verify_at(streaming_request(has_trailer), NOW).expect("published signature")
}

#[test]
fn streaming_seeds_verify() {
    for has_trailer in [false, true] {
        let context = streaming_context(has_trailer);
        assert_eq!(context.payload, PayloadMode::SignedChunks { has_trailer });
        assert!(context.chunk_signer.is_some());
    }
}
