//! Conditional headers: for reads by the precedence of RFC 9110 section 13.2.2, for writes the ones
//! that S3 knows, to be judged at the moment of the commit.

use openlake_store::WriteCondition;
use openlake_types::{ETag, Timestamp};

use crate::error::{S3Error, S3ErrorCode};
use crate::http_date::parse_http_date;
use crate::request_head::HeaderMap;

/// An ETag that no object has: an object has at most 10,000 parts.
const NEVER: ETag = ETag { md5: [0; 16], parts: u16::MAX };

#[derive(Clone, Debug, PartialEq, Eq)]
enum ETagSet {
    Any,
    OneOf(Vec<ETag>),
}

impl ETagSet {
    fn parse(value: &[u8]) -> Self {
        let text = String::from_utf8_lossy(value);
        if text.trim() == "*" {
            return Self::Any;
        }
        // A value that is no ETag of ours equals none.
        Self::OneOf(text.split(',').filter_map(|etag| etag.parse().ok()).collect())
    }

    fn holds(&self, etag: ETag) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(etags) => etags.contains(&etag),
        }
    }
}

/// The conditions of a GET or HEAD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadConditions {
    matching: Option<ETagSet>,
    none_matching: Option<ETagSet>,
    modified_since: Option<Timestamp>,
    unmodified_since: Option<Timestamp>,
}

impl ReadConditions {
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let etags = |name| headers.get(name).map(ETagSet::parse);
        let date = |name| headers.get(name).and_then(parse_http_date);
        Self {
            matching: etags("if-match"),
            none_matching: etags("if-none-match"),
            modified_since: date("if-modified-since"),
            unmodified_since: date("if-unmodified-since"),
        }
    }

    /// `NotModified` still carries the ETag and Last-Modified of the object (CD9).
    pub fn check(&self, etag: ETag, last_modified: Timestamp) -> Result<(), S3Error> {
        let is_later = |since: Timestamp| last_modified.secs() > since.secs();
        match (&self.matching, self.unmodified_since) {
            (Some(etags), _) if !etags.holds(etag) => return Err(failed("If-Match")),
            (None, Some(since)) if is_later(since) => return Err(failed("If-Unmodified-Since")),
            _ => {}
        }
        match (&self.none_matching, self.modified_since) {
            (Some(etags), _) if etags.holds(etag) => Err(S3ErrorCode::NotModified.into()),
            (None, Some(since)) if !is_later(since) => Err(S3ErrorCode::NotModified.into()),
            _ => Ok(()),
        }
    }
}

fn failed(condition: &'static str) -> S3Error {
    S3Error::new(S3ErrorCode::PreconditionFailed).field("Condition", condition)
}

/// The condition of a PUT, a DELETE or a CompleteMultipartUpload.
pub fn write_condition(headers: &HeaderMap) -> Result<WriteCondition, S3Error> {
    for header in ["if-modified-since", "if-unmodified-since"] {
        if headers.get(header).is_some() {
            return Err(not_implemented(header));
        }
    }
    match (headers.get("if-match"), headers.get("if-none-match")) {
        (None, None) => Ok(WriteCondition::None),
        (None, Some(value)) if value.trim_ascii() == b"*" => Ok(WriteCondition::IfNoneMatchAny),
        (_, Some(_)) => Err(not_implemented("if-none-match")),
        (Some(value), None) => match ETagSet::parse(value) {
            ETagSet::Any => Ok(WriteCondition::IfMatchAny),
            ETagSet::OneOf(etags) if etags.len() > 1 => Err(not_implemented("if-match")),
            ETagSet::OneOf(etags) => {
                Ok(WriteCondition::IfMatch(etags.first().copied().unwrap_or(NEVER)))
            }
        },
    }
}

fn not_implemented(header: &'static str) -> S3Error {
    S3Error::with_message(
        S3ErrorCode::NotImplemented,
        format!("A header you provided implies functionality that is not implemented: {header}"),
    )
    .field("Header", header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ETAG: ETag = ETag { md5: [0xab; 16], parts: 0 };
    const OURS: &str = "\"abababababababababababababababab\"";
    const OTHER: &str = "\"00000000000000000000000000000000\"";
    /// Of the object: Sun, 06 Nov 1994 08:49:37 GMT and a half second.
    const MODIFIED: Timestamp = Timestamp(784_111_777_500);
    const BEFORE: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
    const SAME: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        HeaderMap::from_pairs(pairs.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    fn read(pairs: &[(&str, &str)]) -> u16 {
        let conditions = ReadConditions::from_headers(&headers(pairs));
        conditions.check(ETAG, MODIFIED).map_or_else(|error| error.status(), |()| 200)
    }

    #[test]
    fn cd4_etags_are_compared_bare() {
        let bare = OURS.trim_matches('"');
        for spelling in [OURS, bare, &format!("W/{OURS}"), &format!("{OTHER}, {OURS}"), "*"] {
            assert_eq!(read(&[("if-match", spelling)]), 200, "{spelling}");
            assert_eq!(read(&[("if-none-match", spelling)]), 304, "{spelling}");
        }
        for other in [OTHER, "", "abc", "\"*\""] {
            assert_eq!(read(&[("if-match", other)]), 412, "{other}");
            assert_eq!(read(&[("if-none-match", other)]), 200, "{other}");
        }
    }

    #[test]
    fn dates_are_compared_in_seconds() {
        assert_eq!(read(&[("if-modified-since", SAME)]), 304);
        assert_eq!(read(&[("if-modified-since", BEFORE)]), 200);
        assert_eq!(read(&[("if-unmodified-since", SAME)]), 200);
        assert_eq!(read(&[("if-unmodified-since", BEFORE)]), 412);
        // CD12.
        assert_eq!(read(&[("if-unmodified-since", "yesterday")]), 200);
        assert_eq!(read(&[("if-modified-since", "tomorrow")]), 200);
    }

    #[test]
    fn etags_win_over_dates_and_412_over_304() {
        assert_eq!(read(&[("if-match", OURS), ("if-unmodified-since", BEFORE)]), 200);
        assert_eq!(read(&[("if-match", OTHER), ("if-unmodified-since", SAME)]), 412);
        assert_eq!(read(&[("if-none-match", OURS), ("if-modified-since", BEFORE)]), 304);
        assert_eq!(read(&[("if-none-match", OTHER), ("if-modified-since", SAME)]), 200);
        assert_eq!(read(&[("if-match", OTHER), ("if-none-match", OURS)]), 412);
        assert_eq!(read(&[("if-match", OURS), ("if-none-match", OURS)]), 304);
    }

    #[test]
    fn cd1_cd13_conditions_of_writes() {
        let write = |pairs: &[(&str, &str)]| write_condition(&headers(pairs));
        assert_eq!(write(&[]), Ok(WriteCondition::None));
        assert_eq!(write(&[("if-none-match", "*")]), Ok(WriteCondition::IfNoneMatchAny));
        assert_eq!(write(&[("if-match", "*")]), Ok(WriteCondition::IfMatchAny));
        assert_eq!(write(&[("if-match", OURS)]), Ok(WriteCondition::IfMatch(ETAG)));
        assert_eq!(write(&[("if-match", "abc")]), Ok(WriteCondition::IfMatch(NEVER)));
    }

    #[test]
    fn cd2_other_conditions_of_writes_are_not_implemented() {
        let list = format!("{OURS},{OTHER}");
        for pairs in [
            [("if-none-match", OURS)].as_slice(),
            &[("if-none-match", "")],
            &[("if-match", &list)],
            &[("if-match", OURS), ("if-none-match", "*")],
            &[("if-modified-since", SAME)],
            &[("if-unmodified-since", SAME)],
        ] {
            let error = write_condition(&headers(pairs)).expect_err("must be refused");
            assert_eq!((error.code, error.status()), (S3ErrorCode::NotImplemented, 501));
        }
    }

    proptest! {
        #[test]
        fn no_value_panics(value in "\\PC{0,60}") {
            let pairs = [("if-match", value.as_str()), ("if-modified-since", &value)];
            let _ = ReadConditions::from_headers(&headers(&pairs)).check(ETAG, MODIFIED);
            let _ = write_condition(&headers(&pairs[..1]));
        }
    }
}
