//! What arrives as the body of a request, checked against everything that its head promised.
//! Incremental and without I/O: bytes go in as they come, in pieces of any size.

mod checksum_plan;
mod chunk_decoder;
mod content_encoding;
mod part_etag;
mod payload_mode;
mod plan;
mod trailers;
mod verifier;

pub use checksum_plan::{ChecksumPlan, ChecksumSource, checksum_text, parse_checksum};
pub use chunk_decoder::{ChunkDecoder, Decoded};
pub use content_encoding::without_aws_chunked;
pub use part_etag::{PART_ETAG_HEADER, PartETag};
pub use payload_mode::PayloadMode;
pub use plan::BodyPlan;
pub use verifier::{BodyVerifier, VerifiedBody};
