//! Anthropic's Messages API. A structured answer is requested as the input of the only tool.

use serde_json::{Value, json};

use super::{ANSWER, Dialect, Remote, answering_model, tokens, turns, words};
use crate::{BridgeError, Reply, Request, Usage};

const TEMPERATURE: u8 = 1;
const TOOL_CHOICE: u8 = 2;

pub(super) const DIALECT: Dialect = Dialect {
    key: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    optional: &[("temperature", TEMPERATURE), ("tool_choice", TOOL_CHOICE)],
    rejected_by_own_api: 0,
    path: |_| "/messages".to_owned(),
    body,
    reply,
};

fn body(remote: &Remote, request: &Request) -> Value {
    let mut body = json!({
        "model": remote.model,
        "max_tokens": request.max_output_tokens,
        "system": request.system,
        "messages": turns(request),
    });
    if let Some(temperature) = request.temperature
        && remote.takes(TEMPERATURE)
    {
        body["temperature"] = json!(temperature);
    }
    if let Some(schema) = &request.schema {
        body["tools"] = json!([{
            "name": ANSWER,
            "description": "Gives the answer.",
            "input_schema": schema.as_json(),
        }]);
        body["tool_choice"] = if remote.takes(TOOL_CHOICE) {
            json!({"type": "tool", "name": ANSWER})
        } else {
            json!({"type": "auto"})
        };
    }
    body
}

fn reply(remote: &Remote, answer: &Value) -> Result<Reply, BridgeError> {
    let blocks = answer
        .get("content")
        .and_then(Value::as_array)
        .ok_or_else(|| remote.transport.malformed("it has no content"))?;
    let reason = words(answer, "/stop_reason");
    if reason == "refusal" {
        return Err(remote.declined(reason));
    }
    let usage = answer.get("usage").and_then(|usage| {
        // Cache writes and cache reads of the request are reported separately.
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
        model: answering_model(answer, "/model", &remote.model),
        cut: reason == "max_tokens",
    })
}

/// The input of our tool if it was used, else the text. Other tools are ignored.
fn text_of(blocks: &[Value]) -> String {
    let used = blocks
        .iter()
        .find(|block| words(block, "/type") == "tool_use" && words(block, "/name") == ANSWER);
    match used.and_then(|block| block.get("input")) {
        Some(input) => input.to_string(),
        None => blocks
            .iter()
            .filter(|block| words(block, "/type") == "text")
            .map(|block| words(block, "/text"))
            .collect(),
    }
}
