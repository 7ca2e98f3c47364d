//! Little-endian reading and writing. A reader never reads past its end and says so.

use crate::error::DecodeError;

/// Appends fields to a byte vector.
pub struct Encoder<'a>(pub &'a mut Vec<u8>);

impl Encoder<'_> {
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn u16(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u128(&mut self, value: u128) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Bytes as they are; the reader must know how many.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// A 16-bit length, then the bytes. Limits elsewhere keep every such field below 64 KiB.
    pub fn bytes16(&mut self, bytes: &[u8]) {
        self.u16(u16::try_from(bytes.len()).expect("named limits keep short fields below 64 KiB"));
        self.raw(bytes);
    }

    /// A 32-bit length, then the bytes.
    pub fn bytes32(&mut self, bytes: &[u8]) {
        self.u32(u32::try_from(bytes.len()).expect("named limits keep fields below 4 GiB"));
        self.raw(bytes);
    }
}

/// Takes fields from the front of a slice.
#[derive(Clone, Copy)]
pub struct Decoder<'a>(pub &'a [u8]);

impl<'a> Decoder<'a> {
    pub fn raw(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (front, rest) = self.0.split_at_checked(count).ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(front)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (front, rest) = self.0.split_first_chunk::<N>().ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(*front)
    }

    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        self.array().map(u8::from_le_bytes)
    }

    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn u128(&mut self) -> Result<u128, DecodeError> {
        self.array().map(u128::from_le_bytes)
    }

    pub fn bytes16(&mut self) -> Result<&'a [u8], DecodeError> {
        let count = self.u16()?;
        self.raw(count.into())
    }

    pub fn bytes32(&mut self) -> Result<&'a [u8], DecodeError> {
        let count = self.u32()?;
        self.raw(count as usize)
    }

    pub fn text16(&mut self, field: &'static str) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.bytes16()?).map_err(|_| DecodeError::Field(field))
    }

    pub fn finish(self) -> Result<(), DecodeError> {
        if self.0.is_empty() { Ok(()) } else { Err(DecodeError::TrailingBytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lie_little_endian() {
        let mut out = Vec::new();
        let mut encoder = Encoder(&mut out);
        encoder.u16(0x0102);
        encoder.u32(0x0304_0506);
        encoder.bytes16(b"ab");
        assert_eq!(out, [2, 1, 6, 5, 4, 3, 2, 0, b'a', b'b']);
    }

    #[test]
    fn a_length_beyond_the_end_is_truncation() {
        assert_eq!(Decoder(&[9, 0, b'a']).bytes16(), Err(DecodeError::Truncated));
        assert_eq!(Decoder(&[0xff; 4]).bytes32(), Err(DecodeError::Truncated));
        assert_eq!(Decoder(&[1]).finish(), Err(DecodeError::TrailingBytes));
    }
}
