//! The settings that need approval: where texts and keys go, and the cost limits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{BridgeConfig, Budgets, EmbeddingSource, PriceRule, Provider};

/// The fields of [`BridgeConfig`] that need approval. Changing one requires a new approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Terms {
    enabled: bool,
    provider: Provider,
    model: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    embedding_model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key_env: Option<String>,
    budgets: Budgets,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    embeddings: BTreeMap<String, EmbeddingSource>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    prices: Vec<PriceRule>,
}

impl Terms {
    pub(super) fn of(config: &BridgeConfig) -> Self {
        Self {
            enabled: config.enabled,
            provider: config.provider,
            model: config.model.clone(),
            embedding_model: config.embedding_model.clone(),
            base_url: config.base_url.clone(),
            key_env: config.key_env.clone(),
            budgets: config.budgets.clone(),
            embeddings: config.embeddings.clone(),
            prices: config.prices.clone(),
        }
    }

    /// The names of the fields that differ.
    pub(super) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let fields = [
            ("enabled", self.enabled != other.enabled),
            ("provider", self.provider != other.provider),
            ("model", self.model != other.model),
            (
                "embedding_model",
                self.embedding_model != other.embedding_model,
            ),
            ("base_url", self.base_url != other.base_url),
            ("key_env", self.key_env != other.key_env),
            ("budgets", self.budgets != other.budgets),
            ("embeddings", self.embeddings != other.embeddings),
            ("prices", self.prices != other.prices),
        ];
        let changed = fields.into_iter().filter(|(_, differs)| *differs);
        changed.map(|(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields that need no approval: they change neither where data goes nor what the budgets allow.
    const FREE: &[&str] = &["format", "thinking_tokens", "limits", "timeouts", "retries"];

    fn full() -> BridgeConfig {
        BridgeConfig {
            enabled: true,
            model: "model-1".to_owned(),
            embedding_model: "embed-1".to_owned(),
            base_url: Some("https://api.example.org/v1".to_owned()),
            key_env: Some("OPENAI_API_KEY".to_owned()),
            embeddings: [(
                "local".to_owned(),
                EmbeddingSource {
                    provider: Provider::Openai,
                    base_url: Some("http://127.0.0.1:11434/v1".to_owned()),
                    key_env: None,
                },
            )]
            .into(),
            prices: vec![PriceRule {
                prefix: "model".to_owned(),
                input: 1.0,
                output: 2.0,
            }],
            ..BridgeConfig::default()
        }
    }

    fn fields(value: &impl Serialize) -> Vec<String> {
        let table = toml::Table::try_from(value).expect("a table");
        table.keys().cloned().collect()
    }

    #[test]
    fn every_setting_is_approved_or_named_as_harmless() {
        let terms = fields(&Terms::of(&full()));
        for field in fields(&full()) {
            let approved = terms.contains(&field);
            assert!(
                approved != FREE.contains(&field.as_str()),
                "{field} must be approved, or stand among those that can do no harm"
            );
        }
    }

    #[test]
    fn every_approved_field_is_compared() {
        let before = Terms::of(&full());
        assert_eq!(before.differences(&before), [""; 0]);
        let mut other = BridgeConfig {
            provider: Provider::Gemini,
            ..BridgeConfig::default()
        };
        other.budgets.daily_dollars = 1e6;
        let mut changed = before.differences(&Terms::of(&other));
        changed.sort_unstable();
        assert_eq!(changed, fields(&before));
    }
}
