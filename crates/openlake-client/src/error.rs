//! What can go wrong with a call: one type, with all that the server said.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Which of the few things a caller can react to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The arguments or the configuration cannot work; nothing was sent.
    InvalidInput,
    /// No connection could be made.
    Connect,
    /// The connection broke before the answer was complete. A request that may be repeated was
    /// repeated; of any other the outcome is unknown, and the message says so.
    Connection,
    /// The call's deadline passed; what was asked for may still have been done.
    Deadline,
    /// The peer does not speak HTTP or S3 as we know it.
    Protocol,
    /// Bytes arrived that do not have the checksum they should have.
    Integrity,
    /// The server answered with an S3 error; see `status` and `code`.
    Service,
}

/// Boxed, so that results stay small; its fields are read through it.
#[derive(Clone, Debug)]
pub struct ClientError(Box<ErrorDetails>);

#[derive(Clone, Debug)]
pub struct ErrorDetails {
    pub kind: ErrorKind,
    /// HTTP status, if an answer came.
    pub status: Option<u16>,
    /// S3 error code such as `NoSuchKey`.
    pub code: Option<String>,
    pub message: String,
    pub request_id: Option<String>,
    pub bucket: String,
    pub key: String,
    /// How often the call was tried.
    pub attempts: u32,
}

impl ClientError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorDetails {
            kind,
            status: None,
            code: None,
            message: message.into(),
            request_id: None,
            bucket: String::new(),
            key: String::new(),
            attempts: 0,
        }))
    }

    pub(crate) fn at(mut self, bucket: &str, key: &str) -> Self {
        bucket.clone_into(&mut self.bucket);
        key.clone_into(&mut self.key);
        self
    }

    pub fn is_code(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }

    /// Whether the same call may succeed a moment later.
    pub(crate) fn is_transient(&self) -> bool {
        match self.kind {
            ErrorKind::Connect | ErrorKind::Connection => true,
            ErrorKind::Service => {
                matches!(self.status, Some(429 | 500 | 502 | 503 | 504))
                    || self.is_code("SlowDown")
                    || self.is_code("RequestTimeout")
            }
            _ => false,
        }
    }
}

impl Deref for ClientError {
    type Target = ErrorDetails;

    fn deref(&self) -> &ErrorDetails {
        &self.0
    }
}

impl DerefMut for ClientError {
    fn deref_mut(&mut self) -> &mut ErrorDetails {
        &mut self.0
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Some(code) => write!(f, "{code}: {}", self.message)?,
            None => f.write_str(&self.message)?,
        }
        if !self.bucket.is_empty() {
            write!(f, " (s3://{}/{}", self.bucket, self.key)?;
            if let Some(status) = self.status {
                write!(f, ", HTTP {status}")?;
            }
            if let Some(id) = &self.request_id {
                write!(f, ", request {id}")?;
            }
            if self.attempts > 1 {
                write!(f, ", {} attempts", self.attempts)?;
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl std::error::Error for ClientError {}
