//! Bucket names, checked by the rules of the S3 user guide ("Bucket naming rules").

use std::fmt;
use std::sync::Arc;

/// A valid bucket name; clones share the text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BucketName(Arc<str>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidBucketName(&'static str);

impl BucketName {
    pub fn new(name: &str) -> Result<Self, InvalidBucketName> {
        check(name.as_bytes())?;
        Ok(Self(name.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check(name: &[u8]) -> Result<(), InvalidBucketName> {
    let fail = |reason| Err(InvalidBucketName(reason));
    if !(3..=63).contains(&name.len()) {
        return fail("a bucket name has 3 to 63 characters");
    }
    let alphanumeric = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    if !name.iter().all(|b| alphanumeric(b) || matches!(b, b'.' | b'-')) {
        return fail("a bucket name has only lower-case letters, digits, dots and hyphens");
    }
    if !name.first().is_some_and(alphanumeric) || !name.last().is_some_and(alphanumeric) {
        return fail("a bucket name begins and ends with a letter or digit");
    }
    if name.windows(2).any(|w| matches!(w, b".." | b".-" | b"-.")) {
        return fail("a bucket name has no two dots in a row and no dot beside a hyphen");
    }
    if is_ipv4(name) {
        return fail("a bucket name is not an IP address");
    }
    if name.starts_with(b"xn--") {
        return fail("a bucket name does not start with xn--");
    }
    Ok(())
}

fn is_ipv4(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(|text| text.parse::<std::net::Ipv4Addr>().is_ok())
}

impl fmt::Display for BucketName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for BucketName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl std::borrow::Borrow<str> for BucketName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_rules_hold() {
        for good in ["abc", "a.b-c", "0x0", "my-bucket-1", "1.2.3", &"a".repeat(63)] {
            assert!(BucketName::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "ab",
            &"a".repeat(64),
            "Abc",
            "a_b",
            "-abc",
            "abc-",
            ".abc",
            "abc.",
            "a..b",
            "a.-b",
            "a-.b",
            "192.168.5.4",
            "xn--abc",
            "a b",
            "å-bucket",
        ] {
            assert!(BucketName::new(bad).is_err(), "{bad}");
        }
    }
}
