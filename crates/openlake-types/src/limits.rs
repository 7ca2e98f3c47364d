//! Every named limit that more than one crate relies on.

/// Unit of O_DIRECT transfers, of blob checksums and of space on disk.
pub const PAGE_BYTES: usize = 4096;
/// S3: a key is at most 1,024 bytes of UTF-8.
pub const KEY_BYTES_MAX: usize = 1024;
/// S3: user metadata, names and values together.
pub const USER_METADATA_BYTES_MAX: usize = 2048;
/// S3: parts are numbered 1..=10,000.
pub const PART_NUMBER_MAX: u16 = 10_000;
/// S3: every part but the last has at least 5 MiB.
pub const PART_BYTES_MIN: u64 = 5 << 20;
/// S3: one PutObject or UploadPart carries at most 5 GiB.
pub const BODY_BYTES_MAX: u64 = 5 << 30;
/// S3: an object is at most 50 TiB.
pub const OBJECT_BYTES_MAX: u64 = 50 << 40;
/// S3: a listing page has at most 1,000 entries.
pub const LIST_KEYS_MAX: usize = 1000;
/// The body of a control verb, collected whole before it is handed to the control plane.
pub const CONTROL_BODY_BYTES_MAX: u64 = 2 << 20;
/// Number of placement groups; a power of two, fixed for the life of a deployment.
pub const PLACEMENT_GROUPS: u16 = 1024;
