//! OpenAI's chat completions and embeddings, as implemented by OpenAI, Ollama, vLLM, LM Studio and others.

use std::time::Duration;

use serde_json::{Value, json};

use super::embedding::EmbeddingApi;
use super::{ANSWER, Dialect, Remote, answering_model, tokens, turns, words};
use crate::{BatchApi, BridgeError, Embedded, Purpose, RemoteEmbedder, Reply, Request, Usage};

const TEMPERATURE: u8 = 1;
const FORM: u8 = 2;
const MAX_TOKENS: u8 = 4;

pub(super) const DIALECT: Dialect = Dialect {
    key: ("authorization", "Bearer "),
    headers: &[],
    optional: &[
        ("max_tokens", MAX_TOKENS),
        ("temperature", TEMPERATURE),
        ("response_format", FORM),
        ("json_schema", FORM),
    ],
    // OpenAI's newer models reject the old name, which is the only one that local servers accept.
    rejected_by_own_api: MAX_TOKENS,
    path: |_| "/chat/completions".to_owned(),
    body,
    reply,
};

/// Keywords that strict mode and the grammars of local servers don't support; checked here anyway.
const CHECKED_HERE: &[&str] = &["maxLength", "minItems", "maxItems", "minimum", "maximum"];

fn body(remote: &Remote, request: &Request) -> Value {
    let mut messages = vec![json!({"role": "system", "content": request.system})];
    messages.extend(turns(request));
    let most = if remote.takes(MAX_TOKENS) {
        "max_tokens"
    } else {
        "max_completion_tokens"
    };
    let mut body = json!({"model": remote.model, "messages": messages, "stream": false});
    body[most] = json!(request.max_output_tokens);
    if let Some(temperature) = request.temperature
        && remote.takes(TEMPERATURE)
    {
        body["temperature"] = json!(temperature);
    }
    if let Some(schema) = &request.schema
        && remote.takes(FORM)
    {
        let schema = schema.without(CHECKED_HERE);
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {"name": ANSWER, "strict": true, "schema": schema},
        });
    }
    body
}

fn reply(remote: &Remote, answer: &Value) -> Result<Reply, BridgeError> {
    let malformed = |reason| remote.transport.malformed(reason);
    let choice = answer
        .pointer("/choices/0")
        .ok_or_else(|| malformed("it has no choices"))?;
    let reason = words(choice, "/finish_reason");
    let refusal = choice.pointer("/message/refusal");
    if refusal.is_some_and(Value::is_string) {
        return Err(remote.declined("refusal"));
    }
    if reason == "content_filter" {
        return Err(remote.declined(reason));
    }
    // Tool calls are ignored: no tools were offered.
    let text = choice
        .pointer("/message/content")
        .and_then(Value::as_str)
        .ok_or_else(|| malformed("the message has no text"))?;
    Ok(Reply {
        text: text.to_owned(),
        usage: usage_of(answer, "completion_tokens"),
        model: answering_model(answer, "/model", &remote.model),
        cut: reason == "length",
    })
}

/// A model behind OpenAI's embeddings API.
pub(super) struct OpenAiEmbedder(pub(super) EmbeddingApi);

impl OpenAiEmbedder {
    /// The request for one text, or for a list of texts.
    pub(super) fn body(&self, input: &Value) -> Value {
        let mut body = json!({"model": self.0.model, "input": input, "encoding_format": "float"});
        if let Some(dimensions) = self.0.dimensions {
            body["dimensions"] = json!(dimensions);
        }
        body
    }

    pub(super) fn vectors(
        &self,
        answer: &Value,
        count: usize,
    ) -> Result<Vec<Vec<f32>>, BridgeError> {
        let entries = self.0.entries(answer, "data", "it has no data", count)?;
        let mut vectors = vec![Vec::new(); count];
        for (place, entry) in entries.iter().enumerate() {
            let index = entry
                .get("index")
                .and_then(Value::as_u64)
                .unwrap_or(place as u64);
            let vector = vectors
                .get_mut(index as usize)
                .filter(|vector| vector.is_empty())
                .ok_or_else(|| self.0.malformed("vector numbers don't match the texts"))?;
            *vector = self.0.vector(entry, "embedding")?;
        }
        self.0.of_one_length(vectors)
    }
}

impl RemoteEmbedder for OpenAiEmbedder {
    fn name(&self) -> &str {
        &self.0.model
    }

    fn embed(
        &self,
        texts: &[&str],
        _: Purpose,
        longest: Duration,
    ) -> Result<Embedded, BridgeError> {
        let answer = self
            .0
            .transport
            .post("/embeddings", &self.body(&json!(texts)), longest)
            .map_err(|refusal| refusal.error)?;
        Ok(Embedded {
            vectors: self.vectors(&answer, texts.len())?,
            usage: usage_of(&answer, ""),
            model: answering_model(&answer, "/model", &self.0.model),
        })
    }

    fn batches(&self) -> Option<&dyn BatchApi> {
        Some(self)
    }
}

/// The reported usage; embeddings have no output tokens, and `output` is empty then.
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
