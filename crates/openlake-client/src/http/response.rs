//! The head of an answer.

use std::io;

/// Status line and headers are at most this long together.
pub const HEAD_BYTES_MAX: usize = 64 << 10;
const HEADERS_MAX: usize = 96;

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

#[derive(Clone, Debug)]
pub struct ResponseHead {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub framing: Framing,
    pub keep_alive: bool,
}

impl ResponseHead {
    /// Reads a head from the front of `bytes`; `None` while it is incomplete. `of_head` says that
    /// the request was HEAD, whose answers have no body whatever they announce.
    pub fn parse(bytes: &[u8], of_head: bool) -> io::Result<Option<(Self, usize)>> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut parsed = httparse::Response::new(&mut headers);
        let broken = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let httparse::Status::Complete(length) = parsed.parse(bytes).map_err(broken)? else {
            return Ok(None);
        };
        let status = parsed.code.unwrap_or(0);
        let mut head = Self {
            status,
            headers: Vec::with_capacity(parsed.headers.len()),
            framing: Framing::UntilClose,
            keep_alive: parsed.version == Some(1),
        };
        for header in &*parsed.headers {
            let value = String::from_utf8_lossy(header.value).into_owned();
            head.headers.push((header.name.to_ascii_lowercase(), value));
        }
        head.framing = head.body_framing(of_head)?;
        if let Some(connection) = head.header("connection") {
            head.keep_alive = !connection.eq_ignore_ascii_case("close");
        }
        if head.framing == Framing::UntilClose {
            head.keep_alive = false;
        }
        Ok(Some((head, length)))
    }

    fn body_framing(&self, of_head: bool) -> io::Result<Framing> {
        if of_head || self.status == 204 || self.status == 304 || self.status < 200 {
            return Ok(Framing::Length(0));
        }
        if let Some(coding) = self.header("transfer-encoding") {
            if coding.eq_ignore_ascii_case("chunked") {
                return Ok(Framing::Chunked);
            }
            return Err(io::Error::new(io::ErrorKind::InvalidData, "unknown transfer coding"));
        }
        match self.header("content-length") {
            None => Ok(Framing::UntilClose),
            Some(text) => text.parse().map(Framing::Length).map_err(|_| {
                io::Error::new(io::ErrorKind::InvalidData, "Content-Length is not a number")
            }),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, of_head: bool) -> ResponseHead {
        ResponseHead::parse(text.as_bytes(), of_head).expect("valid").expect("complete").0
    }

    #[test]
    fn the_body_ends_where_rfc_9112_says() {
        let length = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nETag: \"x\"\r\n\r\n";
        let head = parse(length, false);
        assert_eq!((head.framing, head.keep_alive), (Framing::Length(12), true));
        assert_eq!(head.header("etag"), Some("\"x\""));
        assert_eq!(parse(length, true).framing, Framing::Length(0));
        let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nConnection: close\r\n\r\n";
        let head = parse(chunked, false);
        assert_eq!((head.framing, head.keep_alive), (Framing::Chunked, false));
        let bare = parse("HTTP/1.1 200 OK\r\n\r\n", false);
        assert_eq!((bare.framing, bare.keep_alive), (Framing::UntilClose, false));
        assert_eq!(parse("HTTP/1.1 204 No\r\n\r\n", false).framing, Framing::Length(0));
        assert!(!parse("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", false).keep_alive);
    }

    #[test]
    fn incomplete_heads_wait_and_broken_ones_fail() {
        assert!(ResponseHead::parse(b"HTTP/1.1 200 OK\r\nA: b", false).expect("fine").is_none());
        assert!(ResponseHead::parse(b"SSH-2.0-x\r\n\r\n", false).is_err());
        let bad = b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n";
        assert!(ResponseHead::parse(bad, false).is_err());
    }
}
