//! Requests for keys that servers get wrong, signed by botocore: each must verify as it stands, and
//! none after its target was changed.

use bytes::Bytes;
use openlake_s3::auth::{AuthContext, KeyTable, SecretKey, Verifier};
use openlake_s3::http_date::parse_amz_date;
use openlake_s3::{HeaderMap, Method, RequestHead, S3Error, S3ErrorCode};

const SIGNED: &str = include_str!("data/botocore_signatures.txt");
const DATE: &str = "20130524T000000Z";
const CREDENTIAL: &str = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn request(line: &str, target_end: &str) -> RequestHead {
    let parts: Vec<_> = line.split(' ').collect();
    let [carrier, method, target, signature] = parts[..] else { panic!("{line}") };
    let mut target = format!("{target}{target_end}");
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={CREDENTIAL}, \
         SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature={signature}"
    );
    let mut headers = vec![("host", "localhost:9000")];
    if carrier == "header" {
        let signed = [
            ("x-amz-date", DATE),
            ("x-amz-content-sha256", EMPTY),
            ("authorization", &authorization),
        ];
        headers.extend(signed);
    } else {
        let separator = if target.contains('?') { '&' } else { '?' };
        let credential = CREDENTIAL.replace('/', "%2F");
        target = format!(
            "{target}{separator}X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}\
             &X-Amz-Date={DATE}&X-Amz-Expires=60&X-Amz-SignedHeaders=host\
             &X-Amz-Signature={signature}"
        );
    }
    RequestHead {
        method: Method::from_bytes(method.as_bytes()),
        target: Bytes::from(target),
        headers: HeaderMap::from_pairs(headers.iter().map(|(name, v)| (*name, v.as_bytes()))),
    }
}

fn verify(mut head: RequestHead) -> Result<AuthContext, S3Error> {
    let mut table = KeyTable::default();
    let secret = SecretKey::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY").expect("not empty");
    table.insert("AKIAIOSFODNN7EXAMPLE", secret, "user", false);
    let now = parse_amz_date(DATE.as_bytes()).expect("a date");
    Verifier::new(&["us-east-1"]).verify(&mut head, &table, now)
}

#[test]
fn ky14_keys_verify_as_botocore_signed_them() {
    let mut count = 0;
    for line in SIGNED.lines().filter(|line| !line.starts_with('#')) {
        if let Err(error) = verify(request(line, "")) {
            panic!("{line}: {error}");
        }
        let changed = verify(request(line, "x")).map(|_| ()).expect_err(line);
        assert_eq!(changed.code, S3ErrorCode::SignatureDoesNotMatch);
        count += 1;
    }
    assert_eq!(count, 483);
}
