//! An answer on its way out: status line and headers in one buffer, then a body that is there, or
//! one that the store reads.

use bytes::Bytes;
use openlake_io::Buffer;
use openlake_types::Timestamp;

use crate::error::ErrorAnswer;
use crate::http_date::http_date;

pub struct Answer<S> {
    pub status: u16,
    head: Vec<u8>,
    pub body: AnswerBody<S>,
}

pub enum AnswerBody<S> {
    /// No body may follow: 204 and 304.
    None,
    /// What the body would have: the answer to HEAD.
    Omitted(u64),
    Bytes(Bytes),
    /// Bytes of an object that are there already.
    Memory(Buffer),
    /// So many bytes, read as they are sent.
    Stream(S, u64),
}

impl<S> AnswerBody<S> {
    fn length(&self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Omitted(length) | Self::Stream(_, length) => Some(*length),
            Self::Bytes(bytes) => Some(bytes.len() as u64),
            Self::Memory(bytes) => Some(bytes.len() as u64),
        }
    }
}

impl<S> Answer<S> {
    pub fn new(status: u16) -> Self {
        Self::with_room(status, 0)
    }

    /// With memory for so many bytes of body behind the head, for one that is copied there.
    pub fn with_room(status: u16, body_bytes: usize) -> Self {
        let mut head = Vec::with_capacity(640 + body_bytes);
        head.extend_from_slice(status_line(status).as_bytes());
        if !(100..600).contains(&status) || reason(status).is_empty() {
            // A status without a name of ours still has its number.
            head.clear();
            head.extend_from_slice(format!("HTTP/1.1 {status} \r\n").as_bytes());
        }
        Self { status, head, body: AnswerBody::Bytes(Bytes::new()) }
    }

    pub fn error(error: ErrorAnswer, is_head: bool) -> Self {
        let mut answer = Self::new(error.status);
        if let Some(content_type) = error.content_type {
            answer.header("Content-Type", content_type);
        }
        for (name, value) in &error.headers {
            answer.header(name, value);
        }
        answer.body = match error.status {
            304 => AnswerBody::None,
            _ if is_head => AnswerBody::Omitted(0),
            _ => AnswerBody::Bytes(error.body.into()),
        };
        answer
    }

    /// # Panics
    /// If a value would end its line: values are checked where they come in.
    pub fn header(&mut self, name: &str, value: &str) {
        assert!(is_header_value(value.as_bytes()), "the value of {name} has control characters");
        self.head.extend_from_slice(name.as_bytes());
        self.head.extend_from_slice(b": ");
        self.head.extend_from_slice(value.as_bytes());
        self.head.extend_from_slice(b"\r\n");
    }

    pub fn header_number(&mut self, name: &str, value: u64) {
        let mut digits = [0; 20];
        self.header(name, decimal(value, &mut digits));
    }

    /// An ETag, which stands in quotes everywhere.
    pub fn etag(&mut self, etag: openlake_types::ETag) {
        self.head.extend_from_slice(b"ETag: \"");
        let mut md5 = [0; 32];
        hex::encode_to_slice(etag.md5, &mut md5).expect("32 digits hold 16 bytes");
        self.head.extend_from_slice(&md5);
        if etag.parts > 0 {
            let mut digits = [0; 20];
            self.head.push(b'-');
            self.head.extend_from_slice(decimal(u64::from(etag.parts), &mut digits).as_bytes());
        }
        self.head.extend_from_slice(b"\"\r\n");
    }

    pub fn date(&mut self, name: &str, at: Timestamp) {
        self.header(name, http_date(at).as_str());
    }

    /// The complete head, and the body.
    pub fn finish(mut self, common: &CommonHeaders) -> (Vec<u8>, AnswerBody<S>) {
        self.header("x-amz-request-id", common.request_id);
        self.header("Date", common.date);
        self.header("Server", "OpenLake");
        if let Some(length) = self.body.length() {
            self.header_number("Content-Length", length);
        }
        if common.closes {
            self.header("Connection", "close");
        }
        self.head.extend_from_slice(b"\r\n");
        (self.head, self.body)
    }
}

/// What every answer carries.
pub struct CommonHeaders<'a> {
    pub request_id: &'a str,
    pub date: &'a str,
    pub closes: bool,
}

pub fn is_header_value(value: &[u8]) -> bool {
    !value.iter().any(|&byte| byte < b' ' && byte != b'\t' || byte == 0x7f)
}

fn decimal(mut value: u64, digits: &mut [u8; 20]) -> &str {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    std::str::from_utf8(&digits[at..]).expect("digits are ASCII")
}

macro_rules! statuses {
    ($($code:literal $reason:literal;)*) => {
        const fn reason(status: u16) -> &'static str {
            match status { $($code => $reason,)* _ => "" }
        }

        const fn status_line(status: u16) -> &'static str {
            match status {
                $($code => concat!("HTTP/1.1 ", $code, " ", $reason, "\r\n"),)*
                _ => "",
            }
        }
    };
}

statuses! {
    200 "OK"; 202 "Accepted"; 204 "No Content"; 206 "Partial Content";
    301 "Moved Permanently"; 304 "Not Modified"; 307 "Temporary Redirect";
    400 "Bad Request"; 403 "Forbidden"; 404 "Not Found"; 405 "Method Not Allowed";
    409 "Conflict"; 411 "Length Required"; 412 "Precondition Failed"; 415 "Unsupported Media Type";
    416 "Range Not Satisfiable"; 500 "Internal Server Error"; 501 "Not Implemented";
    503 "Service Unavailable"; 507 "Insufficient Storage";
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMON: CommonHeaders<'_> = CommonHeaders { request_id: "ID", date: "D", closes: false };

    #[test]
    fn a_head_is_its_lines_in_order() {
        let mut answer = Answer::<()>::new(206);
        answer.etag(openlake_types::ETag { md5: [0xab; 16], parts: 12 });
        answer.header_number("x-amz-mp-parts-count", 12);
        answer.body = AnswerBody::Bytes(Bytes::from_static(b"abc"));
        let (head, _) = answer.finish(&COMMON);
        let expected = format!(
            "HTTP/1.1 206 Partial Content\r\nETag: \"{}-12\"\r\nx-amz-mp-parts-count: 12\r\n\
             x-amz-request-id: ID\r\nDate: D\r\nServer: OpenLake\r\nContent-Length: 3\r\n\r\n",
            "ab".repeat(16)
        );
        assert_eq!(String::from_utf8(head).expect("text"), expected);
    }

    #[test]
    fn a_status_without_a_name_keeps_its_number() {
        let (head, _) = Answer::<()>::new(418).finish(&COMMON);
        assert!(head.starts_with(b"HTTP/1.1 418 \r\n"));
        let mut unchanged = Answer::<()>::new(304);
        unchanged.body = AnswerBody::None;
        let (head, _) = unchanged.finish(&CommonHeaders { closes: true, ..COMMON });
        let head = String::from_utf8(head).expect("text");
        assert!(!head.contains("Content-Length") && head.contains("Connection: close\r\n"));
    }

    #[test]
    #[should_panic(expected = "control characters")]
    fn a_value_never_ends_its_line() {
        Answer::<()>::new(200).header("a", "b\r\nc: d");
    }
}
