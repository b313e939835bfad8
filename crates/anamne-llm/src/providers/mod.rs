//! The providers' own forms of asking and answering, one file each.

mod anthropic;
mod gemini;
mod openai;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use anamne_store::Clock;
use serde_json::Value;

use super::transport::{Refusal, Transport};
use super::{BridgeConfig, BridgeError, Key, LanguageModel, Provider, RemoteEmbedder};

pub use anthropic::Anthropic;
pub use gemini::Gemini;
pub use openai::{OpenAi, OpenAiEmbedder};

/// The model that the settings name, to be asked with `key`.
pub fn language_model(
    config: &BridgeConfig,
    key: Option<Key>,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn LanguageModel>, BridgeError> {
    Ok(match config.provider {
        Provider::Anthropic => Arc::new(Anthropic::new(config, key, clock)?),
        Provider::Openai => Arc::new(OpenAi::new(config, key, clock)?),
        Provider::Gemini => Arc::new(Gemini::new(config, key, clock)?),
    })
}

/// The model for vectors that the settings name, if they name one.
///
/// [`BridgeError::NotOffered`] where the provider is not `openai`.
pub fn remote_embedder(
    config: &BridgeConfig,
    key: Option<Key>,
    clock: Arc<dyn Clock>,
) -> Result<Option<Arc<dyn RemoteEmbedder>>, BridgeError> {
    match config.provider {
        _ if config.embedding_model.is_empty() => Ok(None),
        Provider::Openai => Ok(Some(Arc::new(OpenAiEmbedder::new(config, key, clock)?))),
        other => Err(BridgeError::NotOffered {
            provider: other.as_str(),
            what: "vectors",
            hint: "leave embedding_model out, or use the provider openai",
        }),
    }
}

/// Optional parameters that a model turned out not to take. Servers differ, and so do models of one server.
#[derive(Debug, Default)]
struct NotTaken(AtomicU8);

impl NotTaken {
    fn has(&self, parameter: u8) -> bool {
        self.0.load(Ordering::Relaxed) & parameter != 0
    }

    fn learn(&self, parameter: u8) {
        self.0.fetch_or(parameter, Ordering::Relaxed);
    }
}

/// Asks, and once more without each optional parameter that the provider names in a refusal.
///
/// `parameters` are the words by which a refusal names each; one that is left out already is not believed again.
fn ask_adapting(
    transport: &Transport,
    path: &str,
    longest: Duration,
    not_taken: &NotTaken,
    parameters: &[(&str, u8)],
    body: impl Fn() -> Value,
) -> Result<Value, BridgeError> {
    loop {
        let Refusal { error, words } = match transport.post(path, &body(), longest) {
            Ok(answer) => return Ok(answer),
            Err(refusal) => *refusal,
        };
        let named = parameters
            .iter()
            .find(|(word, parameter)| words.contains(word) && !not_taken.has(*parameter));
        match (named, &error) {
            (
                Some((_, parameter)),
                BridgeError::Status {
                    status: 400 | 422, ..
                },
            ) => {
                not_taken.learn(*parameter);
            }
            _ => return Err(error),
        }
    }
}

/// A count of tokens in an answer.
fn tokens(usage: &Value, name: &str) -> Option<u64> {
    usage.get(name)?.as_u64()
}

/// The name by which the provider calls the model that answered, else the one that was asked.
fn answering_model(answer: &Value, field: &str, asked: &str) -> String {
    let name = answer.get(field).and_then(Value::as_str).unwrap_or(asked);
    super::wording::plain_line(name, 200)
}

/// The schema's name, for providers that want one.
const ANSWER: &str = "answer";

#[cfg(test)]
mod tests {
    use super::*;
    use anamne_store::SystemClock;
    use proptest::prelude::*;

    /// The names of which answers consist, so that any JSON comes close to one.
    const NAMES: &[&str] = &[
        "content",
        "type",
        "text",
        "tool_use",
        "name",
        "answer",
        "input",
        "stop_reason",
        "usage",
        "input_tokens",
        "output_tokens",
        "model",
        "choices",
        "message",
        "finish_reason",
        "prompt_tokens",
        "candidates",
        "parts",
        "finishReason",
        "thought",
        "usageMetadata",
        "promptTokenCount",
        "promptFeedback",
        "blockReason",
        "data",
        "index",
        "embedding",
    ];

    fn any_json() -> impl Strategy<Value = Value> {
        let name = || prop::sample::select(NAMES).prop_map(str::to_owned);
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            name().prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((name(), inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_answer_of_a_provider_does_any_harm(answer in any_json()) {
            let config = BridgeConfig::default();
            let clock: Arc<dyn Clock> = Arc::new(SystemClock);
            let anthropic = Anthropic::new(&config, None, clock.clone()).expect("settings that fit");
            let openai = OpenAi::new(&config, None, clock.clone()).expect("settings that fit");
            let gemini = Gemini::new(&config, None, clock.clone()).expect("settings that fit");
            let embedder = OpenAiEmbedder::new(&config, None, clock).expect("settings that fit");
            for reply in [anthropic.reply(&answer), openai.reply(&answer), gemini.reply(&answer)] {
                let known = matches!(
                    reply,
                    Ok(_) | Err(BridgeError::Malformed { .. } | BridgeError::Declined { .. })
                );
                prop_assert!(known);
            }
            if let Ok(vectors) = embedder.vectors(&answer, 1) {
                prop_assert!(vectors.len() == 1 && vectors[0].iter().all(|number| number.is_finite()));
            }
        }
    }
}
