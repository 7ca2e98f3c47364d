//! The client: configuration, connections and keys, shared by all its clones and threads.

use std::sync::Arc;

use crate::config::{ClientConfig, Endpoint};
use crate::error::{ClientError, ErrorKind};
use crate::http::pool::Pool;
use crate::sign::Signer;

/// Cheap to clone; every method may be called from any thread and blocks that thread.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    config: ClientConfig,
    pool: Pool,
    signer: Signer,
}

impl Client {
    pub fn new(config: ClientConfig) -> Result<Self, ClientError> {
        if config.attempts_max == 0 || config.deadline.is_zero() {
            let message = "attempts_max and deadline must be greater than zero";
            return Err(ClientError::new(ErrorKind::InvalidInput, message));
        }
        let credentials = &config.credentials;
        if credentials.access_key.is_empty() || credentials.secret_key.is_empty() {
            let message = "an access key and a secret key are needed";
            return Err(ClientError::new(ErrorKind::InvalidInput, message));
        }
        let endpoint = Endpoint::parse(&config.endpoint)?;
        let pool = Pool::new(endpoint, config.idle_connections_max);
        let signer = Signer::new(config.credentials.clone(), config.region.clone());
        Ok(Self(Arc::new(Inner { config, pool, signer })))
    }

    pub fn config(&self) -> &ClientConfig {
        &self.0.config
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    pub(crate) fn signer(&self) -> &Signer {
        &self.0.signer
    }
}
