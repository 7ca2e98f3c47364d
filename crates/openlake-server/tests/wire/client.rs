//! A client that sends exactly what a test says, signed, and shows exactly what came back.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use openlake_coding::{hmac_sha256, sha256};
use openlake_s3::http_date::amz_date;
use openlake_types::Timestamp;

#[derive(Clone, Copy)]
pub struct Keys {
    pub access_key: &'static str,
    pub secret: &'static str,
}

pub const ROOT: Keys = Keys { access_key: "AKROOT", secret: "root secret" };
pub const ANN: Keys = Keys { access_key: "AKANN", secret: "ann's secret" };

const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);

pub struct Client {
    stream: TcpStream,
    received: Vec<u8>,
    keys: Keys,
}

#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub payload: String,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn new(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            payload: "UNSIGNED-PAYLOAD".to_owned(),
        }
    }

    pub fn get(target: &str) -> Self {
        Self::new("GET", target)
    }

    pub fn put(target: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..Self::new("PUT", target) }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn payload(mut self, payload: &str) -> Self {
        payload.clone_into(&mut self.payload);
        self
    }

    /// The signed head; the body's length is announced unless a header of the test says otherwise.
    pub fn head(&self, keys: Keys) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        let date = amz_date(Timestamp(now.as_millis() as u64)).as_str().to_owned();
        let mut signed = vec![
            ("host".to_owned(), "test".to_owned()),
            ("x-amz-content-sha256".to_owned(), self.payload.clone()),
            ("x-amz-date".to_owned(), date.clone()),
        ];
        let is_amz = |(name, _): &&(String, String)| name.to_lowercase().starts_with("x-amz-");
        signed.extend(
            self.headers
                .iter()
                .filter(is_amz)
                .map(|(name, value)| (name.to_lowercase(), value.clone())),
        );
        signed.sort();
        let authorization = self.authorization(keys, &date, &signed);
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &signed {
            head += &format!("{name}: {value}\r\n");
        }
        for (name, value) in self.headers.iter().filter(|header| !is_amz(header)) {
            head += &format!("{name}: {value}\r\n");
        }
        let has_length = self.headers.iter().any(|(name, _)| {
            matches!(&*name.to_lowercase(), "content-length" | "transfer-encoding")
        });
        if !has_length && (!self.body.is_empty() || self.method == "PUT") {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        head + &format!("Authorization: {authorization}\r\n\r\n")
    }

    fn authorization(&self, keys: Keys, date: &str, signed: &[(String, String)]) -> String {
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let mut pairs: Vec<String> = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| if pair.contains('=') { pair.to_owned() } else { format!("{pair}=") })
            .collect();
        pairs.sort();
        let names: Vec<&str> = signed.iter().map(|(name, _)| name.as_str()).collect();
        let lines: String =
            signed.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let canonical = format!(
            "{}\n{path}\n{}\n{lines}\n{}\n{}",
            self.method,
            pairs.join("&"),
            names.join(";"),
            self.payload
        );
        let day = &date[..8];
        let scope = format!("{day}/us-east-1/s3/aws4_request");
        let digest = hex(&sha256(canonical.as_bytes()));
        let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{digest}");
        let mut key = format!("AWS4{}", keys.secret).into_bytes();
        for part in [day, "us-east-1", "s3", "aws4_request"] {
            key = hmac_sha256(&key, &[part.as_bytes()]).to_vec();
        }
        let signature = hex(&hmac_sha256(&key, &[text.as_bytes()]));
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={}, Signature={signature}",
            keys.access_key,
            names.join(";")
        )
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Client {
    pub fn connect(address: SocketAddr, keys: Keys) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a TCP socket");
        // A server that does not answer fails the test instead of hanging it.
        stream.set_read_timeout(Some(ANSWER_TIME_MAX)).expect("not zero");
        Self { stream, received: Vec::new(), keys }
    }

    pub fn call(&mut self, request: &Request) -> Answer {
        let mut bytes = request.head(self.keys).into_bytes();
        bytes.extend_from_slice(&request.body);
        self.send(&bytes);
        self.answer(request.method == "HEAD")
    }

    pub fn get(&mut self, target: &str) -> Answer {
        self.call(&Request::get(target))
    }

    pub fn head(&mut self, target: &str) -> Answer {
        self.call(&Request::new("HEAD", target))
    }

    pub fn put(&mut self, target: &str, body: &[u8]) -> Answer {
        self.call(&Request::put(target, body))
    }

    pub fn delete(&mut self, target: &str) -> Answer {
        self.call(&Request::new("DELETE", target))
    }

    pub fn signed_head(&self, request: &Request) -> Vec<u8> {
        request.head(self.keys).into_bytes()
    }

    /// Raw bytes; the server may have closed already, which the answer will show.
    pub fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Waits for the first byte of an answer, and leaves it there.
    pub fn wait_for_answer(&self) {
        assert_eq!(self.stream.peek(&mut [0]).expect("an answer in time"), 1, "it has begun");
    }

    /// Whether an answer, or the end, comes in this time; it is left there.
    pub fn has_answer_within(&self, limit: Duration) -> bool {
        let set = |limit| self.stream.set_read_timeout(Some(limit)).expect("not zero");
        set(limit);
        let has_answer = match self.stream.peek(&mut [0]) {
            Ok(_) => true,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        };
        set(ANSWER_TIME_MAX);
        has_answer
    }

    /// Makes the socket take a few KiB from the server before the test reads them.
    pub fn receive_little_at_once(&self) {
        let bytes: libc::c_int = 4 << 10;
        let (level, length) = (libc::SOL_SOCKET, size_of::<libc::c_int>() as libc::socklen_t);
        let descriptor = self.stream.as_raw_fd();
        let value = (&raw const bytes).cast();
        // SAFETY: the socket is open, and the value has the length that is said.
        let set = unsafe { libc::setsockopt(descriptor, level, libc::SO_RCVBUF, value, length) };
        assert_eq!(set, 0);
    }

    /// Raw bytes; 0 at the end of the connection.
    pub fn receive_at_most(&mut self, count: usize) -> usize {
        let mut chunk = vec![0; count];
        match self.stream.read(&mut chunk) {
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => 0,
            result => result.expect("bytes or the end"),
        }
    }

    pub fn finish_sending(&mut self) {
        self.stream.shutdown(Shutdown::Write).expect("connected");
    }

    pub fn answer(&mut self, is_head: bool) -> Answer {
        self.try_answer(is_head).expect("an answer, not the end of the connection")
    }

    pub fn try_answer(&mut self, is_head: bool) -> Option<Answer> {
        let end = loop {
            if let Some(at) = self.received.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            if !self.receive() {
                return None;
            }
        };
        let head: Vec<u8> = self.received.drain(..end).collect();
        let head = String::from_utf8(head).expect("heads are text");
        let mut lines = head.trim_end().split("\r\n");
        let status_line = lines.next().expect("a status line");
        let status = status_line.split(' ').nth(1).expect("a status").parse().expect("a number");
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").expect("a header"))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let mut answer = Answer { status, headers, body: Vec::new() };
        let length =
            answer.header("content-length").map_or(0, |text| text.parse().expect("a length"));
        if !is_head && status != 304 && status >= 200 {
            while self.received.len() < length {
                if !self.receive() {
                    break;
                }
            }
            answer.body = self.received.drain(..length.min(self.received.len())).collect();
        }
        Some(answer)
    }

    /// False at the end of the connection.
    fn receive(&mut self) -> bool {
        let mut chunk = vec![0; 64 << 10];
        match self.stream.read(&mut chunk) {
            Ok(0) => false,
            Ok(count) => {
                self.received.extend_from_slice(&chunk[..count]);
                true
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => false,
            Err(error) => panic!("the server does not answer: {error}"),
        }
    }

    /// Whether the server closes with nothing more to say.
    pub fn is_closed(&mut self) -> bool {
        self.received.is_empty() && !self.receive()
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }

    /// The text of the first element of this name.
    pub fn element(&self, name: &str) -> Option<String> {
        self.elements(name).into_iter().next()
    }

    pub fn elements(&self, name: &str) -> Vec<String> {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let text = self.text();
        let pieces = text.split(&open).skip(1);
        pieces.map(|rest| rest.split(&close).next().expect("closed").to_owned()).collect()
    }

    /// Status and error code.
    pub fn refusal(&self) -> (u16, String) {
        (self.status, self.element("Code").unwrap_or_default())
    }
}
