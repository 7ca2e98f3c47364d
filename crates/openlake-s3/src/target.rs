//! What a request names: bucket, key and query parameters, decoded exactly once from the raw target.
//! Keys are opaque: `..`, `//` and `%2F` are what they say, and nothing is resolved or merged.

use bytes::Bytes;
use openlake_types::limits::KEY_BYTES_MAX;
use openlake_types::object_key::InvalidObjectKey;
use openlake_types::{BucketName, ObjectKey};

use crate::auth::uri::{decode_path, decode_query, query_pairs};
use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::RequestHead;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resource {
    Service,
    Bucket(BucketName),
    Object(BucketName, ObjectKey),
}

impl Resource {
    pub const fn bucket(&self) -> Option<&BucketName> {
        match self {
            Self::Service => None,
            Self::Bucket(bucket) | Self::Object(bucket, _) => Some(bucket),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub resource: Resource,
    pub query: Query,
}

impl Target {
    pub fn parse(head: &RequestHead) -> Result<Self, S3Error> {
        let resource = parse_path(&head.target, head.path())?;
        Ok(Self { resource, query: Query::parse(head.query())? })
    }
}

fn parse_path(target: &Bytes, raw: &[u8]) -> Result<Resource, S3Error> {
    let path = if raw.contains(&b'%') {
        let mut decoded = Vec::with_capacity(raw.len());
        decode_path(raw, &mut decoded)?;
        Bytes::from(decoded)
    } else {
        target.slice(..raw.len())
    };
    // Other forms of a target are for proxies and for OPTIONS of a whole server.
    if path.first() != Some(&b'/') {
        return Err(S3ErrorCode::InvalidURI.into());
    }
    let rest = &path[1..];
    let bucket_end = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
    let key = path.slice((bucket_end + 2).min(path.len())..);
    if bucket_end == 0 && key.iter().all(|&byte| byte == b'/') {
        return Ok(Resource::Service);
    }
    let bucket = bucket_name(&rest[..bucket_end])?;
    if key.is_empty() {
        return Ok(Resource::Bucket(bucket));
    }
    Ok(Resource::Object(bucket, object_key(key)?))
}

fn bucket_name(name: &[u8]) -> Result<BucketName, S3Error> {
    std::str::from_utf8(name).ok().and_then(|name| BucketName::new(name).ok()).ok_or_else(|| {
        S3Error::new(S3ErrorCode::InvalidBucketName)
            .field("BucketName", String::from_utf8_lossy(name))
    })
}

fn object_key(key: Bytes) -> Result<ObjectKey, S3Error> {
    let size = key.len();
    ObjectKey::new(key).map_err(|flaw| match flaw {
        InvalidObjectKey::TooLong => S3Error::new(S3ErrorCode::KeyTooLongError)
            .field("Size", size.to_string())
            .field("MaxSizeAllowed", KEY_BYTES_MAX.to_string()),
        InvalidObjectKey::Empty | InvalidObjectKey::NotUtf8 => {
            S3Error::new(S3ErrorCode::InvalidURI)
        }
    })
}

/// Decoded parameters in the order sent; each name stands once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    pub fn parse(raw: &[u8]) -> Result<Self, S3Error> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (name, value) in query_pairs(raw) {
            let name = decoded(name)?;
            if pairs.iter().any(|(other, _)| *other == name) {
                return Err(S3Error::with_message(
                    S3ErrorCode::InvalidArgument,
                    "A query parameter may be given only once",
                )
                .field("ArgumentName", name));
            }
            pairs.push((name, decoded(value)?));
        }
        Ok(Self(pairs))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

fn decoded(raw: &[u8]) -> Result<String, S3Error> {
    let mut bytes = Vec::with_capacity(raw.len());
    decode_query(raw, &mut bytes)?;
    String::from_utf8(bytes).map_err(|_| S3ErrorCode::InvalidURI.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request_head::{HeaderMap, Method};

    fn parse(target: &str) -> Result<Target, S3Error> {
        let target = Bytes::from(target.to_owned());
        Target::parse(&RequestHead { method: Method::Get, target, headers: HeaderMap::default() })
    }

    fn key(target: &str) -> String {
        match parse(target).expect("valid").resource {
            Resource::Object(_, key) => key.as_str().to_owned(),
            other => panic!("{target} is {other:?}"),
        }
    }

    fn refusal(target: &str) -> S3ErrorCode {
        parse(target).expect_err(target).code
    }

    #[test]
    fn ky_keys_are_decoded_once_and_never_resolved() {
        for (target, expected) in [
            ("/bucket/a%2Fb", "a/b"),
            ("/bucket%2Fkey", "key"),
            ("/bucket/%2525", "%25"),
            ("/bucket//lead", "/lead"),
            ("/bucket/..", ".."),
            ("/bucket/a/../b", "a/../b"),
            ("/bucket/%2e%2e/x", "../x"),
            ("/bucket/a//b", "a//b"),
            ("/bucket/dir/", "dir/"),
            ("/bucket/a+b", "a+b"),
            ("/bucket/%20%20a%20", "  a "),
            ("/bucket/cafe%CC%81", "cafe\u{301}"),
        ] {
            assert_eq!(key(target), expected, "{target}");
        }
    }

    #[test]
    fn ky6_a_key_has_at_most_1024_bytes() {
        assert_eq!(key(&format!("/bucket/{}", "k".repeat(1024))).len(), 1024);
        assert_eq!(refusal(&format!("/bucket/{}", "k".repeat(1025))), S3ErrorCode::KeyTooLongError);
    }

    #[test]
    fn xm13_a_bucket_with_and_without_slash_is_one() {
        let bucket = Resource::Bucket(BucketName::new("bucket").expect("valid"));
        assert_eq!(parse("/bucket").expect("valid").resource, bucket);
        assert_eq!(parse("/bucket/?list-type=2").expect("valid").resource, bucket);
        for service in ["/", "/?x-id=ListBuckets", "//"] {
            assert_eq!(parse(service).expect("valid").resource, Resource::Service, "{service}");
        }
    }

    #[test]
    fn ill_formed_targets_are_refused() {
        for (target, code) in [
            ("*", S3ErrorCode::InvalidURI),
            ("http://host/bucket", S3ErrorCode::InvalidURI),
            ("/bucket/%zz", S3ErrorCode::InvalidURI),
            ("/bucket/%ff", S3ErrorCode::InvalidURI),
            ("/bucket?prefix=%ff", S3ErrorCode::InvalidURI),
            ("/Bucket/k", S3ErrorCode::InvalidBucketName),
            ("//key", S3ErrorCode::InvalidBucketName),
            ("/..%2Fkey", S3ErrorCode::InvalidBucketName),
            ("/bucket?prefix=a&prefix=b", S3ErrorCode::InvalidArgument),
        ] {
            assert_eq!(refusal(target), code, "{target}");
        }
    }

    #[test]
    fn parameters_are_decoded_and_a_bare_name_is_empty() {
        let query = parse("/bucket?prefix=a%2Bb+c&versioning").expect("valid").query;
        assert_eq!(query.get("prefix"), Some("a+b c"));
        assert_eq!(query.get("versioning"), Some(""));
        assert_eq!(query.names().collect::<Vec<_>>(), ["prefix", "versioning"]);
    }
}
