//! `model.toml`: the model that may be called, and its limits.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anamne_net::Address;
use anamne_store::toml_problem;
use anamne_types::InvalidValue;
use serde::{Deserialize, Serialize};

use super::guarded::{Privacy, parse_settings, read_guarded, write_settings};
use super::keys::{KeyOrigin, KeyRequest, KeySources, check_variable};
use super::{BridgeError, Budgets, EmbeddingSource, Key, Price, PriceRule, listed_price};

/// File format version.
pub(crate) const CONFIG_FORMAT: i64 = 1;

/// Maximum file size in bytes.
const LONGEST_FILE: u64 = 256 << 10;

/// The settings of the bridge. Disabled unless `enabled = true` is set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BridgeConfig {
    /// File format version.
    pub format: i64,
    /// Whether a model may be called at all.
    pub enabled: bool,
    /// The API to use.
    pub provider: Provider,
    /// The provider's name of the model.
    pub model: String,
    /// The embedding model of a bridge for embeddings; see [`BridgeConfig::for_embeddings`]. In the file it has no effect:
    /// the settings of a space name the model.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub embedding_model: String,
    /// The base URL of the API; defaults to the provider's. Hosts other than this machine require `https`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The environment variable that contains the key. There is no default with a custom `base_url`, so that a key is
    /// never sent to a host that it wasn't meant for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// Thinking tokens before the answer; added to the maximum output of every task.
    pub thinking_tokens: u32,
    /// Cost and token budgets.
    pub budgets: Budgets,
    /// Rate limits per process.
    pub limits: RateLimits,
    /// How long is waited.
    pub timeouts: Timeouts,
    /// Retries and circuit breaker.
    pub retries: Retries,
    /// The sources of embeddings, by name. Spaces choose their models.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub embeddings: BTreeMap<String, EmbeddingSource>,
    /// Prices that override the built-in ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<PriceRule>,
}

/// A model API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Anthropic's Messages API.
    #[default]
    Anthropic,
    /// OpenAI's chat completions, also implemented by Ollama, vLLM, LM Studio and others.
    Openai,
    /// Google's `generateContent`.
    Gemini,
}

/// Rate limits per process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimits {
    /// Requests per minute; 0 for no limit.
    pub requests_per_minute: u32,
    /// Tokens per minute, input and output; 0 for no limit. A single larger request is sent alone.
    pub tokens_per_minute: u64,
}

/// Timeouts in seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    /// Timeout of connecting.
    pub connect_seconds: u32,
    /// Timeout of reading the next bytes of an answer.
    pub read_seconds: u32,
    /// Timeout of a whole call, including waiting and retries.
    pub total_seconds: u32,
}

/// Retries and circuit breaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retries {
    /// Maximum attempts per request.
    pub attempts: u32,
    /// Maximum pause between two attempts; if a provider asks for a longer one, the call fails and the circuit opens
    /// for that time.
    pub longest_pause_seconds: u32,
    /// Consecutive failures after which the circuit opens.
    pub failures_until_open: u32,
    /// How long the circuit stays open.
    pub open_seconds: u32,
}

impl Default for BridgeConfig {
    fn default() -> Self {
        Self {
            format: CONFIG_FORMAT,
            enabled: false,
            provider: Provider::default(),
            model: String::new(),
            embedding_model: String::new(),
            base_url: None,
            key_env: None,
            thinking_tokens: 2_000,
            budgets: Budgets::default(),
            limits: RateLimits::default(),
            timeouts: Timeouts::default(),
            retries: Retries::default(),
            embeddings: BTreeMap::new(),
            prices: Vec::new(),
        }
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            requests_per_minute: 50,
            tokens_per_minute: 100_000,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect_seconds: 10,
            read_seconds: 120,
            total_seconds: 300,
        }
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            attempts: 4,
            longest_pause_seconds: 30,
            failures_until_open: 5,
            open_seconds: 60,
        }
    }
}

impl Provider {
    /// Its name in `model.toml`, its base URL, and its usual key variable.
    fn facts(self) -> [&'static str; 3] {
        match self {
            Self::Anthropic => [
                "anthropic",
                "https://api.anthropic.com/v1",
                "ANTHROPIC_API_KEY",
            ],
            Self::Openai => ["openai", "https://api.openai.com/v1", "OPENAI_API_KEY"],
            Self::Gemini => [
                "gemini",
                "https://generativelanguage.googleapis.com/v1beta",
                "GEMINI_API_KEY",
            ],
        }
    }

    /// The provider's name in `model.toml`.
    pub fn as_str(self) -> &'static str {
        self.facts()[0]
    }

    /// The default base URL.
    pub fn usual_url(self) -> &'static str {
        self.facts()[1]
    }

    /// The usual environment variable of the key.
    pub fn usual_variable(self) -> &'static str {
        self.facts()[2]
    }
}

impl BridgeConfig {
    /// Reads `model.toml`; a missing file means disabled settings.
    ///
    /// [`BridgeError::Unsafe`] if the file or its folder belongs to another user, is writable by others, or if the file
    /// is not a regular file. [`Approvals`](super::Approvals) decides whether the settings may be used.
    pub fn load(path: &Path) -> Result<Self, BridgeError> {
        let Some(text) = read_guarded(path, Privacy::Settings, LONGEST_FILE)? else {
            return Ok(Self::default());
        };
        let unreadable = |reason: String| BridgeError::Config {
            path: path.to_owned(),
            reason,
        };
        let config: Self = parse_settings(path, &text, CONFIG_FORMAT, |error| {
            unreadable(toml_problem(&text, &error))
        })?;
        config
            .check()
            .map_err(|error| unreadable(error.to_string()))?;
        Ok(config)
    }

    /// Writes `model.toml` atomically, readable by its owner only.
    pub fn save(&self, path: &Path) -> Result<(), BridgeError> {
        self.check()?;
        write_settings(path, self)
    }

    /// Validates all values.
    pub fn check(&self) -> Result<(), BridgeError> {
        self.address()?;
        check_name("model", &self.model, self.enabled)?;
        check_name("embedding_model", &self.embedding_model, false)?;
        for (field, seconds) in [
            ("timeouts.connect_seconds", self.timeouts.connect_seconds),
            ("timeouts.read_seconds", self.timeouts.read_seconds),
            ("timeouts.total_seconds", self.timeouts.total_seconds),
            ("retries.attempts", self.retries.attempts),
            (
                "retries.failures_until_open",
                self.retries.failures_until_open,
            ),
        ] {
            if seconds == 0 {
                return Err(InvalidValue::new(field, "at least 1", 0).into());
            }
        }
        if let Some(name) = &self.key_env {
            check_variable(name)?;
        }
        for (name, source) in &self.embeddings {
            source.check(name)?;
            Address::parse(
                source
                    .base_url
                    .as_deref()
                    .unwrap_or(source.provider.usual_url()),
            )?;
        }
        self.budgets.check()?;
        for rule in &self.prices {
            rule.check()?;
        }
        Ok(())
    }

    /// The parsed base URL.
    pub(crate) fn address(&self) -> Result<Address, BridgeError> {
        let url = self.base_url.as_deref();
        Ok(Address::parse(url.unwrap_or(self.provider.usual_url()))?)
    }

    /// The environment variable that is searched for the key, if any.
    pub fn key_variable(&self) -> Option<&str> {
        match (&self.key_env, &self.base_url) {
            (Some(name), _) => Some(name),
            (None, None) => Some(self.provider.usual_variable()),
            (None, Some(_)) => None,
        }
    }

    /// The key and its origin; `None` if there is none and the host needs none, such as this machine.
    ///
    /// [`BridgeError::NoKey`] if the provider's own API is used without a key; [`BridgeError::VariableNotAllowed`] if
    /// the settings name a variable that isn't a known key variable and isn't approved.
    pub fn find_key(
        &self,
        sources: &KeySources<'_>,
    ) -> Result<Option<(Key, KeyOrigin)>, BridgeError> {
        let address = self.address()?;
        let account = self.key_account()?;
        sources.approvals.require_variable(self)?;
        let wanted = KeyRequest {
            account: &account,
            former_account: self.is_at_provider()?.then_some(address.host()),
            variable: self.key_variable(),
        };
        let found = sources.find(&wanted)?;
        if found.is_none() && self.base_url.is_none() {
            return Err(BridgeError::NoKey {
                host: address.host().to_owned(),
                looked: sources.places(&wanted),
            });
        }
        Ok(found)
    }

    /// The account that a key belongs to: the provider, and the scheme, host and port of its API, such as
    /// `openai@https://api.openai.com:443`. A key is never sent to another account.
    pub fn key_account(&self) -> Result<String, BridgeError> {
        let address = self.address()?;
        Ok(format!("{}@{}", self.provider.as_str(), address.origin()))
    }

    /// Scheme, host and port of the API.
    pub fn origin(&self) -> Result<String, BridgeError> {
        Ok(self.address()?.origin().to_owned())
    }

    /// Whether requests go to the provider's default address.
    fn is_at_provider(&self) -> Result<bool, BridgeError> {
        let usual = Address::parse(self.provider.usual_url())?;
        Ok(self.address()?.origin() == usual.origin())
    }

    /// The price of a model: from `prices`, longest prefix first, then from the built-in list, which doesn't apply to
    /// models on this machine. `None` if unknown; then only token budgets apply.
    pub fn price_of(&self, model: &str) -> Option<Price> {
        let stored = self
            .prices
            .iter()
            .filter(|rule| model.starts_with(&rule.prefix))
            .max_by_key(|rule| rule.prefix.len());
        match stored {
            Some(rule) => Some(rule.price()),
            None if self.is_on_this_machine() => None,
            None => listed_price(model),
        }
    }

    /// Whether requests stay on this machine. If they don't and the model has no price, money budgets can't limit it.
    pub fn is_on_this_machine(&self) -> bool {
        self.address().is_ok_and(|address| address.is_loopback())
    }

    pub(crate) fn longest_call(&self) -> Duration {
        Duration::from_secs(self.timeouts.total_seconds.into())
    }
}

/// Validates a name that is used unescaped in JSON, URLs and tables.
pub(crate) fn check_name(
    field: &'static str,
    name: &str,
    wanted: bool,
) -> Result<(), InvalidValue> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/@+-".contains(&byte);
    let fits = name.len() <= 200 && name.bytes().all(plain) && !name.contains("..");
    if fits && !(wanted && name.is_empty()) {
        return Ok(());
    }
    let expected = "the provider's name of a model (letters, digits and . _ : / @ + -)";
    Err(InvalidValue::new(field, expected, name))
}
