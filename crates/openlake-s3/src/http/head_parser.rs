//! Reads a request head from the bytes of a connection: the request itself, and what its framing
//! says about the body and the connection. Ambiguous framing is refused (RFC 9112 section 6.3).

use std::mem::MaybeUninit;

use bytes::Bytes;

use crate::error::{S3Error, S3ErrorCode};
use crate::request_head::{HeaderMap, Method, RequestHead};

/// A head that grows beyond this is refused.
pub const HEAD_BYTES_MAX: usize = 16 << 10;
const HEADERS_MAX: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFraming {
    /// `Content-Length`, or no body at all.
    Length(u64),
    /// `Transfer-Encoding: chunked`.
    Chunked,
}

#[derive(Debug)]
pub struct ParsedHead {
    pub request: RequestHead,
    /// Whether a `Content-Length` was sent.
    pub has_length: bool,
    pub framing: BodyFraming,
    pub expects_continue: bool,
    pub keep_alive: bool,
    /// Bytes of the connection that the head took.
    pub consumed: usize,
}

/// `None`: the head is not complete yet.
pub fn parse_head(bytes: &[u8]) -> Result<Option<ParsedHead>, S3Error> {
    let mut headers = [const { MaybeUninit::<httparse::Header<'_>>::uninit() }; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut []);
    let status = request.parse_with_uninit_headers(bytes, &mut headers);
    let consumed = match status {
        Ok(httparse::Status::Complete(consumed)) => consumed,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(S3ErrorCode::RequestHeaderSectionTooLarge.into());
        }
        Err(_) => return Err(S3ErrorCode::BadRequest.into()),
    };
    let place = |part: &[u8]| {
        let start = part.as_ptr() as usize - bytes.as_ptr() as usize;
        start..start + part.len()
    };
    // An absent value may point anywhere; it is empty all the same.
    let value_place = |part: &[u8]| if part.is_empty() { 0..0 } else { place(part) };
    let (Some(method), Some(path)) = (request.method, request.path) else {
        return Err(S3ErrorCode::BadRequest.into());
    };
    let mut head = bytes[..consumed].to_vec();
    for header in &*request.headers {
        head[place(header.name.as_bytes())].make_ascii_lowercase();
    }
    let head = Bytes::from(head);
    let mut headers = HeaderMap::new(head.clone());
    for header in &*request.headers {
        headers.push(place(header.name.as_bytes()), value_place(header.value));
    }
    let (target, method) = (head.slice(place(path.as_bytes())), method.as_bytes());
    let is_http_1_0 = request.version == Some(0);
    let request = RequestHead { method: Method::from_bytes(method), target, headers };
    with_framing(request, is_http_1_0, consumed).map(Some)
}

fn with_framing(
    request: RequestHead,
    is_http_1_0: bool,
    consumed: usize,
) -> Result<ParsedHead, S3Error> {
    let headers = &request.headers;
    if headers.get("host").is_none() && !is_http_1_0 {
        return Err(bad_request("A request has a Host header"));
    }
    for name in ["host", "content-length", "transfer-encoding"] {
        if headers.get_all(name).nth(1).is_some() {
            return Err(bad_request("Host and the headers of the body stand once"));
        }
    }
    let length = headers.get("content-length").map(parse_length).transpose()?;
    let framing = match headers.get("transfer-encoding") {
        None => BodyFraming::Length(length.unwrap_or(0)),
        Some(_) if length.is_some() => {
            return Err(bad_request("Content-Length and Transfer-Encoding exclude each other"));
        }
        Some(value) if value.eq_ignore_ascii_case(b"chunked") => BodyFraming::Chunked,
        Some(_) => {
            return Err(S3Error::with_message(
                S3ErrorCode::NotImplemented,
                "A header you provided implies functionality that is not implemented: \
                 Transfer-Encoding other than chunked",
            ));
        }
    };
    let expects_continue =
        headers.get("expect").is_some_and(|value| value.eq_ignore_ascii_case(b"100-continue"));
    let says = |word: &[u8]| {
        headers.get_all("connection").any(|value| {
            value.split(|&byte| byte == b',').any(|own| own.trim_ascii().eq_ignore_ascii_case(word))
        })
    };
    let keep_alive = if is_http_1_0 { says(b"keep-alive") } else { !says(b"close") };
    let has_length = length.is_some();
    Ok(ParsedHead { request, has_length, framing, expects_continue, keep_alive, consumed })
}

fn bad_request(message: &'static str) -> S3Error {
    S3Error::with_message(S3ErrorCode::BadRequest, message)
}

fn parse_length(value: &[u8]) -> Result<u64, S3Error> {
    let digits = std::str::from_utf8(value)
        .ok()
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| {
        S3Error::with_message(S3ErrorCode::BadRequest, "Content-Length is not a length in bytes")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PUT: &str = "PUT /bkt/k?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\
                       Expect: 100-Continue\r\nX-Amz-Meta-A:  v w \r\nEmpty:\r\n\r\nhello";

    fn parse(text: &str) -> Result<Option<ParsedHead>, S3Error> {
        parse_head(text.as_bytes())
    }

    fn refusal(text: &str) -> S3ErrorCode {
        parse(text).expect_err(text).code
    }

    #[test]
    fn a_head_is_read_and_the_body_stays() {
        let head = parse(PUT).expect("well formed").expect("complete");
        assert_eq!(head.request.method, Method::Put);
        assert_eq!(&head.request.target[..], b"/bkt/k?x=1");
        assert_eq!(head.request.headers.get("x-amz-meta-a"), Some(&b"v w"[..]));
        assert_eq!(head.request.headers.get("empty"), Some(&b""[..]));
        assert_eq!(head.framing, BodyFraming::Length(5));
        assert!(head.expects_continue && head.keep_alive && head.has_length);
        assert_eq!(&PUT.as_bytes()[head.consumed..], b"hello");
    }

    #[test]
    fn every_cut_of_a_head_is_incomplete() {
        let end = PUT.len() - 5;
        for cut in 0..end {
            assert!(parse(&PUT[..cut]).expect("no flaw yet").is_none(), "{cut}");
        }
    }

    #[test]
    fn the_connection_stays_as_its_version_and_header_say() {
        for (head, keep_alive) in [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: te, close\r\n\r\n", false),
            ("GET / HTTP/1.0\r\n\r\n", false),
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true),
        ] {
            assert_eq!(parse(head).expect(head).expect(head).keep_alive, keep_alive, "{head}");
        }
    }

    #[test]
    fn cn10_malformed_heads_are_refused() {
        for text in [
            "GET\r\n\r\n",
            "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n",
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n",
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert_eq!(refusal(text), S3ErrorCode::BadRequest, "{text}");
        }
        let gzip = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n";
        assert_eq!(refusal(gzip), S3ErrorCode::NotImplemented);
    }

    #[test]
    fn sec31_a_flood_of_headers_is_refused() {
        let flood = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "a: b\r\n".repeat(HEADERS_MAX));
        assert_eq!(refusal(&flood), S3ErrorCode::RequestHeaderSectionTooLarge);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_head(&bytes);
        }

        #[test]
        fn no_damaged_head_panics(at in 0..PUT.len(), byte in any::<u8>()) {
            let mut bytes = PUT.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = parse_head(&bytes);
        }
    }
}
