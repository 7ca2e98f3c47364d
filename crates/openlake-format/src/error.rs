//! Why bytes are not the record they should be.

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("the record is cut short")]
    Truncated,
    #[error("the record has bytes after its end")]
    TrailingBytes,
    #[error("the magic number is another one")]
    Magic,
    #[error("format version {0} is not known to this program")]
    Version(u16),
    #[error("record type {0} is not known to this program")]
    Type(u16),
    #[error("the CRC32C does not match the bytes")]
    Crc,
    #[error("the field {0} has a value that no writer writes")]
    Field(&'static str),
}
