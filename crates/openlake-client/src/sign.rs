//! Signature Version 4 in the `Authorization` header, with `UNSIGNED-PAYLOAD`: bodies are guarded by
//! their CRC, which is signed.

use std::fmt::Write;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use openlake_coding::{hmac_sha256, sha256};

use crate::config::Credentials;

pub const UNSIGNED_PAYLOAD: &str = "UNSIGNED-PAYLOAD";

pub struct Signer {
    credentials: Credentials,
    region: String,
    /// The signing key of the day it was last needed.
    key: Mutex<(String, [u8; 32])>,
}

/// What is signed. Header names are lower case and sorted.
pub struct Unsigned<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    /// The value of `x-amz-content-sha256`.
    pub payload: &'a str,
}

impl Signer {
    pub fn new(credentials: Credentials, region: String) -> Self {
        Self { credentials, region, key: Mutex::new((String::new(), [0; 32])) }
    }

    pub fn session_token(&self) -> Option<&str> {
        self.credentials.session_token.as_deref()
    }

    /// The `Authorization` header's value; `date` is `x-amz-date`'s.
    pub fn authorization(&self, request: &Unsigned<'_>, date: &str) -> String {
        let mut names = String::new();
        let mut canonical = String::with_capacity(512);
        let (method, path, query) = (request.method, request.path, request.query);
        write!(canonical, "{method}\n{path}\n{query}\n").expect(INFALLIBLE);
        for (name, value) in request.headers {
            writeln!(canonical, "{name}:{}", value.trim()).expect(INFALLIBLE);
            let separator = if names.is_empty() { "" } else { ";" };
            write!(names, "{separator}{name}").expect(INFALLIBLE);
        }
        write!(canonical, "\n{names}\n{}", request.payload).expect(INFALLIBLE);
        let day = &date[..8];
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let hash = hex::encode(sha256(canonical.as_bytes()));
        let to_sign = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{hash}");
        let signature = hmac_sha256(&self.key_of(day), &[to_sign.as_bytes()]);
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={}",
            self.credentials.access_key,
            hex::encode(signature)
        )
    }

    fn key_of(&self, day: &str) -> [u8; 32] {
        let mut cached = self.key.lock().expect("no holder of this lock can panic");
        if cached.0 != day {
            let secret = format!("AWS4{}", self.credentials.secret_key);
            let mut key = hmac_sha256(secret.as_bytes(), &[day.as_bytes()]);
            for piece in [self.region.as_str(), "s3", "aws4_request"] {
                key = hmac_sha256(&key, &[piece.as_bytes()]);
            }
            *cached = (day.to_owned(), key);
        }
        cached.1
    }
}

const INFALLIBLE: &str = "writing to a String cannot fail";

/// Now, as `YYYYMMDDTHHMMSSZ`.
pub fn date_now() -> String {
    date_of(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

fn date_of(secs: u64) -> String {
    let (days, secs) = (secs / 86_400, secs % 86_400);
    // Civil date from days: years run from March, in cycles of 400 (146,097 days).
    let shifted = days + 719_468;
    let (cycle, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = (year + 400 * cycle + u64::from(month >= 10), (month + 2) % 12 + 1);
    format!(
        "{year:04}{month:02}{day_of_month:02}T{:02}{:02}{:02}Z",
        secs / 3600,
        secs / 60 % 60,
        secs % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_that_date_prints() {
        // By `date -u -d @N +%Y%m%dT%H%M%SZ`.
        for (secs, want) in [
            (0, "19700101T000000Z"),
            (951_782_400, "20000229T000000Z"),
            (1_369_353_600, "20130524T000000Z"),
            (4_107_542_399, "21000228T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(date_of(secs), want);
        }
    }

    /// The published examples "GET Object" and "Get Bucket (List Objects)" of the S3 API reference,
    /// "Signature Calculations for the Authorization Header".
    #[test]
    fn the_published_examples_have_the_published_signatures() {
        let signer = Signer::new(
            Credentials {
                access_key: "AKIAIOSFODNN7EXAMPLE".to_owned(),
                secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
                session_token: None,
            },
            "us-east-1".to_owned(),
        );
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let date = "20130524T000000Z";
        let host = ("host", "examplebucket.s3.amazonaws.com");
        let hash = ("x-amz-content-sha256", empty);
        let get = Unsigned {
            method: "GET",
            path: "/test.txt",
            query: "",
            headers: &[host, ("range", "bytes=0-9"), hash, ("x-amz-date", date)],
            payload: empty,
        };
        let authorization = signer.authorization(&get, date);
        assert!(
            authorization.ends_with(
                "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ),
            "{authorization}"
        );
        assert!(authorization.contains(
            "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
             SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
        ));
        let list = Unsigned {
            method: "GET",
            path: "/",
            query: "max-keys=2&prefix=J",
            headers: &[host, hash, ("x-amz-date", date)],
            payload: empty,
        };
        assert!(signer.authorization(&list, date).ends_with(
            "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ));
    }
}
