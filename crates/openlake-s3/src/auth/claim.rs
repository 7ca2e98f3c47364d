//! What a signed request claims about itself: whose key, which scope, which headers, which date.
//! Parsed strictly; every malformed form gets the answer that AWS gives.

use openlake_types::Timestamp;

use crate::error::{S3Error, S3ErrorCode};
use crate::http_date::{DateText, amz_date, parse_amz_date, parse_http_date};
use crate::request_head::HeaderMap;

pub(super) const ALGORITHM: &str = "AWS4-HMAC-SHA256";
pub(super) const SERVICE: &str = "s3";
pub(super) const TERMINATOR: &str = "aws4_request";
const SKEW_MS_MAX: u64 = 15 * 60 * 1000;

/// Where the signature travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Header,
    /// A presigned URL, good for so many seconds.
    Query {
        expires_secs: u32,
    },
}

#[derive(Debug)]
pub(super) struct Claim<'a> {
    pub carrier: Carrier,
    pub credential: Credential<'a>,
    /// Names joined by `;`, as signed.
    pub signed_headers: &'a str,
    /// `None` when it is not 64 hexadecimal digits, and so matches nothing.
    pub signature: Option<[u8; 32]>,
    /// As it stands in the string to sign.
    pub date: DateText<16>,
    pub at: Timestamp,
}

/// `<access key>/<yyyymmdd>/<region>/s3/aws4_request`.
#[derive(Debug)]
pub(super) struct Credential<'a> {
    pub access_key: &'a str,
    pub date: &'a str,
    pub region: &'a str,
}

impl Carrier {
    /// The error for a flaw in the credential.
    fn malformed(self, flaw: &str) -> S3Error {
        match self {
            Self::Header => S3Error::with_message(
                S3ErrorCode::AuthorizationHeaderMalformed,
                format!("The authorization header is malformed; {flaw}"),
            ),
            Self::Query { .. } => S3Error::with_message(
                S3ErrorCode::AuthorizationQueryParametersError,
                format!("Error parsing the X-Amz-Credential parameter; {flaw}"),
            ),
        }
    }
}

impl<'a> Credential<'a> {
    /// The access key may itself contain `/`, so the scope is split off from the right.
    pub fn parse(text: &'a str, carrier: Carrier) -> Result<Self, S3Error> {
        let mut parts = text.rsplitn(5, '/');
        let (terminator, service) = (parts.next(), parts.next());
        let (region, date, access_key) = (parts.next(), parts.next(), parts.next());
        let (Some(terminator), Some(service), Some(region), Some(date), Some(access_key)) =
            (terminator, service, region, date, access_key)
        else {
            return Err(carrier.malformed(
                "the Credential is mal-formed; expecting \
                 \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".",
            ));
        };
        if terminator != TERMINATOR {
            return Err(carrier.malformed(&format!(
                "incorrect terminal \"{terminator}\". This endpoint uses \"{TERMINATOR}\"."
            )));
        }
        if service != SERVICE {
            return Err(carrier.malformed(&format!(
                "incorrect service \"{service}\". This endpoint belongs to \"{SERVICE}\"."
            )));
        }
        if date.len() != 8 || !date.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(carrier.malformed(&format!(
                "incorrect date format \"{date}\". This date in the credential must be in the \
                 format \"yyyyMMdd\"."
            )));
        }
        if access_key.is_empty() {
            return Err(carrier.malformed("a non-empty Access Key (AKID) must be provided."));
        }
        Ok(Self { access_key, date, region })
    }
}

impl<'a> Claim<'a> {
    /// Reads the value of an Authorization header.
    pub fn from_header(authorization: &'a [u8], headers: &HeaderMap) -> Result<Self, S3Error> {
        let parts = authorization_parts(authorization)?;
        let credential = Credential::parse(parts.credential, Carrier::Header)?;
        let (date, at) = header_date(headers)?;
        Ok(Self {
            carrier: Carrier::Header,
            credential,
            signed_headers: parts.signed_headers,
            signature: decode_signature(parts.signature),
            date,
            at,
        })
    }

    /// The scope's date is that of the request and its region one that this endpoint serves.
    /// Returns the position of the region.
    pub fn check_scope(&self, regions: &[Box<str>]) -> Result<usize, S3Error> {
        let scope = &self.credential;
        if scope.date.as_bytes() != &self.date.as_bytes()[..8] {
            return Err(self.carrier.malformed(&format!(
                "Invalid credential date \"{}\". This date is not the same as X-Amz-Date: \"{}\".",
                scope.date,
                &self.date.as_str()[..8]
            )));
        }
        regions.iter().position(|region| **region == *scope.region).ok_or_else(|| {
            let expected = regions.first().map_or("", |region| region);
            self.carrier
                .malformed(&format!(
                    "the region '{}' is wrong; expecting '{expected}'",
                    scope.region
                ))
                .field("Region", expected)
        })
    }

    pub fn check_time(&self, now: Timestamp) -> Result<(), S3Error> {
        let denied = |message| S3Error::with_message(S3ErrorCode::AccessDenied, message);
        match self.carrier {
            Carrier::Header if self.at.0.abs_diff(now.0) > SKEW_MS_MAX => {
                Err(S3Error::new(S3ErrorCode::RequestTimeTooSkewed)
                    .field("RequestTime", self.date.as_str())
                    .field("ServerTime", crate::http_date::iso_date(now).as_str())
                    .field("MaxAllowedSkewMilliseconds", SKEW_MS_MAX.to_string()))
            }
            Carrier::Query { .. } if self.at.0 > now.0 + SKEW_MS_MAX => {
                Err(denied("Request is not yet valid"))
            }
            Carrier::Query { expires_secs } => {
                let expires = Timestamp(self.at.0 + u64::from(expires_secs) * 1000);
                if now <= expires {
                    return Ok(());
                }
                Err(denied("Request has expired")
                    .field("X-Amz-Expires", expires_secs.to_string())
                    .field("Expires", crate::http_date::iso_date(expires).as_str())
                    .field("ServerTime", crate::http_date::iso_date(now).as_str()))
            }
            Carrier::Header => Ok(()),
        }
    }
}

pub(super) fn decode_signature(text: &str) -> Option<[u8; 32]> {
    let mut signature = [0; 32];
    hex::decode_to_slice(text, &mut signature).ok()?;
    Some(signature)
}

struct AuthorizationParts<'a> {
    credential: &'a str,
    signed_headers: &'a str,
    signature: &'a str,
}

/// `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`; the space after a comma is
/// optional.
fn authorization_parts(value: &[u8]) -> Result<AuthorizationParts<'_>, S3Error> {
    let malformed =
        |flaw: &'static str| S3Error::with_message(S3ErrorCode::AuthorizationHeaderMalformed, flaw);
    let Ok(value) = std::str::from_utf8(value) else {
        return Err(malformed("The authorization header is malformed; it is not UTF-8."));
    };
    if let Some(parts) = usual_parts(value) {
        return Ok(parts);
    }
    let (mechanism, fields) = value.split_once(' ').unwrap_or((value, ""));
    check_mechanism(mechanism)?;
    let (mut credential, mut signed_headers, mut signature) = (None, None, None);
    for field in fields.split(',') {
        let (name, value) = field.trim().split_once('=').unwrap_or_default();
        let slot = match name {
            "Credential" => &mut credential,
            "SignedHeaders" => &mut signed_headers,
            "Signature" => &mut signature,
            _ => continue,
        };
        if slot.replace(value).is_some() {
            return Err(malformed("The authorization header is malformed; a field is repeated."));
        }
    }
    match (credential, signed_headers, signature) {
        (Some(credential), Some(signed_headers), Some(signature))
            if !signed_headers.is_empty() && !signature.is_empty() =>
        {
            Ok(AuthorizationParts { credential, signed_headers, signature })
        }
        _ => Err(malformed(
            "The authorization header is malformed; the authorization header requires three \
             components: Credential, SignedHeaders, and Signature.",
        )),
    }
}

/// The three fields as nearly every client writes them, found in one pass.
fn usual_parts(value: &str) -> Option<AuthorizationParts<'_>> {
    let rest = value.strip_prefix("AWS4-HMAC-SHA256 Credential=")?;
    let (credential, rest) = split_at_comma(rest)?;
    let rest = rest.trim_start_matches(' ').strip_prefix("SignedHeaders=")?;
    let (signed_headers, rest) = split_at_comma(rest)?;
    let signature = rest.trim_start_matches(' ').strip_prefix("Signature=")?;
    let is_whole = signature.len() == 64 && !signed_headers.is_empty();
    let is_digits = signature.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_whole && is_digits).then_some(AuthorizationParts { credential, signed_headers, signature })
}

fn split_at_comma(text: &str) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == b',')?;
    Some((&text[..at], &text[at + 1..]))
}

fn check_mechanism(mechanism: &str) -> Result<(), S3Error> {
    match mechanism {
        ALGORITHM => Ok(()),
        "AWS" => Err(S3Error::with_message(
            S3ErrorCode::InvalidRequest,
            "The authorization mechanism you have provided is not supported. Please use \
             AWS4-HMAC-SHA256.",
        )),
        "AWS4-ECDSA-P256-SHA256" => Err(S3Error::with_message(
            S3ErrorCode::NotImplemented,
            "Signature Version 4A is not supported. Please use AWS4-HMAC-SHA256.",
        )),
        _ => Err(S3Error::with_message(
            S3ErrorCode::InvalidArgument,
            "Unsupported Authorization Type",
        )
        .field("ArgumentName", "Authorization")),
    }
}

/// `x-amz-date` wins over `Date`; one of them is required.
fn header_date(headers: &HeaderMap) -> Result<(DateText<16>, Timestamp), S3Error> {
    let at = match headers.get("x-amz-date") {
        Some(text) => match (parse_amz_date(text), DateText::from_ascii(text)) {
            // As the client wrote it, which is what nearly every client does.
            (Some(at), Some(text)) => return Ok((text, at)),
            _ => parse_http_date(text),
        },
        None => headers
            .get("date")
            .and_then(|text| parse_amz_date(text).or_else(|| parse_http_date(text))),
    };
    let at = at.ok_or_else(|| {
        S3Error::with_message(
            S3ErrorCode::AccessDenied,
            "AWS authentication requires a valid Date or x-amz-date header",
        )
    })?;
    Ok((amz_date(at), at))
}
