//! Where the server is, who asks, and how long to try.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use crate::error::{ClientError, ErrorKind};

#[derive(Clone)]
pub struct Credentials {
    pub access_key: String,
    pub secret_key: String,
    pub session_token: Option<String>,
}

#[derive(Clone)]
pub struct ClientConfig {
    /// `http://host:port`.
    pub endpoint: String,
    pub credentials: Credentials,
    pub region: String,
    pub connect_timeout: Duration,
    /// For a whole call with all its attempts; for transfers, for each part.
    pub deadline: Duration,
    /// At least 1.
    pub attempts_max: u32,
    pub backoff_base: Duration,
    pub backoff_max: Duration,
    /// Idle connections kept open.
    pub idle_connections_max: usize,
    pub part_etag: PartETag,
}

/// Of what the server makes the ETags of parts. Their CRC-64/NVME goes along and is verified either
/// way; other servers than OpenLake know MD5 only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartETag {
    /// Spares the server a digest of one chain, the slowest step of a large write.
    #[default]
    Crc64Nvme,
    Md5,
}

impl ClientConfig {
    pub fn new(endpoint: impl Into<String>, credentials: Credentials) -> Self {
        Self {
            endpoint: endpoint.into(),
            credentials,
            region: "us-east-1".to_owned(),
            connect_timeout: Duration::from_secs(5),
            deadline: Duration::from_mins(2),
            attempts_max: 5,
            backoff_base: Duration::from_millis(50),
            backoff_max: Duration::from_secs(5),
            idle_connections_max: 64,
            part_etag: PartETag::default(),
        }
    }
}

/// A parsed endpoint with its addresses.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    /// As the `Host` header says it.
    pub authority: String,
    pub addresses: Vec<SocketAddr>,
}

impl Endpoint {
    pub fn parse(endpoint: &str) -> Result<Self, ClientError> {
        let invalid = |message: String| ClientError::new(ErrorKind::InvalidInput, message);
        if endpoint.starts_with("https://") {
            return Err(invalid(format!(
                "{endpoint}: https is not supported yet; use the http:// address of the server"
            )));
        }
        let authority = endpoint.strip_prefix("http://").ok_or_else(|| {
            invalid(format!("{endpoint:?} is not an endpoint; write http://host:port"))
        })?;
        let authority = authority.strip_suffix('/').unwrap_or(authority);
        if authority.is_empty() || authority.contains(['/', '?', '#', '@', ' ']) {
            return Err(invalid(format!("{endpoint:?}: write http://host:port and nothing more")));
        }
        let after_address = &authority[authority.rfind(']').map_or(0, |i| i + 1)..];
        let with_port = if after_address.contains(':') {
            authority.to_owned()
        } else {
            format!("{authority}:80")
        };
        let addresses: Vec<_> = with_port
            .to_socket_addrs()
            .map_err(|error| {
                ClientError::new(ErrorKind::Connect, format!("cannot resolve {endpoint}: {error}"))
            })?
            .collect();
        if addresses.is_empty() {
            return Err(invalid(format!("{endpoint}: the name has no address")));
        }
        Ok(Self { authority: authority.to_owned(), addresses })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_http_host_and_port() {
        let endpoint = Endpoint::parse("http://127.0.0.1:9000/").expect("valid");
        assert_eq!(endpoint.authority, "127.0.0.1:9000");
        assert_eq!(endpoint.addresses, ["127.0.0.1:9000".parse().unwrap()]);
        assert_eq!(Endpoint::parse("http://127.0.0.1").expect("valid").addresses[0].port(), 80);
        assert_eq!(Endpoint::parse("http://[::1]").expect("valid").addresses[0].port(), 80);
        for bad in ["127.0.0.1:9000", "http://", "http://h/bucket", "ftp://h", "http://u@h"] {
            let error = Endpoint::parse(bad).expect_err(bad);
            assert_eq!(error.kind, ErrorKind::InvalidInput, "{bad}");
        }
    }

    #[test]
    fn https_is_refused_and_says_so() {
        let error = Endpoint::parse("https://127.0.0.1:9000").expect_err("no TLS yet");
        assert_eq!(error.kind, ErrorKind::InvalidInput);
        assert!(error.message.contains("https is not supported"), "{error}");
    }
}
