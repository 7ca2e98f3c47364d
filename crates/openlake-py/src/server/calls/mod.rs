//! Engine operations that the control plane calls. Each returns a token at once; the result comes
//! through the ring.

mod arguments;
mod buckets;
mod multipart;
mod objects;
