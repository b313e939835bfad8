//! Google's `generateContent` and `batchEmbedContents`.

use std::time::Duration;

use serde_json::{Value, json};

use super::embedding::EmbeddingApi;
use super::{Dialect, Remote, answering_model, tokens, words};
use crate::{BridgeError, Embedded, Purpose, RemoteEmbedder, Reply, Request, Speaker, Usage};

const FORM: u8 = 1;
const MIME_TYPE: u8 = 2;

pub(super) const DIALECT: Dialect = Dialect {
    // In a header, not in the URL, which logs would record.
    key: ("x-goog-api-key", ""),
    headers: &[],
    optional: &[
        ("responseJsonSchema", FORM),
        ("response_json_schema", FORM),
        ("responseMimeType", MIME_TYPE),
        ("response_mime_type", MIME_TYPE),
    ],
    rejected_by_own_api: 0,
    path: |model| format!("/{}:generateContent", resource(model)),
    body,
    reply,
};

/// The model's name as a path.
fn resource(model: &str) -> String {
    let name = model.strip_prefix("models/").unwrap_or(model);
    format!("models/{}", name.replace(['/', ':', '@', '+'], "_"))
}

/// Keywords that the provider's schemas don't support; checked here anyway.
const CHECKED_HERE: &[&str] = &["maxLength"];

fn body(remote: &Remote, request: &Request) -> Value {
    let turn = |speaker| match speaker {
        Speaker::Asker => "user",
        Speaker::Model => "model",
    };
    let turns = request.messages.iter();
    let contents: Vec<_> = turns
        .map(|message| json!({"role": turn(message.speaker), "parts": [{"text": message.text}]}))
        .collect();
    let mut generation = json!({"maxOutputTokens": request.max_output_tokens});
    if let Some(temperature) = request.temperature {
        generation["temperature"] = json!(temperature);
    }
    if let Some(schema) = &request.schema
        && remote.takes(MIME_TYPE)
    {
        generation["responseMimeType"] = json!("application/json");
        if remote.takes(FORM) {
            generation["responseJsonSchema"] = schema.without(CHECKED_HERE);
        }
    }
    json!({
        "systemInstruction": {"parts": [{"text": request.system}]},
        "contents": contents,
        "generationConfig": generation,
    })
}

fn reply(remote: &Remote, answer: &Value) -> Result<Reply, BridgeError> {
    let blocked = answer.pointer("/promptFeedback/blockReason");
    if let Some(reason) = blocked.and_then(Value::as_str) {
        return Err(remote.declined(reason));
    }
    let malformed = |reason| remote.transport.malformed(reason);
    let candidate = answer
        .pointer("/candidates/0")
        .ok_or_else(|| malformed("it has no candidates"))?;
    let reason = words(candidate, "/finishReason");
    let parts = candidate
        .pointer("/content/parts")
        .and_then(Value::as_array);
    let text: Option<String> = parts.map(|parts| parts.iter().filter_map(said).collect());
    let text = match (text, reason) {
        (Some(text), "STOP" | "MAX_TOKENS" | "") => text,
        // All output tokens were used for thinking.
        (None, "MAX_TOKENS") => String::new(),
        (_, "STOP" | "") => return Err(malformed("the candidate has no text")),
        (_, reason) => return Err(remote.declined(reason)),
    };
    Ok(Reply {
        text,
        usage: answer.get("usageMetadata").and_then(usage_of),
        model: answering_model(answer, "/modelVersion", &remote.model),
        cut: reason == "MAX_TOKENS",
    })
}

/// The text of a part, unless it is a thought or a function call (none are offered).
fn said(part: &Value) -> Option<&str> {
    let is_thought = part.get("thought") == Some(&Value::Bool(true));
    part.get("text")?.as_str().filter(|_| !is_thought)
}

fn usage_of(usage: &Value) -> Option<Usage> {
    let thoughts = tokens(usage, "thoughtsTokenCount").unwrap_or(0);
    let written = tokens(usage, "candidatesTokenCount").unwrap_or(0);
    Some(Usage {
        input_tokens: tokens(usage, "promptTokenCount")?,
        output_tokens: written.saturating_add(thoughts),
    })
}

/// A model behind `batchEmbedContents`.
pub(super) struct GeminiEmbedder(pub(super) EmbeddingApi);

impl GeminiEmbedder {
    pub(super) fn vectors(
        &self,
        answer: &Value,
        count: usize,
    ) -> Result<Vec<Vec<f32>>, BridgeError> {
        let missing = "it has no embeddings";
        let entries = self.0.entries(answer, "embeddings", missing, count)?;
        let vectors = entries.iter().map(|entry| self.0.vector(entry, "values"));
        self.0.of_one_length(vectors.collect::<Result<_, _>>()?)
    }

    fn body(&self, texts: &[&str], purpose: Purpose) -> Value {
        let task = match purpose {
            Purpose::Memory => "RETRIEVAL_DOCUMENT",
            Purpose::Query => "RETRIEVAL_QUERY",
        };
        let request = |text: &&str| {
            let mut request = json!({
                "model": resource(&self.0.model),
                "content": {"parts": [{"text": text}]},
                "taskType": task,
            });
            if let Some(dimensions) = self.0.dimensions {
                request["outputDimensionality"] = json!(dimensions);
            }
            request
        };
        json!({"requests": texts.iter().map(request).collect::<Vec<_>>()})
    }
}

impl RemoteEmbedder for GeminiEmbedder {
    fn name(&self) -> &str {
        &self.0.model
    }

    fn embed(
        &self,
        texts: &[&str],
        purpose: Purpose,
        longest: Duration,
    ) -> Result<Embedded, BridgeError> {
        let path = format!("/{}:batchEmbedContents", resource(&self.0.model));
        let answer = self
            .0
            .transport
            .post(&path, &self.body(texts, purpose), longest)
            .map_err(|refusal| refusal.error)?;
        let usage = answer
            .get("usageMetadata")
            .and_then(|usage| tokens(usage, "promptTokenCount"));
        Ok(Embedded {
            vectors: self.vectors(&answer, texts.len())?,
            usage: usage.map(|input_tokens| Usage {
                input_tokens,
                output_tokens: 0,
            }),
            model: self.0.model.clone(),
        })
    }
}
