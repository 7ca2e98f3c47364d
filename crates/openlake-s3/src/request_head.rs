//! A request head as it came over the wire: method, raw target, headers.
//! Nothing is decoded here; signatures are computed over exactly these bytes.

use std::ops::Range;

use bytes::Bytes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    Get,
    Put,
    Head,
    Post,
    Delete,
    Options,
    /// No S3 operation uses it; the router answers `MethodNotAllowed`.
    Other,
}

impl Method {
    /// Method names are case-sensitive (RFC 9110 section 9.1).
    pub fn from_bytes(name: &[u8]) -> Self {
        match name {
            b"GET" => Self::Get,
            b"PUT" => Self::Put,
            b"HEAD" => Self::Head,
            b"POST" => Self::Post,
            b"DELETE" => Self::Delete,
            b"OPTIONS" => Self::Options,
            _ => Self::Other,
        }
    }

    /// `None` for a method that S3 does not use.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Get => Some("GET"),
            Self::Put => Some("PUT"),
            Self::Head => Some("HEAD"),
            Self::Post => Some("POST"),
            Self::Delete => Some("DELETE"),
            Self::Options => Some("OPTIONS"),
            Self::Other => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct RequestHead {
    pub method: Method,
    /// Path and query exactly as sent, percent-encoding included.
    pub target: Bytes,
    pub headers: HeaderMap,
}

impl RequestHead {
    /// The raw path, without the query.
    pub fn path(&self) -> &[u8] {
        split_target(&self.target).0
    }

    /// The raw query without its `?`; empty when there is none.
    pub fn query(&self) -> &[u8] {
        split_target(&self.target).1
    }
}

fn split_target(target: &[u8]) -> (&[u8], &[u8]) {
    match target.iter().position(|&byte| byte == b'?') {
        Some(at) => (&target[..at], &target[at + 1..]),
        None => (target, &[]),
    }
}

/// Headers in the order they came. Names are lower case; names and values are spans of the head's
/// one buffer, so that a request costs no allocation a header.
#[derive(Clone, Debug, Default)]
pub struct HeaderMap {
    buffer: Bytes,
    spans: Vec<Header>,
}

#[derive(Clone, Copy, Debug)]
struct Header {
    name: (u32, u32),
    value: (u32, u32),
}

impl HeaderMap {
    /// `buffer` holds the head with header names already in lower case.
    pub fn new(buffer: Bytes) -> Self {
        Self { buffer, spans: Vec::with_capacity(24) }
    }

    /// Adds a header whose name and value lie at these places of the buffer.
    ///
    /// # Panics
    /// If a range lies outside the buffer.
    pub fn push(&mut self, name: Range<usize>, value: Range<usize>) {
        let name_text = &self.buffer[name.clone()];
        debug_assert!(!name_text.iter().any(u8::is_ascii_uppercase), "names are lower case");
        assert!(value.start <= value.end && value.end <= self.buffer.len(), "value in buffer");
        let span = |range: Range<usize>| (range.start as u32, range.end as u32);
        self.spans.push(Header { name: span(name), value: span(value) });
    }

    /// For heads made in memory: tests and the native client.
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let lower = |name: &str| name.to_ascii_lowercase().into_bytes();
        let pairs: Vec<_> =
            pairs.into_iter().map(|(name, value)| (lower(name), value.to_vec())).collect();
        let mut headers = Self::default();
        headers.append(&pairs);
        headers
    }

    /// Adds headers after the head was read; copies the buffer once.
    pub(crate) fn append(&mut self, pairs: &[(Vec<u8>, Vec<u8>)]) {
        let mut buffer = self.buffer.to_vec();
        for (name, value) in pairs {
            let start = buffer.len() as u32;
            buffer.extend_from_slice(name);
            let middle = buffer.len() as u32;
            buffer.extend_from_slice(value);
            let end = buffer.len() as u32;
            self.spans.push(Header { name: (start, middle), value: (middle, end) });
        }
        self.buffer = buffer.into();
    }

    fn bytes(&self, span: (u32, u32)) -> &[u8] {
        &self.buffer[span.0 as usize..span.1 as usize]
    }

    /// Value of the first header of this lower-case name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.get_all(name).next()
    }

    /// The same value, sharing the head's memory.
    pub fn get_bytes(&self, name: &str) -> Option<Bytes> {
        self.get(name).map(|value| self.buffer.slice_ref(value))
    }

    /// The first value as text; `None` when it is absent or not UTF-8.
    pub fn get_text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(|value| std::str::from_utf8(value).ok())
    }

    pub fn get_all<'head, 'name>(
        &'head self,
        name: &'name str,
    ) -> impl Iterator<Item = &'head [u8]> + use<'head, 'name> {
        self.iter().filter(move |(own, _)| *own == name.as_bytes()).map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> + '_ {
        self.spans.iter().map(|header| (self.bytes(header.name), self.bytes(header.value)))
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_spans_of_the_head() {
        let buffer = Bytes::from_static(b"host: a\r\nx-amz-meta-k: v\r\nhost: b\r\n");
        let mut headers = HeaderMap::new(buffer);
        headers.push(0..4, 6..7);
        headers.push(9..21, 23..24);
        headers.push(26..30, 32..33);
        assert_eq!(headers.get("host"), Some(&b"a"[..]));
        assert_eq!(headers.get_all("host").collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!(headers.get_text("x-amz-meta-k"), Some("v"));
        assert_eq!(headers.get_bytes("x-amz-meta-k"), Some(Bytes::from_static(b"v")));
        assert_eq!(headers.get("absent"), None);
        assert_eq!(headers.len(), 3);
    }

    #[test]
    fn a_target_splits_at_its_first_question_mark() {
        let head = |target: &'static str| RequestHead {
            method: Method::Get,
            target: Bytes::from_static(target.as_bytes()),
            headers: HeaderMap::default(),
        };
        assert_eq!(head("/b/k?a=?&b").path(), b"/b/k");
        assert_eq!(head("/b/k?a=?&b").query(), b"a=?&b");
        assert_eq!(head("/b/k").query(), b"");
    }
}
