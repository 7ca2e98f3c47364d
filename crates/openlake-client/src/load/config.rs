//! What load to make.

use std::str::FromStr;
use std::time::Duration;

use openlake_types::limits::{LIST_KEYS_MAX, PART_BYTES_MIN, PART_NUMBER_MAX};

use crate::config::ClientConfig;
use crate::error::{ClientError, ErrorKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Put,
    Get,
    Head,
    /// GET of `range_bytes` at a random place.
    Range,
    Delete,
    /// A listing page under the key prefix.
    List,
    /// UploadPart alone: the uploads begin before the clock and are aborted after it; a part that
    /// comes again replaces itself.
    UploadPart,
    /// Whole multipart uploads; what is timed is each UploadPart.
    MultipartPut,
}

impl FromStr for Verb {
    type Err = ClientError;

    fn from_str(text: &str) -> Result<Self, ClientError> {
        Ok(match text {
            "put" => Self::Put,
            "get" => Self::Get,
            "head" => Self::Head,
            "range" => Self::Range,
            "delete" => Self::Delete,
            "list" => Self::List,
            "upload-part" => Self::UploadPart,
            "multipart-put" => Self::MultipartPut,
            _ => {
                let verbs = "put, get, head, range, delete, list, upload-part, multipart-put";
                return Err(invalid(format!("{text:?} is not one of {verbs}")));
            }
        })
    }
}

#[derive(Clone)]
pub struct LoadConfig {
    pub client: ClientConfig,
    pub verb: Verb,
    pub bucket: String,
    /// Keys are this and a number below `keys`. PUT and DELETE take them in turn, GET at random.
    pub key_prefix: String,
    pub keys: u32,
    pub object_bytes: u64,
    pub range_bytes: u64,
    /// For multipart uploads.
    pub part_bytes: usize,
    pub parts: u16,
    pub connections: u32,
    pub threads: u32,
    pub duration: Duration,
    /// Stops earlier once this many requests were begun.
    pub requests_max: Option<u64>,
    /// Requests arrive at random at this rate, whether or not earlier ones are answered (open
    /// loop). None: each connection sends its next request when it has its answer (closed loop).
    pub rate_per_s: Option<f64>,
    /// PUTs and parts carry their CRC-64/NVME.
    pub checksum: bool,
    pub seed: u64,
}

impl LoadConfig {
    pub fn new(client: ClientConfig, verb: Verb, bucket: impl Into<String>) -> Self {
        Self {
            client,
            verb,
            bucket: bucket.into(),
            key_prefix: "load/".to_owned(),
            keys: 1024,
            object_bytes: 4096,
            range_bytes: 4096,
            part_bytes: 32 << 20,
            parts: 8,
            connections: 1,
            threads: 1,
            duration: Duration::from_secs(3),
            requests_max: None,
            rate_per_s: None,
            checksum: true,
            seed: 1,
        }
    }

    pub(super) fn check(&self) -> Result<(), ClientError> {
        let fail = |message: &str| Err(invalid(message));
        if self.connections == 0 || self.threads == 0 || self.keys == 0 {
            return fail("connections, threads and keys must be at least 1");
        }
        if self.duration.is_zero() || self.duration > Duration::from_mins(14) {
            // Requests are signed at the start, and a signature holds for 15 minutes.
            return fail("the duration must be between 0 and 14 minutes");
        }
        if self.keys > 1 << 20 {
            return fail("at most 1,048,576 keys: each is signed and kept");
        }
        if self.verb == Verb::Range && !(1..=self.object_bytes).contains(&self.range_bytes) {
            return fail("range_bytes must be between 1 and object_bytes");
        }
        if self.rate_per_s.is_some_and(|rate| !(rate > 0.0 && rate < 1e8)) {
            return fail("the rate must be greater than 0 and finite");
        }
        if matches!(self.verb, Verb::UploadPart | Verb::MultipartPut) {
            let too_small = self.parts > 1 && (self.part_bytes as u64) < PART_BYTES_MIN;
            if !(1..=PART_NUMBER_MAX).contains(&self.parts) || self.part_bytes == 0 || too_small {
                return fail("1 to 10,000 parts, of at least 5 MiB if more than one");
            }
            if self.verb == Verb::MultipartPut && self.rate_per_s.is_some() {
                return fail("multipart uploads run in a closed loop; give no rate");
            }
        }
        Ok(())
    }

    /// Bytes of a request's body.
    pub(super) const fn body_bytes(&self) -> u64 {
        match self.verb {
            Verb::Put => self.object_bytes,
            Verb::UploadPart => self.part_bytes as u64,
            _ => 0,
        }
    }

    pub(super) fn key(&self, number: u32) -> String {
        format!("{}{number:07}", self.key_prefix)
    }

    pub(super) const fn list_keys_max() -> usize {
        LIST_KEYS_MAX
    }
}

fn invalid(message: impl Into<String>) -> ClientError {
    ClientError::new(ErrorKind::InvalidInput, message)
}
