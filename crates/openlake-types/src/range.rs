//! Byte ranges: what a request asks for, and what that means for an object of a given size
//! (RFC 9110 section 14).

/// Bytes `start..end` of an object; never empty unless the object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    pub start: u64,
    pub end: u64,
}

impl ByteRange {
    pub const fn len(self) -> u64 {
        self.end - self.start
    }

    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// One range as a client writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeSpec {
    /// `bytes=first-last`, both inclusive.
    FromTo(u64, u64),
    /// `bytes=first-`.
    From(u64),
    /// `bytes=-length`: the last `length` bytes.
    Suffix(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the range lies outside the object")]
pub struct RangeNotSatisfiable;

impl RangeSpec {
    /// Reads a `Range` header. `None`: not one range of bytes, so the header is to be ignored
    /// (RFC 9110 section 14.2) and the whole object sent, as S3 does.
    pub fn parse(header: &str) -> Option<Self> {
        let set = header.trim().strip_prefix("bytes=")?.trim();
        let (first, last) = set.split_once('-')?;
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            // More digits than u64 holds is still a number: it lies beyond every object.
            digits.then(|| text.parse().unwrap_or(u64::MAX))
        };
        match (first.trim(), last.trim()) {
            ("", length) => number(length).map(Self::Suffix),
            (first, "") => number(first).map(Self::From),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Self::FromTo(first, last))
            }
        }
    }

    pub fn resolve(self, size: u64) -> Result<ByteRange, RangeNotSatisfiable> {
        let range = match self {
            Self::FromTo(first, last) => {
                ByteRange { start: first, end: last.saturating_add(1).min(size) }
            }
            Self::From(first) => ByteRange { start: first, end: size },
            Self::Suffix(length) => ByteRange { start: size.saturating_sub(length), end: size },
        };
        if range.start >= range.end { Err(RangeNotSatisfiable) } else { Ok(range) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_mean_what_rfc_9110_says() {
        assert_eq!(RangeSpec::parse("bytes=0-0"), Some(RangeSpec::FromTo(0, 0)));
        assert_eq!(RangeSpec::parse("bytes=5-"), Some(RangeSpec::From(5)));
        assert_eq!(RangeSpec::parse("bytes=-5"), Some(RangeSpec::Suffix(5)));
        for ignored in [
            "",
            "bytes=",
            "bytes=-",
            "bytes=5-1",
            "bytes=a-b",
            "items=0-1",
            "bytes=0-1,3-4",
            "bytes=+1-2",
        ] {
            assert_eq!(RangeSpec::parse(ignored), None, "{ignored}");
        }
    }

    #[test]
    fn ranges_are_clipped_or_refused() {
        let range = |start, end| Ok(ByteRange { start, end });
        assert_eq!(RangeSpec::FromTo(0, 0).resolve(10), range(0, 1));
        assert_eq!(RangeSpec::FromTo(8, 99).resolve(10), range(8, 10));
        assert_eq!(RangeSpec::FromTo(9, u64::MAX).resolve(10), range(9, 10));
        assert_eq!(RangeSpec::From(10).resolve(10), Err(RangeNotSatisfiable));
        assert_eq!(RangeSpec::Suffix(99).resolve(10), range(0, 10));
        assert_eq!(RangeSpec::Suffix(0).resolve(10), Err(RangeNotSatisfiable));
        assert_eq!(RangeSpec::From(0).resolve(0), Err(RangeNotSatisfiable));
        assert_eq!(RangeSpec::Suffix(5).resolve(0), Err(RangeNotSatisfiable));
    }
}
