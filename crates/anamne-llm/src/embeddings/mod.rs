//! Remote embedding models: their names in the settings of spaces, and the sources that serve them.

mod known;

use std::fmt;
use std::str::FromStr;

use anamne_types::InvalidValue;
use serde::{Deserialize, Serialize};

use super::config::check_name;
use super::keys::check_variable;
use super::{Bridge, BridgeConfig, BridgeError, Provider};

pub use known::Shortening;
use known::known;

/// An API that embeds texts, as `[embeddings.NAME]` in `model.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingSource {
    /// The form of its API: `openai` or `gemini`.
    pub provider: Provider,
    /// The base URL of the API; defaults to the provider's. Hosts other than this machine require `https`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The environment variable that contains the key. There is no default with a custom `base_url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
}

impl EmbeddingSource {
    /// Whether a text can be the name of a source: 1 to 40 lower-case letters, digits and dashes.
    pub fn is_name(text: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=40).contains(&text.len()) && text.bytes().all(plain)
    }

    /// Validates the values, of the source with this name.
    pub(crate) fn check(&self, name: &str) -> Result<(), BridgeError> {
        if !Self::is_name(name) {
            let accepts = "named by 1 to 40 lower-case letters, digits and dashes";
            return Err(InvalidValue::new("embeddings", accepts, format!("{name:?}")).into());
        }
        if self.provider == Provider::Anthropic {
            let field = format!("embeddings.{name}.provider");
            return Err(InvalidValue::new(field, "openai or gemini", "anthropic").into());
        }
        if let Some(variable) = &self.key_env {
            check_variable(variable)?;
        }
        Ok(())
    }
}

/// The name of a remote model in the settings of a space: `SOURCE:MODEL`, or `SOURCE:MODEL@DIMENSIONS`.
///
/// ```
/// use anamne_llm::EmbeddingName;
///
/// let name: EmbeddingName = "openai:text-embedding-3-small@512".parse()?;
/// assert_eq!((name.source.as_str(), name.model.as_str()), ("openai", "text-embedding-3-small"));
/// assert_eq!(name.dimensions, Some(512));
/// # Ok::<(), anamne_llm::BridgeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EmbeddingName {
    /// The source in `model.toml`.
    pub source: String,
    /// The provider's name of the model.
    pub model: String,
    /// The length of the vectors, if it is given.
    pub dimensions: Option<usize>,
}

/// Maximum length of a vector.
pub(crate) const MOST_DIMENSIONS: usize = 16_384;

impl EmbeddingName {
    /// Whether a text has this form: the name of a source, a colon, and more.
    pub fn is_one(text: &str) -> bool {
        matches!(text.split_once(':'), Some((source, model)) if EmbeddingSource::is_name(source) && !model.is_empty())
    }

    /// The length of the vectors: the given one, else the usual one of a known model.
    pub fn length(&self) -> Option<usize> {
        self.dimensions
            .or_else(|| known(&self.model).map(|known| known.usual))
    }

    /// The same name with this length.
    #[must_use]
    pub fn with_length(self, dimensions: usize) -> Self {
        Self {
            dimensions: Some(dimensions),
            ..self
        }
    }

    /// Whether and how vectors of the model can be shortened.
    pub fn shortening(&self) -> Shortening {
        known(&self.model).map_or(Shortening::No, |known| known.shortening)
    }

    /// The number of dimensions to ask the API for; `None` if it has no such parameter.
    pub(crate) fn requested(&self) -> Option<usize> {
        let takes = self.shortening() == Shortening::Parameter;
        self.length().filter(|_| takes)
    }

    /// The maximum length of a text, in bytes. Longer ones are cut: their windows are embedded too.
    pub fn longest_text(&self) -> usize {
        known(&self.model).map_or(known::USUAL_TOKENS, |known| known.tokens)
            * known::BYTES_PER_TOKEN
    }

    /// The vector at the length of this name and at unit length; a zero vector stays zero.
    ///
    /// [`BridgeError::WrongLength`] if it has another length and the model isn't documented as one whose vectors may be
    /// cut.
    pub fn fitted(&self, mut vector: Vec<f32>) -> Result<Vec<f32>, BridgeError> {
        let wanted = self.length().unwrap_or(vector.len());
        if vector.len() > wanted && self.shortening() != Shortening::No {
            vector.truncate(wanted);
        }
        if vector.len() != wanted {
            return Err(BridgeError::WrongLength {
                model: self.model.clone(),
                found: vector.len(),
                wanted,
                name: format!("{}:{}@{}", self.source, self.model, vector.len()),
            });
        }
        let length = vector
            .iter()
            .map(|&place| f64::from(place) * f64::from(place))
            .sum::<f64>()
            .sqrt();
        if length > 0.0 {
            for place in &mut vector {
                *place = (f64::from(*place) / length) as f32;
            }
        }
        Ok(vector)
    }
}

impl FromStr for EmbeddingName {
    type Err = BridgeError;

    fn from_str(text: &str) -> Result<Self, BridgeError> {
        let refused = |accepts: &str| InvalidValue::new("embedding model", accepts, text);
        let form = "SOURCE:MODEL or SOURCE:MODEL@DIMENSIONS";
        let (source, rest) = text.split_once(':').ok_or_else(|| refused(form))?;
        // A model's own name may contain `@`; a number without leading zeros after it is a length.
        let length = rest
            .rsplit_once('@')
            .filter(|(_, digits)| !digits.starts_with('0') && is_digits(digits));
        let (model, dimensions) = match length {
            Some((model, digits)) => (model, Some(digits.parse().unwrap_or(usize::MAX))),
            None => (rest, None),
        };
        if !EmbeddingSource::is_name(source) || model.is_empty() {
            return Err(refused(form).into());
        }
        check_name("embedding model", model, true)?;
        let name = Self {
            source: source.to_owned(),
            model: model.to_owned(),
            dimensions,
        };
        let most = known(model).map_or(MOST_DIMENSIONS, |known| known.full);
        if dimensions.is_some_and(|length| length > most) {
            return Err(refused(&format!("at most {most} dimensions")).into());
        }
        Ok(name)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for EmbeddingName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.source, self.model)?;
        match self.dimensions {
            Some(dimensions) => write!(formatter, "@{dimensions}"),
            None => Ok(()),
        }
    }
}

/// What a text is embedded for. Some models embed the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be found.
    Memory,
    /// To find others.
    Query,
}

/// Opens the bridges to remote embedding models.
pub trait EmbeddingSources: Send + Sync {
    /// The settings that apply to a model: those of its source.
    ///
    /// Reads no key and sends nothing. [`BridgeError::NoSource`] if there is no such source.
    fn settings(&self, name: &EmbeddingName) -> Result<BridgeConfig, BridgeError>;

    /// A bridge to the model. Sends nothing. Errors as [`Bridge::open`], and [`BridgeError::NoSource`].
    fn open(&self, name: &EmbeddingName) -> Result<Bridge, BridgeError>;
}

impl BridgeConfig {
    /// The settings that apply to an embedding model: address, key and model of its source, all else as here.
    pub fn for_embeddings(&self, name: &EmbeddingName) -> Result<Self, BridgeError> {
        let source = self
            .embeddings
            .get(&name.source)
            .ok_or_else(|| BridgeError::NoSource {
                source_name: name.source.clone(),
                known: self.embeddings.keys().cloned().collect(),
            })?;
        Ok(Self {
            provider: source.provider,
            base_url: source.base_url.clone(),
            key_env: source.key_env.clone(),
            model: name.model.clone(),
            embedding_model: name.model.clone(),
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let check = |text: &str, expected: Option<(&str, &str, Option<usize>)>| {
            let name = text.parse::<EmbeddingName>().ok();
            let parts = name
                .as_ref()
                .map(|name| (name.source.as_str(), name.model.as_str(), name.dimensions));
            assert_eq!(parts, expected, "{text}");
            if let Some(name) = &name {
                assert_eq!(name.to_string(), text);
            }
        };
        check(
            "openai:text-embedding-3-small",
            Some(("openai", "text-embedding-3-small", None)),
        );
        check(
            "local:owner/model:8b@768",
            Some(("local", "owner/model:8b", Some(768))),
        );
        check("x:model@001", Some(("x", "model@001", None)));
        check("x:model@0", Some(("x", "model@0", None)));
        check("openai:text-embedding-3-small@1537", None);
        check("x:model@99999999999999999999999", None);
        for wrong in [
            "",
            "builtin",
            ":m",
            "x:",
            "X:m",
            "x y:m",
            "x:two words",
            "x:@5",
        ] {
            check(wrong, None);
        }
    }

    #[test]
    fn vectors_are_cut_only_if_the_model_allows_it() {
        let fitted = |name: &str, length: usize| {
            let name: EmbeddingName = name.parse().expect("a name");
            name.fitted(vec![2.0; length])
                .map(|vector| vector.len())
                .ok()
        };
        assert_eq!(fitted("openai:text-embedding-3-small@256", 1536), Some(256));
        assert_eq!(fitted("openai:text-embedding-3-small@256", 128), None);
        assert_eq!(fitted("local:unknown@256", 1536), None);
        assert_eq!(fitted("local:unknown@256", 256), Some(256));
        assert_eq!(fitted("local:nomic-embed-text:v1.5@256", 768), Some(256));
        let name: EmbeddingName = "x:m@2".parse().expect("a name");
        assert_eq!(name.fitted(vec![3.0, 4.0]).expect("fits"), [0.6, 0.8]);
        assert_eq!(name.fitted(vec![0.0, 0.0]).expect("fits"), [0.0, 0.0]);
        let huge = name.fitted(vec![f32::MAX, f32::MAX]).expect("fits");
        assert!(
            huge.iter()
                .all(|place| (place - std::f32::consts::FRAC_1_SQRT_2).abs() < 1e-3)
        );
    }
}
