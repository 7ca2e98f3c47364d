//! An object key inside a record: checked as it is read.

use openlake_types::ObjectKey;

use crate::error::DecodeError;
use crate::wire::Decoder;

pub(super) fn decode_key(decoder: &mut Decoder<'_>) -> Result<ObjectKey, DecodeError> {
    let bytes = bytes::Bytes::copy_from_slice(decoder.bytes16()?);
    ObjectKey::new(bytes).map_err(|_| DecodeError::Field("object key"))
}
