//! `model.toml`: which model may be asked, and what it may cost.

use std::path::Path;
use std::time::Duration;

use anamne_net::Address;
use anamne_store::toml_problem;
use anamne_types::InvalidValue;
use serde::{Deserialize, Serialize};

use super::guarded::{Privacy, parse_settings, read_guarded, write_settings};
use super::keys::{KeyOrigin, KeySources, Wanted, check_variable};
use super::{BridgeError, Budgets, Key, Price, PriceRule, listed_price};

/// The version of the file.
pub(crate) const CONFIG_FORMAT: i64 = 1;

/// A longer file is refused.
const LONGEST_FILE: u64 = 256 << 10;

/// The settings of the bridge. Off unless someone says `enabled = true`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BridgeConfig {
    /// The version of this file.
    pub format: i64,
    /// Whether a model may be asked at all.
    pub enabled: bool,
    /// Whose API is spoken.
    pub provider: Provider,
    /// The model, by the provider's name for it.
    pub model: String,
    /// The model for vectors, by the provider's name for it; empty for none. `openai` alone offers one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub embedding_model: String,
    /// Where the API is; the provider's own by default. Other hosts than this machine by `https` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The variable of the environment that holds the key. With a `base_url` of one's own there is no usual one, so
    /// that a key never goes to a host that it was not meant for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// Tokens that the model may think with before it answers; added to the longest answer of every task.
    pub thinking_tokens: u32,
    /// What may be spent.
    pub budgets: Budgets,
    /// How often a model may be asked by one process.
    pub limits: RateLimits,
    /// How long is waited.
    pub timeouts: Timeouts,
    /// What is done after a failure.
    pub retries: Retries,
    /// Prices that count before the built-in ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<PriceRule>,
}

/// Whose API is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Anthropic's Messages API.
    #[default]
    Anthropic,
    /// OpenAI's chat completions, which Ollama, vLLM, LM Studio and others speak too.
    Openai,
    /// Google's `generateContent`.
    Gemini,
}

/// How often a model may be asked by one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimits {
    /// Requests in any minute; 0 for no limit.
    pub requests_per_minute: u32,
    /// Tokens in any minute, read and written; 0 for no limit. One request above it goes alone.
    pub tokens_per_minute: u64,
}

/// How long is waited, in seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    /// For a connection.
    pub connect_seconds: u32,
    /// For the next bytes of an answer.
    pub read_seconds: u32,
    /// For a call as a whole, with all waiting and repeating.
    pub total_seconds: u32,
}

/// What is done after a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retries {
    /// Maximum how often a request is sent.
    pub attempts: u32,
    /// The longest pause between two attempts; a provider that asks for a longer one is not asked again for so long.
    pub longest_pause_seconds: u32,
    /// After so many failures in a row the provider is left alone.
    pub failures_until_open: u32,
    /// For how long it is left alone.
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
    /// Its word in `model.toml`, where its API is, and the variable that usually holds its key.
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

    /// The word for it in `model.toml`.
    pub fn as_str(self) -> &'static str {
        self.facts()[0]
    }

    /// Where its API is when nothing else is said.
    pub fn usual_url(self) -> &'static str {
        self.facts()[1]
    }

    /// The variable that usually holds its key.
    pub fn usual_variable(self) -> &'static str {
        self.facts()[2]
    }
}

impl BridgeConfig {
    /// Reads `model.toml`; the settings that are off where it is missing.
    ///
    /// [`BridgeError::Unsafe`] where the file or its folder belongs to somebody else, others can write to it, or it is
    /// not a regular file. Whether the settings may be used is for [`Approvals`](super::Approvals) to say.
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

    /// Writes `model.toml` whole or not at all, readable by its owner only.
    pub fn save(&self, path: &Path) -> Result<(), BridgeError> {
        self.check()?;
        write_settings(path, self)
    }

    /// Checks what a person may change.
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
        self.budgets.check()?;
        for rule in &self.prices {
            rule.check()?;
        }
        Ok(())
    }

    /// Where requests go.
    pub(crate) fn address(&self) -> Result<Address, BridgeError> {
        let url = self.base_url.as_deref();
        Ok(Address::parse(url.unwrap_or(self.provider.usual_url()))?)
    }

    /// The variable in which the key is looked for, if any.
    pub fn key_variable(&self) -> Option<&str> {
        match (&self.key_env, &self.base_url) {
            (Some(name), _) => Some(name),
            (None, None) => Some(self.provider.usual_variable()),
            (None, Some(_)) => None,
        }
    }

    /// The key, and where it was found; `None` where there is none and the host needs none, as on this machine.
    ///
    /// [`BridgeError::NoKey`] where the provider's own API is used without a key;
    /// [`BridgeError::VariableNotAllowed`] where the settings name a variable that may hold anything.
    pub fn find_key(
        &self,
        sources: &KeySources<'_>,
    ) -> Result<Option<(Key, KeyOrigin)>, BridgeError> {
        let address = self.address()?;
        let account = self.key_account()?;
        sources.approvals.require_variable(self)?;
        let wanted = Wanted {
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

    /// What a key is kept for: the provider, and the scheme, host and port of its API, such as
    /// `openai@https://api.openai.com:443`. A key for one account is never sent to another one.
    pub fn key_account(&self) -> Result<String, BridgeError> {
        let address = self.address()?;
        Ok(format!("{}@{}", self.provider.as_str(), address.origin()))
    }

    /// Scheme, host and port of the API.
    pub fn origin(&self) -> Result<String, BridgeError> {
        Ok(self.address()?.origin().to_owned())
    }

    /// Whether requests go to the provider's own address.
    fn is_at_provider(&self) -> Result<bool, BridgeError> {
        let usual = Address::parse(self.provider.usual_url())?;
        Ok(self.address()?.origin() == usual.origin())
    }

    /// What a model costs: by `prices`, the longest prefix first, then by the built-in list, which does not count for
    /// models on this machine. `None` where nobody knows: then only tokens are counted.
    pub fn price_of(&self, model: &str) -> Option<Price> {
        let told = self
            .prices
            .iter()
            .filter(|rule| model.starts_with(&rule.prefix))
            .max_by_key(|rule| rule.prefix.len());
        match told {
            Some(rule) => Some(rule.price()),
            None if self.is_on_this_machine() => None,
            None => listed_price(model),
        }
    }

    /// Whether requests stay on this machine. Where they don't and a model has no price, budgets in money don't bound it.
    pub fn is_on_this_machine(&self) -> bool {
        self.address().is_ok_and(|address| address.is_loopback())
    }

    pub(crate) fn longest_call(&self) -> Duration {
        Duration::from_secs(self.timeouts.total_seconds.into())
    }
}

/// A name that goes into JSON, addresses and tables as it is.
fn check_name(field: &'static str, name: &str, wanted: bool) -> Result<(), InvalidValue> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/@+-".contains(&byte);
    let fits = name.len() <= 200 && name.bytes().all(plain) && !name.contains("..");
    if fits && !(wanted && name.is_empty()) {
        return Ok(());
    }
    let expected = "the provider's name of a model (letters, digits and . _ : / @ + -)";
    Err(InvalidValue::new(field, expected, name))
}
