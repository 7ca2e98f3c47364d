//! The chain of signatures in an aws-chunked body: each chunk is signed over its bytes and the
//! signature before it, the first one over that of the request.

use hmac::Mac;
use hmac::digest::CtOutput;
use sha2::{Digest, Sha256};

use super::signing_key::{HmacSha256, SigningKey};
use crate::error::{S3Error, S3ErrorCode};

const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[derive(Clone)]
pub struct ChunkSigner {
    key: SigningKey,
    /// `<date>\n<scope>\n`.
    scope: Box<str>,
    previous: [u8; 64],
}

fn hex_text(bytes: &[u8; 32]) -> [u8; 64] {
    let mut text = [0; 64];
    hex::encode_to_slice(bytes, &mut text).expect("64 digits hold 32 bytes");
    text
}

impl ChunkSigner {
    pub(super) fn new(key: SigningKey, scope: Box<str>, seed: &[u8; 32]) -> Self {
        Self { key, scope, previous: hex_text(seed) }
    }

    /// Checks the signature of the next chunk, whose bytes have this SHA-256.
    pub fn check_chunk(&mut self, sha256: &[u8; 32], signature: &[u8; 32]) -> Result<(), S3Error> {
        let mac = self
            .begin("AWS4-HMAC-SHA256-PAYLOAD\n")
            .chain_update(EMPTY_SHA256)
            .chain_update(b"\n")
            .chain_update(hex_text(sha256));
        self.check(mac, signature)
    }

    /// Checks the signature of the trailers: their `name:value\n` lines, in order.
    pub fn check_trailers(&mut self, lines: &[u8], signature: &[u8; 32]) -> Result<(), S3Error> {
        let sha256: [u8; 32] = Sha256::digest(lines).into();
        let mac = self.begin("AWS4-HMAC-SHA256-TRAILER\n").chain_update(hex_text(&sha256));
        self.check(mac, signature)
    }

    fn begin(&self, kind: &str) -> HmacSha256 {
        self.key
            .clone()
            .chain_update(kind)
            .chain_update(self.scope.as_bytes())
            .chain_update(self.previous)
            .chain_update(b"\n")
    }

    fn check(&mut self, mac: HmacSha256, signature: &[u8; 32]) -> Result<(), S3Error> {
        // `CtOutput` compares in constant time.
        if mac.finalize() != CtOutput::new((*signature).into()) {
            return Err(S3Error::new(S3ErrorCode::SignatureDoesNotMatch));
        }
        self.previous = hex_text(signature);
        Ok(())
    }
}
