//! A signature in the query: the `X-Amz-*` parameters of a presigned URL.

use std::borrow::Cow;

use super::claim::{ALGORITHM, Carrier, Claim, Credential, decode_signature};
use super::uri::{decode_query, query_pairs};
use crate::error::{S3Error, S3ErrorCode};
use crate::http_date::{amz_date, parse_amz_date};

/// Seven days.
const EXPIRES_SECS_MAX: u32 = 604_800;

/// The decoded parameters that carry a signature.
#[derive(Debug, Default)]
pub(super) struct PresignedQuery<'a> {
    algorithm: Option<Cow<'a, str>>,
    credential: Option<Cow<'a, str>>,
    date: Option<Cow<'a, str>>,
    expires: Option<Cow<'a, str>>,
    signed_headers: Option<Cow<'a, str>>,
    signature: Option<Cow<'a, str>>,
    security_token: Option<Cow<'a, str>>,
    content_sha256: Option<Cow<'a, str>>,
}

fn parameters_error(message: impl Into<Cow<'static, str>>) -> S3Error {
    S3Error::with_message(S3ErrorCode::AuthorizationQueryParametersError, message)
}

impl<'a> PresignedQuery<'a> {
    /// `None` when the query carries no part of a signature.
    pub fn from_query(query: &'a [u8]) -> Result<Option<Self>, S3Error> {
        if query.len() < b"Signature=".len() {
            return Ok(None);
        }
        let mut found = Self::default();
        let mut is_signed = false;
        for (name, value) in query_pairs(query) {
            let slot = match name {
                b"X-Amz-Algorithm" => &mut found.algorithm,
                b"X-Amz-Credential" => &mut found.credential,
                b"X-Amz-Date" => &mut found.date,
                b"X-Amz-Expires" => &mut found.expires,
                b"X-Amz-SignedHeaders" => &mut found.signed_headers,
                b"X-Amz-Signature" => &mut found.signature,
                b"X-Amz-Security-Token" => &mut found.security_token,
                b"X-Amz-Content-Sha256" => &mut found.content_sha256,
                b"Signature" | b"AWSAccessKeyId" => return Err(signature_version_2()),
                _ => continue,
            };
            is_signed |=
                matches!(name, b"X-Amz-Algorithm" | b"X-Amz-Credential" | b"X-Amz-Signature");
            if slot.replace(decoded(value)?).is_some() {
                return Err(parameters_error("An X-Amz query parameter is given twice."));
            }
        }
        Ok(is_signed.then_some(found))
    }

    pub fn has_security_token(&self) -> bool {
        self.security_token.is_some()
    }

    pub fn content_sha256(&self) -> Option<&str> {
        self.content_sha256.as_deref()
    }

    pub fn claim(&self) -> Result<Claim<'_>, S3Error> {
        let (Some(algorithm), Some(credential), Some(date), Some(expires)) =
            (&self.algorithm, &self.credential, &self.date, &self.expires)
        else {
            return Err(missing_parameter());
        };
        let (Some(signed_headers), Some(signature)) = (&self.signed_headers, &self.signature)
        else {
            return Err(missing_parameter());
        };
        if algorithm == "AWS4-ECDSA-P256-SHA256" {
            return Err(S3Error::with_message(
                S3ErrorCode::NotImplemented,
                "Signature Version 4A is not supported. Please use AWS4-HMAC-SHA256.",
            ));
        }
        if algorithm != ALGORITHM {
            return Err(parameters_error("X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256\""));
        }
        let carrier = Carrier::Query { expires_secs: parse_expires(expires)? };
        let credential = Credential::parse(credential, carrier)?;
        let at = parse_amz_date(date.as_bytes()).ok_or_else(|| {
            parameters_error(
                "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"",
            )
        })?;
        let signature = decode_signature(signature);
        Ok(Claim { carrier, credential, signed_headers, signature, date: amz_date(at), at })
    }
}

fn parse_expires(text: &str) -> Result<u32, S3Error> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(parameters_error("X-Amz-Expires should be a number"));
    }
    if text.starts_with('-') {
        return Err(parameters_error("X-Amz-Expires must be non-negative"));
    }
    match digits.parse() {
        Ok(0) => Err(parameters_error("X-Amz-Expires must be at least one second")),
        Ok(expires) if expires <= EXPIRES_SECS_MAX => Ok(expires),
        _ => Err(parameters_error(
            "X-Amz-Expires must be less than a week (in seconds); that is, the given \
             X-Amz-Expires must be less than 604800 seconds",
        )),
    }
}

fn missing_parameter() -> S3Error {
    parameters_error(
        "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, \
         X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.",
    )
}

fn signature_version_2() -> S3Error {
    S3Error::with_message(
        S3ErrorCode::InvalidRequest,
        "The authorization mechanism you have provided is not supported. Please use \
         AWS4-HMAC-SHA256.",
    )
}

fn decoded(raw: &[u8]) -> Result<Cow<'_, str>, S3Error> {
    let not_text = || parameters_error("An X-Amz query parameter is not valid UTF-8.");
    if !raw.iter().any(|byte| matches!(byte, b'%' | b'+')) {
        return std::str::from_utf8(raw).map(Cow::Borrowed).map_err(|_| not_text());
    }
    let mut bytes = Vec::with_capacity(raw.len());
    decode_query(raw, &mut bytes)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| not_text())
}
