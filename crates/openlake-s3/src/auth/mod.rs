//! Who sent a request: AWS Signature Version 4 in the Authorization header or in the query,
//! computed over the raw target and headers. A request is either proved or refused; nothing here
//! reads a body or touches a socket.

mod canonical;
mod chunk_signer;
mod claim;
mod keys;
mod lift;
mod presigned;
mod signing_key;
pub mod uri;
mod verifier;

pub use chunk_signer::ChunkSigner;
pub use keys::{EmptySecret, Identity, KeyTable, SecretKey};
pub use verifier::{AuthContext, Verifier};

#[cfg(test)]
pub(crate) mod tests;
