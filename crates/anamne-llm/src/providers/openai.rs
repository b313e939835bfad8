//! OpenAI's chat completions and embeddings, as OpenAI, Ollama, vLLM, LM Studio and others speak them.

use std::sync::Arc;
use std::time::Duration;

use anamne_store::Clock;
use serde_json::{Value, json};

use super::{ANSWER, NotTaken, answering_model, ask_adapting, tokens};
use crate::transport::{KeyHeader, Transport};
use crate::{
    BridgeConfig, BridgeError, Embedded, Key, LanguageModel, RemoteEmbedder, Reply, Request,
    Speaker, Usage,
};

const KEY: KeyHeader = KeyHeader {
    name: "authorization",
    prefix: "Bearer ",
};

const TEMPERATURE: u8 = 1;
const FORM: u8 = 2;
const MAX_TOKENS: u8 = 4;

/// What a refusal calls the parameters that can be left out or called otherwise.
const OPTIONAL: &[(&str, u8)] = &[
    ("max_tokens", MAX_TOKENS),
    ("temperature", TEMPERATURE),
    ("response_format", FORM),
    ("json_schema", FORM),
];

/// What strict mode and grammars of local servers don't take; it is checked here anyway.
const CHECKED_HERE: &[&str] = &["maxLength", "minItems", "maxItems", "minimum", "maximum"];

/// A model behind OpenAI's chat completions.
pub struct OpenAi {
    transport: Transport,
    model: String,
    not_taken: NotTaken,
}

impl OpenAi {
    /// The model that the settings name.
    pub fn new(
        config: &BridgeConfig,
        key: Option<Key>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BridgeError> {
        let not_taken = NotTaken::default();
        if config.base_url.is_none() {
            // OpenAI's own newer models refuse the old name, which is the only one that local servers know.
            not_taken.learn(MAX_TOKENS);
        }
        Ok(Self {
            transport: transport(config, key, clock)?,
            model: config.model.clone(),
            not_taken,
        })
    }

    fn body(&self, request: &Request) -> Value {
        let turn = |speaker| match speaker {
            Speaker::Asker => "user",
            Speaker::Model => "assistant",
        };
        let mut messages = vec![json!({"role": "system", "content": request.system})];
        messages.extend(
            request
                .messages
                .iter()
                .map(|message| json!({"role": turn(message.speaker), "content": message.text})),
        );
        let most = if self.not_taken.has(MAX_TOKENS) {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        let mut body = json!({"model": self.model, "messages": messages, "stream": false});
        body[most] = json!(request.max_output_tokens);
        if let Some(temperature) = request.temperature
            && !self.not_taken.has(TEMPERATURE)
        {
            body["temperature"] = json!(temperature);
        }
        if let Some(schema) = &request.schema
            && !self.not_taken.has(FORM)
        {
            let schema = schema.without(CHECKED_HERE);
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": {"name": ANSWER, "strict": true, "schema": schema},
            });
        }
        body
    }

    pub(super) fn reply(&self, answer: &Value) -> Result<Reply, BridgeError> {
        let choice = answer
            .pointer("/choices/0")
            .ok_or_else(|| self.transport.malformed("it has no choices"))?;
        let declined = |reason: &str| BridgeError::Declined {
            model: self.model.clone(),
            reason: reason.to_owned(),
        };
        let reason = choice
            .get("finish_reason")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if choice
            .pointer("/message/refusal")
            .is_some_and(Value::is_string)
        {
            return Err(declined("refusal"));
        }
        if reason == "content_filter" {
            return Err(declined("content_filter"));
        }
        // Calls of tools are not looked at: none were offered.
        let text = choice
            .pointer("/message/content")
            .and_then(Value::as_str)
            .ok_or_else(|| self.transport.malformed("the message has no text"))?;
        Ok(Reply {
            text: text.to_owned(),
            usage: usage_of(answer, "completion_tokens"),
            model: answering_model(answer, "model", &self.model),
            cut: reason == "length",
        })
    }
}

impl LanguageModel for OpenAi {
    fn name(&self) -> &str {
        &self.model
    }

    fn complete(&self, request: &Request) -> Result<Reply, BridgeError> {
        let answer = ask_adapting(
            &self.transport,
            "/chat/completions",
            request.longest,
            &self.not_taken,
            OPTIONAL,
            || self.body(request),
        )?;
        self.reply(&answer)
    }
}

/// A model for vectors behind OpenAI's embeddings.
pub struct OpenAiEmbedder {
    transport: Transport,
    model: String,
}

impl OpenAiEmbedder {
    /// The model for vectors that the settings name.
    pub fn new(
        config: &BridgeConfig,
        key: Option<Key>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BridgeError> {
        Ok(Self {
            transport: transport(config, key, clock)?,
            model: config.embedding_model.clone(),
        })
    }

    pub(super) fn vectors(
        &self,
        answer: &Value,
        count: usize,
    ) -> Result<Vec<Vec<f32>>, BridgeError> {
        let malformed = |reason| self.transport.malformed(reason);
        let data = answer
            .get("data")
            .and_then(Value::as_array)
            .ok_or_else(|| malformed("it has no data"))?;
        if data.len() != count {
            return Err(malformed("it has not one vector for each text"));
        }
        let mut vectors = vec![Vec::new(); count];
        for (place, entry) in data.iter().enumerate() {
            let index = entry
                .get("index")
                .and_then(Value::as_u64)
                .unwrap_or(place as u64);
            let vector = vectors
                .get_mut(index as usize)
                .filter(|vector| vector.is_empty())
                .ok_or_else(|| malformed("its vectors are not numbered as the texts are"))?;
            *vector = entry
                .get("embedding")
                .and_then(vector_of)
                .ok_or_else(|| malformed("a vector is not one of finite numbers"))?;
        }
        match vectors.first().map(Vec::len) {
            Some(length) if vectors.iter().any(|vector| vector.len() != length) => {
                Err(malformed("its vectors differ in length"))
            }
            _ => Ok(vectors),
        }
    }
}

/// The longest vector that is believed.
const MOST_DIMENSIONS: usize = 16_384;

fn vector_of(value: &Value) -> Option<Vec<f32>> {
    let numbers = value.as_array()?;
    if numbers.is_empty() || numbers.len() > MOST_DIMENSIONS {
        return None;
    }
    numbers
        .iter()
        .map(|number| {
            number
                .as_f64()
                .map(|number| number as f32)
                .filter(|number| number.is_finite())
        })
        .collect()
}

impl RemoteEmbedder for OpenAiEmbedder {
    fn name(&self) -> &str {
        &self.model
    }

    fn embed(&self, texts: &[&str], longest: Duration) -> Result<Embedded, BridgeError> {
        let body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        let answer = self
            .transport
            .post("/embeddings", &body, longest)
            .map_err(|refusal| refusal.error)?;
        Ok(Embedded {
            vectors: self.vectors(&answer, texts.len())?,
            usage: usage_of(&answer, ""),
            model: answering_model(&answer, "model", &self.model),
        })
    }
}

/// What was read and written; nothing is written where vectors are made, and `output` is empty then.
fn usage_of(answer: &Value, output: &str) -> Option<Usage> {
    let usage = answer.get("usage")?;
    Some(Usage {
        input_tokens: tokens(usage, "prompt_tokens")?,
        output_tokens: match output {
            "" => 0,
            name => tokens(usage, name)?,
        },
    })
}

fn transport(
    config: &BridgeConfig,
    key: Option<Key>,
    clock: Arc<dyn Clock>,
) -> Result<Transport, BridgeError> {
    let address = config.address()?;
    Ok(Transport::new(
        address,
        key,
        KEY,
        &[],
        &config.timeouts,
        clock,
    ))
}
