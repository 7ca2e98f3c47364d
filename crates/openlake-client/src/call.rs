//! One call: sign, send, receive, and try again while that can help and the deadline allows it.

use std::fmt::Write;
use std::io;
use std::time::{Duration, Instant};

use openlake_coding::ChecksumStream;
use openlake_types::ChecksumAlgorithm;

use crate::client::Client;
use crate::error::{ClientError, ErrorKind};
use crate::http::connection::{Connection, Sent};
use crate::http::response::{Framing, ResponseHead};
use crate::request::Request;
use crate::retry;
use crate::sign::{UNSIGNED_PAYLOAD, Unsigned, date_now};
use crate::uri;
use crate::xml::Element;

/// Answers that are not object bytes: a listing page of 1,000 keys of 1 KiB, encoded, fits.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// Where a successful answer's body goes.
pub enum Sink<'a> {
    /// Memory, as text of the protocol.
    Text,
    /// The start of the caller's memory; a longer body is an error.
    Within(&'a mut [u8]),
    /// Memory of the body's own length.
    Object,
}

pub struct Answer {
    pub head: ResponseHead,
    /// Empty if the sink was the caller's memory.
    pub body: Vec<u8>,
    pub received_bytes: usize,
    /// CRC-64/NVME of object bytes received.
    pub crc: Option<[u8; 8]>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.header(name)
    }

    /// The body as XML with the given root.
    pub fn document(&self, root: &str) -> Result<Element, ClientError> {
        std::str::from_utf8(&self.body)
            .ok()
            .and_then(Element::parse)
            .filter(|element| element.name == root)
            .ok_or_else(|| {
                ClientError::new(ErrorKind::Protocol, format!("the answer is not a <{root}>"))
            })
    }
}

/// A failed attempt.
struct Failure {
    error: ClientError,
    /// The connection was an old one and broke before any answer: it was closed while idle.
    is_stale: bool,
    /// The server had the whole request and may have carried it out.
    is_open: bool,
}

impl Failure {
    /// The server has said what it did, or it had no chance to do anything.
    fn settled(error: ClientError) -> Self {
        Self { error, is_stale: false, is_open: false }
    }

    fn open(error: ClientError) -> Self {
        Self { error, is_stale: false, is_open: true }
    }
}

impl Client {
    pub(crate) fn call(
        &self,
        request: &Request<'_>,
        mut sink: Sink<'_>,
    ) -> Result<Answer, ClientError> {
        let fail = |error: ClientError, attempts| {
            let mut error = error.at(request.bucket, request.key);
            error.attempts = attempts;
            error
        };
        if let Some(flaw) = request.flaw() {
            return Err(fail(ClientError::new(ErrorKind::InvalidInput, flaw), 0));
        }
        let config = self.config();
        let deadline = Instant::now() + config.deadline;
        let (mut attempts, mut was_stale) = (0, false);
        loop {
            attempts += 1;
            let failure = match self.attempt(request, &mut sink, deadline, was_stale) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if failure.is_open && !request.is_repeatable() {
                return Err(fail(of_unknown_outcome(failure.error), attempts));
            }
            if failure.is_stale {
                // Costs no attempt, and happens once: the next connection is a new one.
                was_stale = true;
                attempts -= 1;
                continue;
            }
            let error = failure.error;
            let random = retry::random();
            let pause = retry::pause(config.backoff_base, config.backoff_max, attempts, random);
            let in_time = Instant::now() + pause < deadline;
            if !error.is_transient() || attempts >= config.attempts_max || !in_time {
                return Err(fail(error, attempts));
            }
            std::thread::sleep(pause);
        }
    }

    fn attempt(
        &self,
        request: &Request<'_>,
        sink: &mut Sink<'_>,
        deadline: Instant,
        is_fresh_wanted: bool,
    ) -> Result<Answer, Failure> {
        let connect_by = deadline.min(Instant::now() + self.config().connect_timeout);
        let pool = self.pool();
        let taken = if is_fresh_wanted { pool.connect(connect_by) } else { pool.take(connect_by) };
        let mut connection = taken.map_err(|error| {
            let message = format!("cannot connect to {}: {error}", self.config().endpoint);
            Failure::settled(ClientError::new(ErrorKind::Connect, message))
        })?;
        let reused = connection.reused;
        let failed = |error: &io::Error, is_open| Failure {
            is_stale: reused
                && !matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::InvalidData),
            is_open,
            error: of_io(error, self.config().deadline),
        };
        let head = self.head_of(request);
        let of_head = request.method == "HEAD";
        // What the server does not have to its end it does not carry out.
        let sent = connection.send(head.as_bytes(), request.body, deadline);
        let sent = sent.map_err(|error| failed(&error, false))?;
        let head = connection.receive_head(of_head, deadline);
        let head = head.map_err(|error| failed(&error, sent == Sent::Whole))?;
        if !(200..300).contains(&head.status) {
            let error = self.refused(&head, sent, connection, deadline);
            let is_open = matches!(head.status, 500 | 502 | 504);
            return Err(Failure { error, is_stale: false, is_open });
        }
        if sent == Sent::Cut {
            let message = "the server accepted the body before it had all of it";
            return Err(Failure::open(ClientError::new(ErrorKind::Protocol, message)));
        }
        let answer = receive(&mut connection, head, sink, deadline, self.config().deadline)
            .map_err(Failure::open)?;
        self.keep(connection, sent, &answer.head);
        Ok(answer)
    }

    /// Reads an error answer; a body that cannot be read costs only its details.
    fn refused(
        &self,
        head: &ResponseHead,
        sent: Sent,
        mut connection: Connection,
        deadline: Instant,
    ) -> ClientError {
        let mut error = ClientError::new(ErrorKind::Service, "");
        error.status = Some(head.status);
        error.request_id = head.header("x-amz-request-id").map(str::to_owned);
        if let Ok(body) = connection.receive_body(head.framing, TEXT_BYTES_MAX, deadline) {
            let root = std::str::from_utf8(&body).ok().and_then(Element::parse);
            if let Some(root) = root.filter(|root| root.name == "Error") {
                error.code = Some(root.text_of("Code").to_owned()).filter(|code| !code.is_empty());
                root.text_of("Message").clone_into(&mut error.message);
                if error.request_id.is_none() {
                    error.request_id = root.child("RequestId").map(|id| id.text.clone());
                }
            }
            self.keep(connection, sent, head);
        }
        if error.code.is_none() {
            error.code = code_of_status(head.status).map(str::to_owned);
        }
        if error.message.is_empty() {
            error.message = format!("the server answered HTTP {}", head.status);
        }
        error
    }

    fn keep(&self, mut connection: Connection, sent: Sent, head: &ResponseHead) {
        if head.keep_alive && sent == Sent::Whole {
            connection.reused = true;
            self.pool().give_back(connection);
        }
    }

    /// The signed head, ready to send.
    pub(crate) fn head_of(&self, request: &Request<'_>) -> String {
        self.head_for(request, request.body.len() as u64)
    }

    /// The same for a body of so many bytes that the request does not hold.
    pub(crate) fn head_for(&self, request: &Request<'_>, body_bytes: u64) -> String {
        let date = date_now();
        let path = uri::path(request.bucket, request.key);
        let parameters: Vec<_> = request.query.iter().map(|(n, v)| (*n, v.as_ref())).collect();
        let query = uri::query(&parameters);
        let mut headers: Vec<(&str, &str)> =
            request.headers.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect();
        headers.push(("host", self.pool().authority()));
        headers.push(("x-amz-content-sha256", UNSIGNED_PAYLOAD));
        headers.push(("x-amz-date", &date));
        if let Some(token) = self.signer().session_token() {
            headers.push(("x-amz-security-token", token));
        }
        headers.sort_unstable();
        let unsigned = Unsigned {
            method: request.method,
            path: &path,
            query: &query,
            headers: &headers,
            payload: UNSIGNED_PAYLOAD,
        };
        let authorization = self.signer().authorization(&unsigned, &date);
        let mut head = String::with_capacity(768);
        let mark = if query.is_empty() { "" } else { "?" };
        write!(head, "{} {path}{mark}{query} HTTP/1.1\r\n", request.method).expect(INFALLIBLE);
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").expect(INFALLIBLE);
        }
        write!(head, "authorization: {authorization}\r\n").expect(INFALLIBLE);
        if matches!(request.method, "PUT" | "POST") {
            write!(head, "content-length: {body_bytes}\r\n").expect(INFALLIBLE);
        }
        head.push_str("\r\n");
        head
    }
}

const INFALLIBLE: &str = "writing to a String cannot fail";

/// Receives a successful answer's body where the sink says.
fn receive(
    connection: &mut Connection,
    head: ResponseHead,
    sink: &mut Sink<'_>,
    deadline: Instant,
    allowed: Duration,
) -> Result<Answer, ClientError> {
    let of = |error: io::Error| of_io(&error, allowed);
    let length = match (head.framing, &*sink) {
        (framing, Sink::Text) => {
            let body = connection.receive_body(framing, TEXT_BYTES_MAX, deadline).map_err(of)?;
            return Ok(Answer { head, received_bytes: body.len(), body, crc: None });
        }
        (Framing::Length(length), _) => usize::try_from(length).unwrap_or(usize::MAX),
        _ => {
            let message = "the server sends an object without its length";
            return Err(ClientError::new(ErrorKind::Protocol, message));
        }
    };
    let mut own = Vec::new();
    let target = match sink {
        Sink::Within(target) if target.len() >= length => &mut target[..length],
        Sink::Within(target) => {
            let message =
                format!("the server sends {length} bytes, the buffer takes {}", target.len());
            return Err(ClientError::new(ErrorKind::InvalidInput, message));
        }
        Sink::Object | Sink::Text => {
            own = vec![0; length];
            &mut own[..]
        }
    };
    let mut crc = ChecksumStream::new(ChecksumAlgorithm::Crc64Nvme);
    connection.receive_exact(target, deadline, &mut |piece| crc.update(piece)).map_err(of)?;
    let mut value = [0; 8];
    value.copy_from_slice(crc.finish().value());
    Ok(Answer { head, body: own, received_bytes: length, crc: Some(value) })
}

/// The caller must look before it tries again.
fn of_unknown_outcome(mut error: ClientError) -> ClientError {
    error.message.push_str("; whether the server has carried it out is not known");
    error
}

fn of_io(error: &io::Error, allowed: Duration) -> ClientError {
    match error.kind() {
        io::ErrorKind::TimedOut => ClientError::new(
            ErrorKind::Deadline,
            format!("no complete answer within {} s", allowed.as_secs_f64()),
        ),
        io::ErrorKind::InvalidData => {
            ClientError::new(ErrorKind::Protocol, format!("not an answer of S3: {error}"))
        }
        _ => ClientError::new(ErrorKind::Connection, format!("the connection broke: {error}")),
    }
}

/// HEAD answers carry no code; S3 clients give these names to the statuses.
fn code_of_status(status: u16) -> Option<&'static str> {
    match status {
        304 => Some("NotModified"),
        400 => Some("BadRequest"),
        403 => Some("AccessDenied"),
        404 => Some("NotFound"),
        412 => Some("PreconditionFailed"),
        416 => Some("InvalidRange"),
        503 => Some("SlowDown"),
        _ => None,
    }
}
