//! What an object carries beside its bytes: content headers, user metadata, ETag, checksum.

use openlake_types::{Checksum, ChecksumAlgorithm, ChecksumKind, ETag};

use crate::error::DecodeError;
use crate::wire::{Decoder, Encoder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectAttributes {
    pub etag: ETag,
    pub checksum: Option<Checksum>,
    pub content_type: Option<String>,
    pub content_encoding: Option<String>,
    pub content_language: Option<String>,
    pub content_disposition: Option<String>,
    pub cache_control: Option<String>,
    pub expires: Option<String>,
    /// Names in lower case without `x-amz-meta-`, in the order received.
    pub user_metadata: Vec<(String, String)>,
}

impl ObjectAttributes {
    pub const fn new(etag: ETag) -> Self {
        Self {
            etag,
            checksum: None,
            content_type: None,
            content_encoding: None,
            content_language: None,
            content_disposition: None,
            cache_control: None,
            expires: None,
            user_metadata: Vec::new(),
        }
    }

    const fn texts(&self) -> [&Option<String>; 6] {
        [
            &self.content_type,
            &self.content_encoding,
            &self.content_language,
            &self.content_disposition,
            &self.cache_control,
            &self.expires,
        ]
    }

    pub fn encode(&self, encoder: &mut Encoder<'_>) {
        encode_etag(encoder, &self.etag);
        encode_checksum(encoder, self.checksum.as_ref());
        let texts = self.texts();
        let present = (0u8..).zip(&texts).filter(|(_, text)| text.is_some());
        encoder.u8(present.fold(0, |bits, (bit, _)| bits | 1 << bit));
        for text in texts.into_iter().flatten() {
            encoder.bytes16(text.as_bytes());
        }
        encoder.u16(self.user_metadata.len() as u16);
        for (name, value) in &self.user_metadata {
            encoder.bytes16(name.as_bytes());
            encoder.bytes16(value.as_bytes());
        }
    }

    pub fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let mut attributes = Self::new(decode_etag(decoder)?);
        attributes.checksum = decode_checksum(decoder)?;
        let present = decoder.u8()?;
        if present >= 1 << 6 {
            return Err(DecodeError::Field("attribute bits"));
        }
        let mut text = |bit: u8| {
            let set = present & 1 << bit != 0;
            set.then(|| decoder.text16("content header").map(str::to_owned)).transpose()
        };
        attributes.content_type = text(0)?;
        attributes.content_encoding = text(1)?;
        attributes.content_language = text(2)?;
        attributes.content_disposition = text(3)?;
        attributes.cache_control = text(4)?;
        attributes.expires = text(5)?;
        for _ in 0..decoder.u16()? {
            let name = decoder.text16("user metadata")?.to_owned();
            let value = decoder.text16("user metadata")?.to_owned();
            attributes.user_metadata.push((name, value));
        }
        Ok(attributes)
    }
}

pub(crate) fn encode_etag(encoder: &mut Encoder<'_>, etag: &ETag) {
    encoder.raw(&etag.md5);
    encoder.u16(etag.parts);
}

pub(crate) fn decode_etag(decoder: &mut Decoder<'_>) -> Result<ETag, DecodeError> {
    Ok(ETag { md5: decoder.array()?, parts: decoder.u16()? })
}

/// Explicit numbers: the order of the enum in `openlake-types` is not the format.
pub(crate) const fn algorithm_number(algorithm: ChecksumAlgorithm) -> u8 {
    match algorithm {
        ChecksumAlgorithm::Crc32 => 1,
        ChecksumAlgorithm::Crc32c => 2,
        ChecksumAlgorithm::Crc64Nvme => 3,
        ChecksumAlgorithm::Sha1 => 4,
        ChecksumAlgorithm::Sha256 => 5,
    }
}

pub(crate) const fn kind_number(kind: ChecksumKind) -> u8 {
    match kind {
        ChecksumKind::FullObject => 1,
        ChecksumKind::Composite => 2,
    }
}

/// One byte of algorithm (0: none follows), one of kind.
pub(crate) fn encode_algorithm(
    encoder: &mut Encoder<'_>,
    choice: Option<(ChecksumAlgorithm, ChecksumKind)>,
) {
    match choice {
        None => encoder.u8(0),
        Some((algorithm, kind)) => {
            encoder.u8(algorithm_number(algorithm));
            encoder.u8(kind_number(kind));
        }
    }
}

pub(crate) fn decode_algorithm(
    decoder: &mut Decoder<'_>,
) -> Result<Option<(ChecksumAlgorithm, ChecksumKind)>, DecodeError> {
    let number = decoder.u8()?;
    if number == 0 {
        return Ok(None);
    }
    let mut all = ChecksumAlgorithm::ALL.into_iter();
    let algorithm = all
        .find(|algorithm| algorithm_number(*algorithm) == number)
        .ok_or(DecodeError::Field("checksum algorithm"))?;
    let kind = match decoder.u8()? {
        1 => ChecksumKind::FullObject,
        2 => ChecksumKind::Composite,
        _ => return Err(DecodeError::Field("checksum kind")),
    };
    Ok(Some((algorithm, kind)))
}

pub(crate) fn encode_checksum(encoder: &mut Encoder<'_>, checksum: Option<&Checksum>) {
    encode_algorithm(encoder, checksum.map(|checksum| (checksum.algorithm, checksum.kind)));
    if let Some(checksum) = checksum {
        encoder.raw(checksum.value());
    }
}

pub(crate) fn decode_checksum(decoder: &mut Decoder<'_>) -> Result<Option<Checksum>, DecodeError> {
    let Some((algorithm, kind)) = decode_algorithm(decoder)? else {
        return Ok(None);
    };
    let value = decoder.raw(algorithm.value_bytes())?;
    let checksum = Checksum::new(algorithm, kind, value);
    checksum.map(Some).map_err(|_| DecodeError::Field("checksum value"))
}
