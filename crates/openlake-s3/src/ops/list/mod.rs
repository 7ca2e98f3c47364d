//! ListObjects in both versions: the same pages, chained by keys or by tokens.

mod list_objects;
mod list_objects_v2;
mod page;
mod token;

pub(super) use list_objects::list_objects;
pub(super) use list_objects_v2::list_objects_v2;
pub use token::ListTokenKey;
