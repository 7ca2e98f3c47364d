//! The requests of a run, signed once at its start: what is left to do for each is a copy.

use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::body::Body;
use super::config::{LoadConfig, Verb};
use super::pace::Random;
use crate::client::Client;
use crate::ops::object::CRC64NVME_HEADER;
use crate::request::Request;

pub struct Requests {
    verb: Verb,
    /// One a key, one a part of each key's upload, or a single one for a listing.
    heads: Vec<String>,
    pub body: Body,
    object_bytes: u64,
    range_bytes: u64,
}

impl Requests {
    /// `uploads`: the id of each key's upload, for parts.
    pub fn new(client: &Client, config: &LoadConfig, uploads: &[String]) -> Self {
        let body = Body::new(config.body_bytes(), config.seed);
        let crc = BASE64.encode(body.crc64nvme());
        let heads = match config.verb {
            Verb::List => 1,
            Verb::UploadPart => config.keys * u32::from(config.parts),
            _ => config.keys,
        };
        let bucket = config.bucket.as_str();
        let head = |number: u32| {
            let (number, part) = match config.verb {
                Verb::UploadPart => (number % config.keys, number / config.keys + 1),
                _ => (number, 0),
            };
            let key = config.key(number);
            let mut request = match config.verb {
                Verb::Put | Verb::MultipartPut => Request::new("PUT", bucket, &key),
                Verb::UploadPart if config.checksum => client
                    .with_part_etag(Request::new("PUT", bucket, &key))
                    .query("partNumber", part.to_string())
                    .query("uploadId", uploads[number as usize].as_str()),
                Verb::UploadPart => Request::new("PUT", bucket, &key)
                    .query("partNumber", part.to_string())
                    .query("uploadId", uploads[number as usize].as_str()),
                Verb::Get | Verb::Range => Request::new("GET", bucket, &key),
                Verb::Head => Request::new("HEAD", bucket, &key),
                Verb::Delete => Request::new("DELETE", bucket, &key),
                Verb::List => Request::new("GET", bucket, "")
                    .query("list-type", "2")
                    .query("prefix", config.key_prefix.as_str())
                    .query("max-keys", LoadConfig::list_keys_max().to_string()),
            };
            if config.checksum && body.len() > 0 {
                request = request.header(CRC64NVME_HEADER, crc.as_str());
            }
            let mut head = client.head_for(&request, body.len());
            if config.verb == Verb::Range {
                // The range follows unsigned, as S3 allows.
                head.truncate(head.len() - 2);
            }
            head
        };
        Self {
            verb: config.verb,
            heads: (0..heads).map(head).collect(),
            body,
            object_bytes: config.object_bytes,
            range_bytes: config.range_bytes,
        }
    }

    /// Writes the head of the request that is the `turn`th of the run.
    pub fn write(&self, head: &mut Vec<u8>, turn: u64, random: &mut Random) {
        let count = self.heads.len() as u64;
        let number = match self.verb {
            Verb::Put | Verb::UploadPart | Verb::Delete | Verb::List | Verb::MultipartPut => {
                turn % count
            }
            Verb::Get | Verb::Head | Verb::Range => random.below(count),
        };
        head.clear();
        head.extend_from_slice(self.heads[number as usize].as_bytes());
        if self.verb == Verb::Range {
            let places = (self.object_bytes - self.range_bytes) / self.range_bytes + 1;
            let first = random.below(places) * self.range_bytes;
            let last = first + self.range_bytes - 1;
            let mut line = String::with_capacity(64);
            write!(line, "range: bytes={first}-{last}\r\n\r\n").expect("a String takes all");
            head.extend_from_slice(line.as_bytes());
        }
    }

    pub fn of_head(&self) -> bool {
        self.verb == Verb::Head
    }

    /// Object bytes that an answered request moved.
    pub fn payload_bytes(&self, answer_bytes: u64) -> u64 {
        match self.verb {
            Verb::Put | Verb::UploadPart => self.body.len(),
            Verb::Get | Verb::Range => answer_bytes,
            _ => 0,
        }
    }
}
