//! A request before it is signed: what the operations build.

use std::borrow::Cow;

pub struct Request<'a> {
    pub method: &'static str,
    pub bucket: &'a str,
    /// Empty for a bucket or the service.
    pub key: &'a str,
    pub query: Vec<(&'static str, Cow<'a, str>)>,
    /// Names in lower case; without those that every request has.
    pub headers: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub body: &'a [u8],
}

impl<'a> Request<'a> {
    pub fn new(method: &'static str, bucket: &'a str, key: &'a str) -> Self {
        Self { method, bucket, key, query: Vec::new(), headers: Vec::new(), body: &[] }
    }

    pub fn query(mut self, name: &'static str, value: impl Into<Cow<'a, str>>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    pub fn header(mut self, name: &'static str, value: impl Into<Cow<'a, str>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn body(mut self, body: &'a [u8]) -> Self {
        self.body = body;
        self
    }

    /// Whether it may be sent again when nobody knows if the server has carried it out: a second
    /// time changes nothing and is answered alike (RFC 9110, 9.2.2). A second create or delete of a
    /// bucket is refused, a second CreateMultipartUpload leaves an upload behind, and a condition
    /// that held is broken by what it allowed. CompleteMultipartUpload is idempotent by S3's word.
    pub fn is_repeatable(&self) -> bool {
        let has_condition = self.headers.iter().any(|(name, _)| name.starts_with("if-"));
        let begins_upload =
            self.method == "POST" && self.query.iter().any(|(name, _)| *name == "uploads");
        let is_of_bucket = self.key.is_empty() && matches!(self.method, "PUT" | "DELETE");
        match self.method {
            "GET" | "HEAD" => true,
            _ => !(has_condition || begins_upload || is_of_bucket),
        }
    }

    /// What would break the framing of the request, if anything.
    pub fn flaw(&self) -> Option<String> {
        for (name, value) in &self.headers {
            let token = !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
            if !token {
                return Some(format!("{name:?} cannot be the name of a header"));
            }
            if value.bytes().any(|b| b < b' ' && b != b'\t' || b == 0x7f) {
                return Some(format!("the value of {name} has a control character"));
            }
        }
        None
    }
}
