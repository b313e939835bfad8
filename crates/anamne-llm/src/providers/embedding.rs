//! What the APIs that embed texts have in common.

use std::sync::Arc;

use anamne_store::Clock;
use serde_json::Value;

use super::{Dialect, vector_of};
use crate::transport::Transport;
use crate::{BridgeConfig, BridgeError, Key};

/// The configured embedding model, and the connection to it.
pub(super) struct EmbeddingApi {
    pub(super) transport: Transport,
    pub(super) model: String,
    /// The length to ask for, if the model has such a parameter.
    pub(super) dimensions: Option<usize>,
}

impl EmbeddingApi {
    pub(super) fn new(
        dialect: &Dialect,
        config: &BridgeConfig,
        dimensions: Option<usize>,
        key: Option<Key>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BridgeError> {
        Ok(Self {
            transport: Transport::new(config, key, dialect.key, dialect.headers, clock)?,
            model: config.embedding_model.clone(),
            dimensions,
        })
    }

    /// The entries of an answer under this name, of which there must be `count`; `missing` says that there are none.
    pub(super) fn entries<'answer>(
        &self,
        answer: &'answer Value,
        name: &str,
        missing: &'static str,
        count: usize,
    ) -> Result<&'answer [Value], BridgeError> {
        let entries = answer.get(name).and_then(Value::as_array);
        let entries = entries.ok_or_else(|| self.malformed(missing))?;
        if entries.len() != count {
            return Err(self.malformed("not one vector per text"));
        }
        Ok(entries)
    }

    /// The vector of an entry under this name.
    pub(super) fn vector(&self, entry: &Value, name: &str) -> Result<Vec<f32>, BridgeError> {
        let vector = entry.get(name).and_then(vector_of);
        vector.ok_or_else(|| self.malformed("a vector has non-finite values"))
    }

    /// The vectors, which must have one length.
    pub(super) fn of_one_length(
        &self,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Vec<f32>>, BridgeError> {
        match vectors.first().map(Vec::len) {
            Some(length) if vectors.iter().any(|vector| vector.len() != length) => {
                Err(self.malformed("its vectors differ in length"))
            }
            _ => Ok(vectors),
        }
    }

    pub(super) fn malformed(&self, reason: &'static str) -> BridgeError {
        self.transport.malformed(reason)
    }
}
