//! Decides whether a request is from who it says. One a shard; it keeps its buffers and signing keys,
//! so that a verification of a usual request takes a few microseconds and no allocation.

use std::cell::RefCell;

use hmac::Mac;
use openlake_types::Timestamp;
use sha2::{Digest, Sha256};

use super::canonical::{CanonicalRequest, SignedParts};
use super::chunk_signer::ChunkSigner;
use super::claim::{ALGORITHM, Carrier, Claim, SERVICE, TERMINATOR};
use super::keys::{Identity, KeyTable};
use super::lift::lift_query_headers;
use super::presigned::PresignedQuery;
use super::signing_key::{SigningKey, SigningKeyCache};
use crate::body::PayloadMode;
use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::{HeaderMap, RequestHead};

pub struct Verifier {
    regions: Vec<Box<str>>,
    keys: RefCell<SigningKeyCache>,
    canonical: RefCell<CanonicalRequest>,
}

/// A verified request.
pub struct AuthContext {
    pub identity: Identity,
    pub payload: PayloadMode,
    /// Present when `payload` is one of the modes with signed chunks.
    pub chunk_signer: Option<ChunkSigner>,
    pub is_presigned: bool,
}

impl Verifier {
    /// `regions`: those whose scopes are accepted; errors name the first.
    pub fn new(regions: &[&str]) -> Self {
        Self {
            regions: regions.iter().map(|&region| region.into()).collect(),
            keys: RefCell::new(SigningKeyCache::new()),
            canonical: RefCell::default(),
        }
    }

    /// Verifies a request, and makes headers of the `x-amz-*` parameters of its query.
    pub fn verify(
        &self,
        head: &mut RequestHead,
        table: &KeyTable,
        now: Timestamp,
    ) -> Result<AuthContext, S3Error> {
        refuse_repeated(&head.headers)?;
        let context = self.verify_head(head, table, now)?;
        lift_query_headers(head, context.is_presigned)?;
        Ok(context)
    }

    fn verify_head(
        &self,
        head: &RequestHead,
        table: &KeyTable,
        now: Timestamp,
    ) -> Result<AuthContext, S3Error> {
        let query = PresignedQuery::from_query(head.query())?;
        let authorization = head.headers.get("authorization");
        let claim = match (&query, authorization) {
            (None, None) => return Err(S3Error::new(S3ErrorCode::AccessDenied)),
            (Some(_), Some(_)) => return Err(two_mechanisms()),
            (Some(query), None) => query.claim()?,
            (None, Some(value)) => Claim::from_header(value, &head.headers)?,
        };
        let payload_hash = payload_hash(&head.headers, query.as_ref())?;
        let payload = PayloadMode::parse(payload_hash)?;
        let region = claim.check_scope(&self.regions)?;
        let identity = table.get(claim.credential.access_key).ok_or_else(|| {
            S3Error::new(S3ErrorCode::InvalidAccessKeyId)
                .field("AWSAccessKeyId", claim.credential.access_key)
        })?;
        claim.check_time(now)?;
        let has_token = query.as_ref().is_some_and(PresignedQuery::has_security_token)
            || head.headers.get("x-amz-security-token").is_some();
        if has_token {
            return Err(S3Error::new(S3ErrorCode::InvalidToken));
        }
        check_signed_headers(&head.headers, claim.signed_headers)?;
        let mut keys = self.keys.borrow_mut();
        let key = keys.get(identity, claim.credential.date, (region, claim.credential.region));
        let signature = self.check_signature(head, &claim, payload_hash, key)?;
        let chunk_signer = payload.has_signed_chunks().then(|| {
            ChunkSigner::new(key.clone(), scope_lines(&claim).into_boxed_str(), &signature)
        });
        let is_presigned = claim.carrier != Carrier::Header;
        Ok(AuthContext { identity: identity.clone(), payload, chunk_signer, is_presigned })
    }

    fn check_signature(
        &self,
        head: &RequestHead,
        claim: &Claim,
        payload_hash: &str,
        key: &SigningKey,
    ) -> Result<[u8; 32], S3Error> {
        let Some(method) = head.method.name() else {
            return Err(S3Error::new(S3ErrorCode::MethodNotAllowed));
        };
        let parts = SignedParts { method, signed_headers: claim.signed_headers, payload_hash };
        let mut canonical = self.canonical.borrow_mut();
        let canonical = canonical.build(head, parts)?;
        let mut digest = [0; 64];
        hex::encode_to_slice(Sha256::digest(canonical), &mut digest)
            .expect("64 digits hold 32 bytes");
        let mac = key
            .clone()
            .chain_update(ALGORITHM)
            .chain_update(b"\n")
            .chain_update(scope_lines(claim))
            .chain_update(digest);
        let verified = claim.signature.filter(|signature| mac.verify_slice(signature).is_ok());
        verified.ok_or_else(|| mismatch(claim, &digest))
    }
}

/// `<date>\n<scope>\n`, the middle of every string to sign.
fn scope_lines(claim: &Claim) -> String {
    let (date, scope) = (claim.date.as_str(), &claim.credential);
    let mut lines = String::with_capacity(80);
    for part in [date, "\n", scope.date, "/", scope.region, "/", SERVICE, "/", TERMINATOR, "\n"] {
        lines.push_str(part);
    }
    lines
}

/// Says what was to be signed, so that the author of a client can compare; nothing in it is secret.
fn mismatch(claim: &Claim, canonical_digest: &[u8; 64]) -> S3Error {
    let digest = String::from_utf8_lossy(canonical_digest);
    let string_to_sign = format!("{ALGORITHM}\n{}{digest}", scope_lines(claim));
    S3Error::new(S3ErrorCode::SignatureDoesNotMatch)
        .field("AWSAccessKeyId", claim.credential.access_key)
        .field("StringToSign", string_to_sign)
}

fn two_mechanisms() -> S3Error {
    S3Error::with_message(
        S3ErrorCode::InvalidArgument,
        "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature \
         query string parameter or the Authorization header should be specified",
    )
    .field("ArgumentName", "Authorization")
}

/// The last line of the canonical request.
fn payload_hash<'a>(
    headers: &'a HeaderMap,
    query: Option<&'a PresignedQuery>,
) -> Result<&'a str, S3Error> {
    let of_query = query.and_then(PresignedQuery::content_sha256);
    if let Some(value) = headers.get("x-amz-content-sha256") {
        let value = std::str::from_utf8(value).map_err(|_| PayloadMode::invalid())?;
        return match of_query {
            Some(other) if other != value => Err(repeated("x-amz-content-sha256")),
            _ => Ok(value),
        };
    }
    match query {
        Some(_) => Ok(of_query.unwrap_or("UNSIGNED-PAYLOAD")),
        None => Err(S3Error::with_message(
            S3ErrorCode::InvalidRequest,
            "Missing required header for this request: x-amz-content-sha256",
        )),
    }
}

/// Headers that have one value, and those that are read as if they had: two could be read in two
/// ways (SEC13).
const SINGLE: [&[u8]; 13] = [
    b"host",
    b"date",
    b"authorization",
    b"content-md5",
    b"content-type",
    b"content-length",
    b"expect",
    b"range",
    b"if-match",
    b"if-modified-since",
    b"if-none-match",
    b"if-range",
    b"if-unmodified-since",
];

/// Of S3, or of us beside it: such a header says what is to be done.
fn is_of_service(name: &[u8]) -> bool {
    name.starts_with(b"x-amz-") || name.starts_with(b"x-openlake-")
}

fn refuse_repeated(headers: &HeaderMap) -> Result<(), S3Error> {
    for (position, (name, _)) in headers.iter().enumerate() {
        let is_list = name.starts_with(b"x-amz-meta-") || name == b"x-amz-object-attributes";
        let is_single = is_of_service(name) && !is_list || SINGLE.contains(&name);
        if is_single && headers.iter().skip(position + 1).any(|(other, _)| other == name) {
            return Err(repeated(&String::from_utf8_lossy(name)));
        }
    }
    Ok(())
}

fn repeated(name: &str) -> S3Error {
    S3Error::with_message(S3ErrorCode::InvalidArgument, "This header may be given only once")
        .field("ArgumentName", name)
}

/// The host and every header of the service are covered by the signature (SEC9).
fn check_signed_headers(headers: &HeaderMap, signed: &str) -> Result<(), S3Error> {
    let is_signed = |name: &[u8]| signed.split(';').any(|other| other.as_bytes() == name);
    let mut unsigned = Vec::new();
    if !is_signed(b"host") {
        unsigned.push("host".to_owned());
    }
    for (name, _) in headers.iter() {
        if is_of_service(name) && !is_signed(name) {
            unsigned.push(String::from_utf8_lossy(name).into_owned());
        }
    }
    if unsigned.is_empty() {
        return Ok(());
    }
    Err(S3Error::with_message(
        S3ErrorCode::AccessDenied,
        "There were headers present in the request which were not signed",
    )
    .field("HeadersNotSigned", unsigned.join(", ")))
}
