//! `config.json` of a cross-encoder: how long a pair may be, and how many labels it has.

use std::collections::HashMap;

use serde::Deserialize;

use crate::EmbedError;
use crate::model_file::ModelFile;

/// Maximum tokens of a pair, even if the model reads more: twenty pairs are read for a query.
const MOST_TOKENS: usize = 256;

/// Fewest tokens of a pair: less leaves no room for a text beside the query.
const FEWEST_TOKENS: usize = 16;

/// What a cross-encoder's configuration says.
pub(super) struct Settings {
    /// Maximum tokens of a pair.
    pub(super) most_tokens: usize,
    /// The number of labels, if it is stated.
    labels: Option<usize>,
}

#[derive(Deserialize)]
struct Configuration {
    max_position_embeddings: Option<usize>,
    #[serde(default)]
    id2label: Option<HashMap<String, serde_json::Value>>,
    #[serde(default)]
    num_labels: Option<usize>,
}

impl Settings {
    pub(super) fn read(file: &ModelFile) -> Result<Self, EmbedError> {
        let configuration: Configuration = serde_json::from_slice(file.bytes())
            .map_err(|error| file.malformed(error.to_string()))?;
        let most = configuration.max_position_embeddings;
        let most = most.ok_or_else(|| {
            file.malformed("it does not say how long a text may be: max_position_embeddings")
        })?;
        if most < FEWEST_TOKENS {
            return Err(file.malformed(format!(
                "max_position_embeddings is {most}; at least {FEWEST_TOKENS} are needed"
            )));
        }
        let labels = configuration.id2label.map(|labels| labels.len());
        Ok(Self {
            most_tokens: most.min(MOST_TOKENS),
            labels: labels.or(configuration.num_labels),
        })
    }

    /// Rejects a model whose stated labels are not those of its graph.
    pub(super) fn check_labels(&self, found: usize, file: &ModelFile) -> Result<(), EmbedError> {
        match self.labels {
            Some(stated) if stated != found => Err(file.malformed(format!(
                "it states {stated} labels, but the model has {found}"
            ))),
            _ => Ok(()),
        }
    }
}
