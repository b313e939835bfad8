//! What made a derived value.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::InvalidValue;

/// What made a derived value: a person or agent who asserted it, a rule of this version, or a language model. In JSON, its
/// words: `told`, `rule reading/1`, `model claude-haiku`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MadeBy {
    /// It was asserted.
    Told,
    /// A rule or statistic of the engine.
    Rule {
        /// Its name.
        name: String,
        /// Its version, which rises with a change of what it makes.
        version: u32,
    },
    /// A language model, by the provider's name for it.
    Model(String),
}

impl MadeBy {
    /// A rule of the engine.
    pub fn rule(name: &str, version: u32) -> Self {
        Self::Rule {
            name: name.to_owned(),
            version,
        }
    }

    /// Whether a language model made it.
    pub fn is_model(&self) -> bool {
        matches!(self, Self::Model(_))
    }
}

impl Default for MadeBy {
    /// The rules that read texts.
    fn default() -> Self {
        Self::rule("reading", 1)
    }
}

impl fmt::Display for MadeBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told => formatter.write_str("told"),
            Self::Rule { name, version } => write!(formatter, "rule {name}/{version}"),
            Self::Model(name) => write!(formatter, "model {name}"),
        }
    }
}

impl FromStr for MadeBy {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let rule = |text: &str| {
            let (name, version) = text.strip_prefix("rule ")?.rsplit_once('/')?;
            Some(Self::rule(name, version.parse().ok()?))
        };
        let model = |text: &str| Some(Self::Model(text.strip_prefix("model ")?.to_owned()));
        let told = (text == "told").then_some(Self::Told);
        told.or_else(|| rule(text))
            .or_else(|| model(text))
            .ok_or_else(|| {
                let accepts = "told, rule NAME/VERSION, or model NAME";
                InvalidValue::new("made_by", accepts, text)
            })
    }
}

impl Serialize for MadeBy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MadeBy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_made_a_value_reads_back_from_its_words() {
        for made in [
            MadeBy::Told,
            MadeBy::rule("reading", 3),
            MadeBy::Model("provider/a model/2".to_owned()),
        ] {
            assert_eq!(made.to_string().parse(), Ok(made.clone()));
        }
        for text in ["", "rule x", "rule x/y", "models"] {
            assert!(text.parse::<MadeBy>().is_err(), "{text}");
        }
    }
}
