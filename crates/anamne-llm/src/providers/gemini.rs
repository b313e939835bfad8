//! Google's `generateContent`.

use std::sync::Arc;

use anamne_store::Clock;
use serde_json::{Value, json};

use super::{NotTaken, answering_model, ask_adapting, tokens};
use crate::transport::{KeyHeader, Transport};
use crate::{BridgeConfig, BridgeError, Key, LanguageModel, Reply, Request, Speaker, Usage};

/// In a header, and not in the address, where logs would keep it.
const KEY: KeyHeader = KeyHeader {
    name: "x-goog-api-key",
    prefix: "",
};

const FORM: u8 = 1;
const MIME_TYPE: u8 = 2;

/// What a refusal calls the parameters that can be left out.
const OPTIONAL: &[(&str, u8)] = &[
    ("responseJsonSchema", FORM),
    ("response_json_schema", FORM),
    ("responseMimeType", MIME_TYPE),
    ("response_mime_type", MIME_TYPE),
];

/// What the provider's schemas don't know; it is checked here anyway.
const CHECKED_HERE: &[&str] = &["maxLength"];

/// A model behind Google's `generateContent`.
pub struct Gemini {
    transport: Transport,
    model: String,
    path: String,
    not_taken: NotTaken,
}

impl Gemini {
    /// The model that the settings name.
    pub fn new(
        config: &BridgeConfig,
        key: Option<Key>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BridgeError> {
        let address = config.address()?;
        let name = config
            .model
            .strip_prefix("models/")
            .unwrap_or(&config.model);
        Ok(Self {
            transport: Transport::new(address, key, KEY, &[], &config.timeouts, clock),
            path: format!(
                "/models/{}:generateContent",
                name.replace(['/', ':', '@', '+'], "_")
            ),
            model: config.model.clone(),
            not_taken: NotTaken::default(),
        })
    }

    fn body(&self, request: &Request) -> Value {
        let turn = |speaker| match speaker {
            Speaker::Asker => "user",
            Speaker::Model => "model",
        };
        let contents: Vec<_> = request
            .messages
            .iter()
            .map(
                |message| json!({"role": turn(message.speaker), "parts": [{"text": message.text}]}),
            )
            .collect();
        let mut generation = json!({"maxOutputTokens": request.max_output_tokens});
        if let Some(temperature) = request.temperature {
            generation["temperature"] = json!(temperature);
        }
        if let Some(schema) = &request.schema
            && !self.not_taken.has(MIME_TYPE)
        {
            generation["responseMimeType"] = json!("application/json");
            if !self.not_taken.has(FORM) {
                generation["responseJsonSchema"] = schema.without(CHECKED_HERE);
            }
        }
        json!({
            "systemInstruction": {"parts": [{"text": request.system}]},
            "contents": contents,
            "generationConfig": generation,
        })
    }

    pub(super) fn reply(&self, answer: &Value) -> Result<Reply, BridgeError> {
        let declined = |reason: &str| BridgeError::Declined {
            model: self.model.clone(),
            reason: crate::wording::plain_line(reason, 60),
        };
        if let Some(reason) = answer
            .pointer("/promptFeedback/blockReason")
            .and_then(Value::as_str)
        {
            return Err(declined(reason));
        }
        let candidate = answer
            .pointer("/candidates/0")
            .ok_or_else(|| self.transport.malformed("it has no candidates"))?;
        let reason = candidate
            .get("finishReason")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let parts = candidate
            .pointer("/content/parts")
            .and_then(Value::as_array);
        let text: Option<String> = parts.map(|parts| parts.iter().filter_map(said).collect());
        let text = match (text, reason) {
            (Some(text), "STOP" | "MAX_TOKENS" | "") => text,
            // All that it was allowed to write went into thoughts.
            (None, "MAX_TOKENS") => String::new(),
            (_, "STOP" | "") => return Err(self.transport.malformed("the candidate has no text")),
            (_, reason) => return Err(declined(reason)),
        };
        Ok(Reply {
            text,
            usage: answer.get("usageMetadata").and_then(usage_of),
            model: answering_model(answer, "modelVersion", &self.model),
            cut: reason == "MAX_TOKENS",
        })
    }
}

/// The text of a part, unless it is a thought or a call of a function, which none were offered.
fn said(part: &Value) -> Option<&str> {
    let thought = part
        .get("thought")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    part.get("text")?.as_str().filter(|_| !thought)
}

fn usage_of(usage: &Value) -> Option<Usage> {
    let thoughts = tokens(usage, "thoughtsTokenCount").unwrap_or(0);
    let written = tokens(usage, "candidatesTokenCount").unwrap_or(0);
    Some(Usage {
        input_tokens: tokens(usage, "promptTokenCount")?,
        output_tokens: written.saturating_add(thoughts),
    })
}

impl LanguageModel for Gemini {
    fn name(&self) -> &str {
        &self.model
    }

    fn complete(&self, request: &Request) -> Result<Reply, BridgeError> {
        let answer = ask_adapting(
            &self.transport,
            &self.path,
            request.longest,
            &self.not_taken,
            OPTIONAL,
            || self.body(request),
        )?;
        self.reply(&answer)
    }
}
