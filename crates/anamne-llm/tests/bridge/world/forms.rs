//! Each provider's request and answer format, according to its documentation.

use anamne_llm::Provider;
use serde_json::{Value, json};

use super::{KEY, Seen, json_of};

/// All providers.
pub(crate) const PROVIDERS: [Provider; 3] =
    [Provider::Anthropic, Provider::Openai, Provider::Gemini];

/// The format of a provider.
pub(crate) struct Form(pub(crate) Provider);

/// The turns of a conversation as the server reads them: role and text.
pub(crate) type Turns = Vec<(String, String)>;

impl Form {
    /// An answer with `text`, 120 input tokens and 30 output tokens.
    pub(crate) fn answer(&self, text: &str) -> Value {
        match self.0 {
            Provider::Anthropic => json!({
                "id": "msg_01", "type": "message", "role": "assistant", "model": "model-1-20260101",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn", "stop_sequence": null,
                "usage": {"input_tokens": 100, "cache_creation_input_tokens": 15, "cache_read_input_tokens": 5,
                    "output_tokens": 30},
            }),
            Provider::Openai => json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "model-1-20260101",
                "choices": [{"index": 0, "finish_reason": "stop", "logprobs": null,
                    "message": {"role": "assistant", "content": text, "refusal": null}}],
                "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
            }),
            Provider::Gemini => json!({
                "candidates": [{"index": 0, "finishReason": "STOP",
                    "content": {"role": "model", "parts": [
                        {"text": "Let me think: {\"n\": 9}", "thought": true}, {"text": text}]}}],
                "usageMetadata": {"promptTokenCount": 120, "candidatesTokenCount": 20, "thoughtsTokenCount": 10,
                    "totalTokenCount": 150},
                "modelVersion": "model-1-20260101",
            }),
        }
    }

    /// The answer in the provider's structured format.
    pub(crate) fn structured(&self, value: &Value) -> Value {
        let mut answer = self.answer(&value.to_string());
        if self.0 == Provider::Anthropic {
            answer["content"] = json!([
                {"type": "text", "text": "I give the answer."},
                {"type": "tool_use", "id": "toolu_01", "name": "answer", "input": value},
            ]);
            answer["stop_reason"] = json!("tool_use");
        }
        answer
    }

    /// The same answer with additional tool calls that weren't offered.
    pub(crate) fn with_extra_calls(&self, value: &Value) -> Value {
        let mut answer = self.structured(value);
        let list = |pointer: &str, answer: &mut Value, entry: Value| {
            let list = answer.pointer_mut(pointer).and_then(Value::as_array_mut);
            list.expect("a list").insert(0, entry);
        };
        match self.0 {
            Provider::Anthropic => list(
                "/content",
                &mut answer,
                json!({"type": "tool_use", "id": "toolu_02", "name": "delete_all", "input": {"n": 9}}),
            ),
            Provider::Openai => {
                answer["choices"][0]["message"]["tool_calls"] = json!([{"id": "call_1", "type": "function",
                    "function": {"name": "delete_all", "arguments": "{\"n\": 9}"}}]);
            }
            Provider::Gemini => list(
                "/candidates/0/content/parts",
                &mut answer,
                json!({"functionCall": {"name": "delete_all", "args": {"n": 9}}}),
            ),
        }
        answer
    }

    /// An answer that was truncated after `text`.
    pub(crate) fn cut(&self, text: &str) -> Value {
        let mut answer = self.answer(text);
        match self.0 {
            Provider::Anthropic => answer["stop_reason"] = json!("max_tokens"),
            Provider::Openai => answer["choices"][0]["finish_reason"] = json!("length"),
            Provider::Gemini => answer["candidates"][0]["finishReason"] = json!("MAX_TOKENS"),
        }
        answer
    }

    /// An answer in which the model refuses.
    pub(crate) fn declined(&self) -> Value {
        let mut answer = self.answer("");
        match self.0 {
            Provider::Anthropic => answer["stop_reason"] = json!("refusal"),
            Provider::Openai => {
                answer["choices"][0]["message"] =
                    json!({"role": "assistant", "content": null, "refusal": "No."});
            }
            Provider::Gemini => answer = json!({"promptFeedback": {"blockReason": "SAFETY"}}),
        }
        answer
    }

    /// An error answer with this message.
    pub(crate) fn refusal(&self, words: &str) -> Value {
        match self.0 {
            Provider::Anthropic => {
                json!({"type": "error", "error": {"type": "invalid_request_error", "message": words}})
            }
            Provider::Openai => {
                json!({"error": {"message": words, "type": "invalid_request_error", "param": null, "code": null}})
            }
            Provider::Gemini => {
                json!({"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}})
            }
        }
    }

    /// Asserts that the request has the right path, and the key in its header and nowhere else.
    pub(crate) fn assert_addressed(&self, seen: &Seen) {
        let (path, header, value) = match self.0 {
            Provider::Anthropic => ("/api/messages", "x-api-key", KEY.to_owned()),
            Provider::Openai => (
                "/api/chat/completions",
                "authorization",
                format!("Bearer {KEY}"),
            ),
            Provider::Gemini => (
                "/api/models/model-1:generateContent",
                "x-goog-api-key",
                KEY.to_owned(),
            ),
        };
        assert_eq!(seen.path, path);
        assert_eq!(seen.header(header), Some(value.as_str()));
        assert_eq!(seen.header("content-type"), Some("application/json"));
        let headers = seen.headers.iter().filter(|(_, value)| value.contains(KEY));
        assert_eq!(headers.count(), 1);
        assert!(!String::from_utf8_lossy(&seen.body).contains(KEY));
        if self.0 == Provider::Anthropic {
            assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
        }
    }

    /// The system instructions, and the turns after them.
    pub(crate) fn conversation(&self, seen: &Seen) -> (String, Turns) {
        let body = json_of(seen);
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let turns = |list: &Value, content: &str| -> Turns {
            let list = list.as_array().expect("turns");
            list.iter()
                .map(|turn| {
                    (
                        text(&turn["role"]),
                        text(turn.pointer(content).expect("a text")),
                    )
                })
                .collect()
        };
        match self.0 {
            Provider::Anthropic => (text(&body["system"]), turns(&body["messages"], "/content")),
            Provider::Openai => {
                let mut all = turns(&body["messages"], "/content");
                let (role, system) = all.remove(0);
                assert_eq!(role, "system");
                (system, all)
            }
            Provider::Gemini => (
                text(&body["systemInstruction"]["parts"][0]["text"]),
                turns(&body["contents"], "/parts/0/text"),
            ),
        }
    }

    /// The provider's role name of the model.
    pub(crate) fn model_role(&self) -> &'static str {
        match self.0 {
            Provider::Gemini => "model",
            _ => "assistant",
        }
    }
}
