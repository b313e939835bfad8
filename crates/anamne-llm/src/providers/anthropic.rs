//! Anthropic's Messages API.

use std::sync::Arc;

use anamne_store::Clock;
use serde_json::{Value, json};

use super::{ANSWER, NotTaken, answering_model, ask_adapting, tokens};
use crate::transport::{KeyHeader, Transport};
use crate::{BridgeConfig, BridgeError, Key, LanguageModel, Reply, Request, Speaker, Usage};

const KEY: KeyHeader = KeyHeader {
    name: "x-api-key",
    prefix: "",
};

const HEADERS: &[(&str, &str)] = &[("anthropic-version", "2023-06-01")];

const TEMPERATURE: u8 = 1;
const TOOL_CHOICE: u8 = 2;

/// What a refusal calls the parameters that can be left out.
const OPTIONAL: &[(&str, u8)] = &[("temperature", TEMPERATURE), ("tool_choice", TOOL_CHOICE)];

/// A model behind Anthropic's Messages API. An answer with a form is asked for as the input of the only tool.
pub struct Anthropic {
    transport: Transport,
    model: String,
    not_taken: NotTaken,
}

impl Anthropic {
    /// The model that the settings name.
    pub fn new(
        config: &BridgeConfig,
        key: Option<Key>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BridgeError> {
        let address = config.address()?;
        Ok(Self {
            transport: Transport::new(address, key, KEY, HEADERS, &config.timeouts, clock),
            model: config.model.clone(),
            not_taken: NotTaken::default(),
        })
    }

    fn body(&self, request: &Request) -> Value {
        let turn = |speaker| match speaker {
            Speaker::Asker => "user",
            Speaker::Model => "assistant",
        };
        let messages: Vec<_> = request
            .messages
            .iter()
            .map(|message| json!({"role": turn(message.speaker), "content": message.text}))
            .collect();
        let mut body = json!({
            "model": self.model,
            "max_tokens": request.max_output_tokens,
            "system": request.system,
            "messages": messages,
        });
        if let Some(temperature) = request.temperature
            && !self.not_taken.has(TEMPERATURE)
        {
            body["temperature"] = json!(temperature);
        }
        if let Some(schema) = &request.schema {
            body["tools"] = json!([{
                "name": ANSWER,
                "description": "Gives the answer.",
                "input_schema": schema.as_json(),
            }]);
            body["tool_choice"] = if self.not_taken.has(TOOL_CHOICE) {
                json!({"type": "auto"})
            } else {
                json!({"type": "tool", "name": ANSWER})
            };
        }
        body
    }

    pub(super) fn reply(&self, answer: &Value) -> Result<Reply, BridgeError> {
        let blocks = answer
            .get("content")
            .and_then(Value::as_array)
            .ok_or_else(|| self.transport.malformed("it has no content"))?;
        let reason = answer
            .get("stop_reason")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if reason == "refusal" {
            return Err(BridgeError::Declined {
                model: self.model.clone(),
                reason: reason.to_owned(),
            });
        }
        let usage = answer.get("usage").and_then(|usage| {
            // Parts of the request that were read from or written to the provider's cache are counted apart.
            let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"]
                .map(|name| tokens(usage, name).unwrap_or(0));
            Some(Usage {
                input_tokens: cached
                    .into_iter()
                    .fold(tokens(usage, "input_tokens")?, u64::saturating_add),
                output_tokens: tokens(usage, "output_tokens")?,
            })
        });
        Ok(Reply {
            text: text_of(blocks),
            usage,
            model: answering_model(answer, "model", &self.model),
            cut: reason == "max_tokens",
        })
    }
}

/// The input of our tool where it was used, else what was written. Other tools are not ours, and say nothing.
fn text_of(blocks: &[Value]) -> String {
    let is = |block: &Value, name: &str| block.get("type").is_some_and(|found| found == name);
    let used = blocks.iter().find(|block| {
        is(block, "tool_use") && block.get("name").is_some_and(|name| name == ANSWER)
    });
    match used.and_then(|block| block.get("input")) {
        Some(input) => input.to_string(),
        None => blocks
            .iter()
            .filter(|block| is(block, "text"))
            .filter_map(|block| block.get("text")?.as_str())
            .collect(),
    }
}

impl LanguageModel for Anthropic {
    fn name(&self) -> &str {
        &self.model
    }

    fn complete(&self, request: &Request) -> Result<Reply, BridgeError> {
        let answer = ask_adapting(
            &self.transport,
            "/messages",
            request.longest,
            &self.not_taken,
            OPTIONAL,
            || self.body(request),
        )?;
        self.reply(&answer)
    }
}
