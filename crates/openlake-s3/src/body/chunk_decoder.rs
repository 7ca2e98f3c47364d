//! Takes the framing off an aws-chunked body and checks the chunk signatures. Bytes may arrive in
//! pieces of any size; lines are bounded; payload is never held here, so that it can be received
//! straight into the buffers that go to the drive.

use openlake_types::Checksum;
use sha2::{Digest, Sha256};

use super::plan::{BodyPlan, incomplete};
use super::trailers::Trailers;
use crate::auth::ChunkSigner;
use crate::error::{S3Error, S3ErrorCode};

/// `<16 digits>;chunk-signature=<64 digits>` has 97 bytes.
const CHUNK_LINE_BYTES_MAX: usize = 128;
/// A checksum and a signature have about 250 bytes.
const TRAILER_LINE_BYTES_MAX: usize = 512;
/// S3: only the last chunk may be smaller.
const CHUNK_BYTES_MIN: u64 = 8192;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    ChunkLine,
    /// So many bytes of the chunk are still to come.
    Payload(u64),
    /// The line end after a chunk.
    PayloadEnd,
    TrailerLine,
    Done,
}

/// What one call took and gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Bytes of the input that are dealt with. Fewer than the input only when the output is full.
    pub consumed: usize,
    /// Bytes of payload at the start of the output.
    pub produced: usize,
}

pub struct ChunkDecoder {
    state: State,
    line: Vec<u8>,
    size: u64,
    received: u64,
    chunk_bytes: u64,
    signer: Option<ChunkSigner>,
    chunk_signature: [u8; 32],
    chunk_sha256: Sha256,
    trailers: Trailers,
    checksum: Option<Checksum>,
}

impl ChunkDecoder {
    /// `signer` comes with the verified request when its chunks are signed.
    pub fn new(plan: &BodyPlan, signer: Option<ChunkSigner>) -> Self {
        let has_signed_trailer = plan.payload.has_signed_chunks() && plan.payload.has_trailer();
        Self {
            state: State::ChunkLine,
            line: Vec::with_capacity(CHUNK_LINE_BYTES_MAX),
            size: plan.size,
            received: 0,
            chunk_bytes: CHUNK_BYTES_MIN,
            signer,
            chunk_signature: [0; 32],
            chunk_sha256: Sha256::new(),
            trailers: Trailers::new(plan.checksum, has_signed_trailer),
            checksum: None,
        }
    }

    /// Payload bytes that come next on the wire, before any more framing. A caller may receive them
    /// itself and report them with `payload_received`.
    pub fn payload_remaining(&self) -> u64 {
        if let State::Payload(remaining) = self.state { remaining } else { 0 }
    }

    /// Takes note of payload that came next on the wire.
    ///
    /// # Panics
    /// If there are more bytes than `payload_remaining` says.
    pub fn payload_received(&mut self, payload: &[u8]) -> Result<(), S3Error> {
        let remaining = self.payload_remaining();
        assert!(payload.len() as u64 <= remaining, "more payload than the chunk has");
        if payload.is_empty() {
            return Ok(());
        }
        if self.signer.is_some() {
            self.chunk_sha256.update(payload);
        }
        self.received += payload.len() as u64;
        let remaining = remaining - payload.len() as u64;
        self.state = State::Payload(remaining);
        if remaining == 0 {
            self.check_chunk()?;
            self.state = State::PayloadEnd;
        }
        Ok(())
    }

    /// Whether the last line of the body was read.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Decodes from `input` into `output` until one of them is used up.
    pub fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Result<Decoded, S3Error> {
        let (mut consumed, mut produced) = (0, 0);
        while consumed < input.len() {
            let rest = &input[consumed..];
            if let State::Payload(remaining) = self.state {
                let room = (output.len() - produced).min(rest.len());
                let count =
                    usize::try_from(remaining).map_or(room, |remaining| room.min(remaining));
                if count == 0 {
                    break;
                }
                output[produced..produced + count].copy_from_slice(&rest[..count]);
                self.payload_received(&rest[..count])?;
                (consumed, produced) = (consumed + count, produced + count);
            } else {
                consumed += self.take_framing(rest)?;
            }
        }
        Ok(Decoded { consumed, produced })
    }

    /// The wire has no more: gives the checksum of the trailer, if one was announced.
    pub fn finish(self) -> Result<Option<Checksum>, S3Error> {
        if self.state == State::Done {
            Ok(self.checksum)
        } else {
            Err(incomplete("The body ends before its last chunk"))
        }
    }

    /// Takes framing up to the end of a line or of the input.
    fn take_framing(&mut self, input: &[u8]) -> Result<usize, S3Error> {
        let line_bytes_max = match self.state {
            State::ChunkLine => CHUNK_LINE_BYTES_MAX,
            State::TrailerLine => TRAILER_LINE_BYTES_MAX,
            State::PayloadEnd => 2,
            State::Payload(_) | State::Done => {
                return Err(incomplete("The body goes on after its last chunk"));
            }
        };
        for (position, &byte) in input.iter().enumerate() {
            self.line.push(byte);
            if self.line.ends_with(b"\r\n") {
                self.end_line()?;
                return Ok(position + 1);
            }
            if self.line.len() >= line_bytes_max {
                return Err(incomplete("A line of the chunk framing has no end"));
            }
        }
        Ok(input.len())
    }

    fn end_line(&mut self) -> Result<(), S3Error> {
        let mut line = std::mem::take(&mut self.line);
        line.truncate(line.len() - 2);
        match self.state {
            State::ChunkLine => self.begin_chunk(&line)?,
            State::TrailerLine => self.take_trailer(&line)?,
            _ if line.is_empty() => self.state = State::ChunkLine,
            _ => return Err(incomplete("A chunk does not end where its size says")),
        }
        line.clear();
        self.line = line;
        Ok(())
    }

    fn begin_chunk(&mut self, line: &[u8]) -> Result<(), S3Error> {
        let (digits, extension) = match line.iter().position(|&byte| byte == b';') {
            Some(at) => (&line[..at], Some(&line[at + 1..])),
            None => (line, None),
        };
        let bytes = parse_size(digits)?;
        self.take_signature(extension)?;
        if bytes > self.size - self.received {
            return Err(incomplete("The chunks hold more than x-amz-decoded-content-length"));
        }
        if bytes == 0 {
            if self.received != self.size {
                return Err(incomplete("The chunks hold less than x-amz-decoded-content-length"));
            }
            self.check_chunk()?;
            self.state = State::TrailerLine;
            return Ok(());
        }
        if self.chunk_bytes < CHUNK_BYTES_MIN {
            return Err(S3ErrorCode::InvalidChunkSizeError.into());
        }
        self.chunk_bytes = bytes;
        self.state = State::Payload(bytes);
        Ok(())
    }

    fn take_signature(&mut self, extension: Option<&[u8]>) -> Result<(), S3Error> {
        if self.signer.is_none() {
            return match extension {
                Some(_) => Err(incomplete("A chunk of an unsigned body has an extension")),
                None => Ok(()),
            };
        }
        let digits = extension.and_then(|text| text.strip_prefix(b"chunk-signature="));
        let is_signature = digits
            .is_some_and(|digits| hex::decode_to_slice(digits, &mut self.chunk_signature).is_ok());
        if is_signature { Ok(()) } else { Err(S3ErrorCode::SignatureDoesNotMatch.into()) }
    }

    fn check_chunk(&mut self) -> Result<(), S3Error> {
        let Some(signer) = &mut self.signer else { return Ok(()) };
        let sha256 = self.chunk_sha256.finalize_reset().into();
        signer.check_chunk(&sha256, &self.chunk_signature)
    }

    /// An empty line ends the block. The published signing example writes a bare `\n` before the
    /// `\r\n` of a trailer line (ST3).
    fn take_trailer(&mut self, line: &[u8]) -> Result<(), S3Error> {
        if line.is_empty() {
            self.checksum = self.trailers.finish(self.signer.as_mut())?;
            self.state = State::Done;
            return Ok(());
        }
        self.trailers.push(line.strip_suffix(b"\n").unwrap_or(line))
    }
}

fn parse_size(digits: &[u8]) -> Result<u64, S3Error> {
    let text = std::str::from_utf8(digits).unwrap_or_default();
    let is_number = (1..=16).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    match u64::from_str_radix(text, 16) {
        Ok(size) if is_number => Ok(size),
        _ => Err(incomplete("A chunk size is not hexadecimal")),
    }
}

#[cfg(test)]
mod tests;
