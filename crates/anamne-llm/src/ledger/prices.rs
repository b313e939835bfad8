//! Model prices.

use anamne_types::InvalidValue;
use serde::{Deserialize, Serialize};

use super::Money;
use crate::Usage;

/// The price of a model, in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Price {
    /// Per million input tokens.
    pub input: f64,
    /// Per million output tokens.
    pub output: f64,
}

/// A price for every model whose name starts with a prefix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceRule {
    /// The prefix of the names.
    pub prefix: String,
    /// US dollars per million input tokens.
    pub input: f64,
    /// US dollars per million output tokens.
    #[serde(default)]
    pub output: f64,
}

impl Price {
    /// The price of a batch, which providers answer within a day for half the money.
    pub(crate) fn of_batch(self) -> Self {
        Self {
            input: self.input / 2.0,
            output: self.output / 2.0,
        }
    }

    /// The cost of `usage`, rounded up to a billionth of a dollar.
    pub fn of(self, usage: Usage) -> Money {
        let input = usage.input_tokens as f64 * self.input;
        let output = usage.output_tokens as f64 * self.output;
        Money::from_dollars((input + output) / 1e6)
    }
}

/// Maximum accepted price, in dollars per million tokens.
const HIGHEST_PRICE: f64 = 1e6;

impl PriceRule {
    pub(crate) fn price(&self) -> Price {
        Price {
            input: self.input,
            output: self.output,
        }
    }

    pub(crate) fn check(&self) -> Result<(), InvalidValue> {
        for (field, price) in [("prices.input", self.input), ("prices.output", self.output)] {
            if !(0.0..=HIGHEST_PRICE).contains(&price) {
                let accepts = "dollars per million tokens, 0 to 1000000";
                return Err(InvalidValue::new(field, accepts, price));
            }
        }
        Ok(())
    }
}

/// List prices of common models. They change; `prices` in `model.toml` override them.
const LIST: &[(&str, f64, f64)] = &[
    ("claude-opus-4-5", 5.0, 25.0),
    ("claude-opus-4-1", 15.0, 75.0),
    ("claude-opus-4", 15.0, 75.0),
    ("claude-sonnet-4-5", 3.0, 15.0),
    ("claude-sonnet-4", 3.0, 15.0),
    ("claude-haiku-4-5", 1.0, 5.0),
    ("claude-3-7-sonnet", 3.0, 15.0),
    ("claude-3-5-haiku", 0.8, 4.0),
    ("claude-3-haiku", 0.25, 1.25),
    ("gpt-5", 1.25, 10.0),
    ("gpt-5-mini", 0.25, 2.0),
    ("gpt-5-nano", 0.05, 0.4),
    ("gpt-4.1", 2.0, 8.0),
    ("gpt-4.1-mini", 0.4, 1.6),
    ("gpt-4.1-nano", 0.1, 0.4),
    ("gpt-4o", 2.5, 10.0),
    ("gpt-4o-mini", 0.15, 0.6),
    ("text-embedding-3-small", 0.02, 0.0),
    ("text-embedding-3-large", 0.13, 0.0),
    ("text-embedding-ada-002", 0.1, 0.0),
    ("gemini-embedding-001", 0.15, 0.0),
    ("gemini-2.5-pro", 1.25, 10.0),
    ("gemini-2.5-flash", 0.3, 2.5),
    ("gemini-2.5-flash-lite", 0.1, 0.4),
    ("gemini-2.0-flash", 0.1, 0.4),
];

/// The built-in price of a model or one of its editions (`-20250929`, `-2025-08-07`, `-latest`, `-001`). A variant with
/// a longer name is another model, with an unknown price.
pub(crate) fn listed_price(model: &str) -> Option<Price> {
    let model = model.strip_prefix("models/").unwrap_or(model);
    LIST.iter()
        .find(|(name, ..)| model.strip_prefix(name).is_some_and(is_edition))
        .map(|&(_, input, output)| Price { input, output })
}

fn is_edition(rest: &str) -> bool {
    let digits = |part: &str| part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    match rest.strip_prefix('-') {
        Some("latest") => true,
        // A single digit is a version, not an edition.
        Some(edition) => edition.split('-').all(digits),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_holds_for_a_model_and_its_editions_alone() {
        let check = |model: &str, input: Option<f64>| {
            assert_eq!(
                listed_price(model).map(|price| price.input),
                input,
                "{model}"
            );
        };
        check("claude-sonnet-4-5", Some(3.0));
        check("claude-sonnet-4-5-20250929", Some(3.0));
        check("claude-sonnet-4-20250514", Some(3.0));
        check("claude-sonnet-4-9", None);
        check("gpt-4o-mini-2024-07-18", Some(0.15));
        check("gpt-4o-2024-08-06", Some(2.5));
        check("gpt-4o-audio-preview", None);
        check("gpt-5-pro", None);
        check("gpt-5.1", None);
        check("models/gemini-2.0-flash-001", Some(0.1));
        check("claude-3-5-haiku-latest", Some(0.8));
        check("", None);
    }

    #[test]
    fn costs_are_rounded_up() {
        let usage = |input_tokens, output_tokens| Usage {
            input_tokens,
            output_tokens,
        };
        let price = Price {
            input: 3.0,
            output: 15.0,
        };
        assert_eq!(price.of(usage(1_000_000, 0)), Money::from_dollars(3.0));
        assert_eq!(price.of(usage(1_000, 200)), Money::from_dollars(0.006));
        let cheap = Price {
            input: 0.000_1,
            output: 0.0,
        };
        assert_eq!(cheap.of(usage(1, 0)).nanodollars(), 1);
        assert_eq!(cheap.of(usage(0, 0)), Money::default());
    }
}
