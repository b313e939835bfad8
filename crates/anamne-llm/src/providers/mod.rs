//! The request and answer formats of the providers, one file each.

mod anthropic;
mod embedding;
mod gemini;
mod openai;
mod openai_batches;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use anamne_store::Clock;
use serde_json::{Value, json};

use super::embeddings::MOST_DIMENSIONS;
use super::transport::{InvalidValue, Transport};
use super::wording::plain_line;
use super::{
    BridgeConfig, BridgeError, Key, LanguageModel, Provider, RemoteEmbedder, Reply, Request,
    Speaker,
};
use embedding::EmbeddingApi;
use gemini::GeminiEmbedder;
use openai::OpenAiEmbedder;

/// The configured model, called with `key`.
pub fn language_model(
    config: &BridgeConfig,
    key: Option<Key>,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn LanguageModel>, BridgeError> {
    let dialect = match config.provider {
        Provider::Anthropic => &anthropic::DIALECT,
        Provider::Openai => &openai::DIALECT,
        Provider::Gemini => &gemini::DIALECT,
    };
    Ok(Arc::new(Remote::new(dialect, config, key, clock)?))
}

/// The configured embedding model, if there is one. It is asked for vectors of `dimensions`, if that is given.
///
/// [`BridgeError::NotOffered`] if the provider has none.
pub fn remote_embedder(
    config: &BridgeConfig,
    dimensions: Option<usize>,
    key: Option<Key>,
    clock: Arc<dyn Clock>,
) -> Result<Option<Arc<dyn RemoteEmbedder>>, BridgeError> {
    let api = |dialect| EmbeddingApi::new(dialect, config, dimensions, key, clock);
    match config.provider {
        _ if config.embedding_model.is_empty() => Ok(None),
        Provider::Openai => Ok(Some(Arc::new(OpenAiEmbedder(api(&openai::DIALECT)?)))),
        Provider::Gemini => Ok(Some(Arc::new(GeminiEmbedder(api(&gemini::DIALECT)?)))),
        other @ Provider::Anthropic => Err(BridgeError::NotOffered {
            provider: other.as_str(),
            what: "vectors",
            hint: "use a source of the provider openai or gemini",
        }),
    }
}

/// The API of a provider: how requests are built and answers are parsed.
struct Dialect {
    /// The key's header, and the prefix of its value.
    key: (&'static str, &'static str),
    headers: &'static [(&'static str, &'static str)],
    /// The names in error messages of parameters that can be omitted or renamed.
    optional: &'static [(&'static str, u8)],
    /// Parameters that the provider's own API rejects, but compatible servers accept.
    rejected_by_own_api: u8,
    /// The path of the model's endpoint.
    path: fn(&str) -> String,
    body: fn(&Remote, &Request) -> Value,
    reply: fn(&Remote, &Value) -> Result<Reply, BridgeError>,
}

/// A model behind a provider's API.
struct Remote {
    dialect: &'static Dialect,
    transport: Transport,
    model: String,
    /// Optional parameters that were rejected. This differs between servers, and between models of one server.
    rejected_parameters: AtomicU8,
}

impl Remote {
    fn new(
        dialect: &'static Dialect,
        config: &BridgeConfig,
        key: Option<Key>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BridgeError> {
        let uses_own_api = config.base_url.is_none();
        Ok(Self {
            dialect,
            transport: Transport::new(config, key, dialect.key, dialect.headers, clock)?,
            model: config.model.clone(),
            rejected_parameters: AtomicU8::new(if uses_own_api {
                dialect.rejected_by_own_api
            } else {
                0
            }),
        })
    }

    fn takes(&self, parameter: u8) -> bool {
        self.rejected_parameters.load(Ordering::Relaxed) & parameter == 0
    }

    fn declined(&self, reason: &str) -> BridgeError {
        BridgeError::Declined {
            model: self.model.clone(),
            reason: plain_line(reason, 60),
        }
    }
}

impl LanguageModel for Remote {
    fn name(&self) -> &str {
        &self.model
    }

    /// Sends the request; if the provider rejects an optional parameter, sends it again without that parameter, each at
    /// most once.
    fn complete(&self, request: &Request) -> Result<Reply, BridgeError> {
        let path = (self.dialect.path)(&self.model);
        loop {
            let body = (self.dialect.body)(self, request);
            let InvalidValue { error, words } =
                match self.transport.post(&path, &body, request.longest) {
                    Ok(answer) => return (self.dialect.reply)(self, &answer),
                    Err(refusal) => *refusal,
                };
            let mut optional = self.dialect.optional.iter();
            let named =
                optional.find(|(word, parameter)| words.contains(word) && self.takes(*parameter));
            let is_about_form = matches!(
                error,
                BridgeError::Status {
                    status: 400 | 422,
                    ..
                }
            );
            match named {
                Some((_, parameter)) if is_about_form => {
                    self.rejected_parameters
                        .fetch_or(*parameter, Ordering::Relaxed);
                }
                _ => return Err(error),
            }
        }
    }
}

/// The turns of a conversation in the format of most providers.
fn turns(request: &Request) -> Vec<Value> {
    let role = |speaker| match speaker {
        Speaker::Asker => "user",
        Speaker::Model => "assistant",
    };
    let turns = request.messages.iter();
    turns
        .map(|message| json!({"role": role(message.speaker), "content": message.text}))
        .collect()
}

/// A string in an answer; empty if missing.
fn words<'a>(answer: &'a Value, pointer: &str) -> &'a str {
    let found = answer.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_default()
}

/// A token count in an answer.
fn tokens(usage: &Value, name: &str) -> Option<u64> {
    usage.get(name)?.as_u64()
}

/// The model name in the answer, else the requested one.
fn answering_model(answer: &Value, pointer: &str, asked: &str) -> String {
    let name = answer.pointer(pointer).and_then(Value::as_str);
    plain_line(name.unwrap_or(asked), 200)
}

/// A vector in an answer; `None` if it is empty, implausibly long, or not of finite numbers.
fn vector_of(value: &Value) -> Option<Vec<f32>> {
    let numbers = value.as_array()?;
    if numbers.is_empty() || numbers.len() > MOST_DIMENSIONS {
        return None;
    }
    let number = |number: &Value| {
        let number = number.as_f64()? as f32;
        number.is_finite().then_some(number)
    };
    numbers.iter().map(number).collect()
}

/// The schema's name, for providers that require one.
const ANSWER: &str = "answer";

#[cfg(test)]
mod tests {
    use super::*;
    use anamne_store::SystemClock;
    use proptest::prelude::*;

    /// Common words of provider answers, so that random JSON resembles real answers.
    const NAMES: &str = "content type text tool_use name answer input stop_reason usage input_tokens output_tokens model \
        choices message finish_reason prompt_tokens candidates parts finishReason thought usageMetadata \
        promptTokenCount promptFeedback blockReason data index embedding embeddings values";

    fn any_json() -> impl Strategy<Value = Value> {
        let names: Vec<_> = NAMES.split_whitespace().collect();
        let name = move || prop::sample::select(names.clone()).prop_map(str::to_owned);
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
            let api = |dialect| EmbeddingApi::new(dialect, &config, None, None, clock.clone()).expect("settings that fit");
            let embedder = OpenAiEmbedder(api(&openai::DIALECT));
            let gemini = GeminiEmbedder(api(&gemini::DIALECT));
            for dialect in [&anthropic::DIALECT, &openai::DIALECT, &gemini::DIALECT] {
                let remote = Remote::new(dialect, &config, None, clock.clone()).expect("settings that fit");
                let reply = (dialect.reply)(&remote, &answer);
                let known = matches!(
                    reply,
                    Ok(_) | Err(BridgeError::Malformed { .. } | BridgeError::Declined { .. })
                );
                prop_assert!(known);
            }
            let vectors = [embedder.vectors(&answer, 1), gemini.vectors(&answer, 1)];
            for vectors in vectors.into_iter().flatten() {
                prop_assert!(vectors.len() == 1 && vectors[0].iter().all(|number| number.is_finite()));
            }
        }
    }
}
