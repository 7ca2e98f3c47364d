//! An object: where its bytes are, its attributes and its time. The newest record of a key counts.
//!
//! Inline bytes follow the record's own fields up to the end of the payload.

use openlake_types::{BlobId, Checksum, ETag, ObjectKey, PartNumber, Timestamp, UploadId};

use super::key::decode_key;
use crate::attributes::{
    ObjectAttributes, decode_checksum, decode_etag, encode_checksum, encode_etag,
};
use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

/// A blob as a record names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlobLocation {
    pub id: BlobId,
    pub size: u64,
    /// CRC32C over the blob's page CRCs: binds the record to these bytes and no others.
    pub crc: u32,
}

/// One part of a completed multipart upload; `blob` is none only for a part of no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestPart {
    pub number: PartNumber,
    pub size: u64,
    pub etag: ETag,
    pub checksum: Option<Checksum>,
    pub blob: Option<BlobLocation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectBody {
    /// The bytes end the payload.
    Inline,
    Blob(BlobLocation),
    /// Completed from parts. Ends the upload of that id.
    Parts {
        upload: UploadId,
        parts: Vec<ManifestPart>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRecord {
    /// Identity of the bucket; its name may be given to another bucket later.
    pub bucket: u64,
    pub key: ObjectKey,
    pub size: u64,
    pub last_modified: Timestamp,
    pub attributes: ObjectAttributes,
    pub body: ObjectBody,
}

impl ObjectRecord {
    /// All but the inline bytes, which the caller appends.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut encoder = Encoder(out);
        encoder.u64(self.bucket);
        encoder.bytes16(self.key.as_bytes());
        encoder.u64(self.size);
        encoder.u64(self.last_modified.0);
        self.attributes.encode(&mut encoder);
        match &self.body {
            ObjectBody::Inline => encoder.u8(1),
            ObjectBody::Blob(blob) => {
                encoder.u8(2);
                blob.encode(&mut encoder);
            }
            ObjectBody::Parts { upload, parts } => {
                encoder.u8(3);
                encoder.u128(upload.0);
                encoder.u16(parts.len() as u16);
                for part in parts {
                    part.encode(&mut encoder);
                }
            }
        }
    }

    /// The record and its inline bytes (none when the body is elsewhere).
    pub fn decode(payload: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let mut decoder = Decoder(payload);
        let bucket = decoder.u64()?;
        let key = decode_key(&mut decoder)?;
        let size = decoder.u64()?;
        let last_modified = Timestamp(decoder.u64()?);
        let attributes = ObjectAttributes::decode(&mut decoder)?;
        let body = match decoder.u8()? {
            1 => ObjectBody::Inline,
            2 => ObjectBody::Blob(BlobLocation::decode(&mut decoder)?),
            3 => {
                let upload = UploadId(decoder.u128()?);
                let count = decoder.u16()?;
                let parts = (0..count).map(|_| ManifestPart::decode(&mut decoder));
                ObjectBody::Parts { upload, parts: parts.collect::<Result<_, _>>()? }
            }
            _ => return Err(DecodeError::Field("object body")),
        };
        let inline = decoder.0;
        let inline_bytes = if body == ObjectBody::Inline { size } else { 0 };
        if inline.len() as u64 > inline_bytes {
            return Err(DecodeError::TrailingBytes);
        }
        if (inline.len() as u64) < inline_bytes {
            return Err(DecodeError::Truncated);
        }
        Ok((Self { bucket, key, size, last_modified, attributes, body }, inline))
    }
}

impl BlobLocation {
    pub(crate) fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.u64(self.id.file);
        encoder.u32(self.id.generation);
        encoder.u64(self.size);
        encoder.u32(self.crc);
    }

    pub(crate) fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let id = BlobId { file: decoder.u64()?, generation: decoder.u32()? };
        Ok(Self { id, size: decoder.u64()?, crc: decoder.u32()? })
    }
}

impl ManifestPart {
    pub(crate) fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.u16(self.number.get());
        encoder.u64(self.size);
        encode_etag(encoder, &self.etag);
        encode_checksum(encoder, self.checksum.as_ref());
        match &self.blob {
            None => encoder.u8(0),
            Some(blob) => {
                encoder.u8(1);
                blob.encode(encoder);
            }
        }
    }

    pub(crate) fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let number =
            PartNumber::new(decoder.u16()?).map_err(|_| DecodeError::Field("part number"))?;
        let size = decoder.u64()?;
        let etag = decode_etag(decoder)?;
        let checksum = decode_checksum(decoder)?;
        let blob = match decoder.u8()? {
            0 => None,
            1 => Some(BlobLocation::decode(decoder)?),
            _ => return Err(DecodeError::Field("part body")),
        };
        if blob.map_or(0, |blob| blob.size) != size {
            return Err(DecodeError::Field("part size"));
        }
        Ok(Self { number, size, etag, checksum, blob })
    }
}
