//! The smallest question: whether the model answers at all, and in the requested format.

use std::time::Duration;

use serde_json::json;

use super::object;
use crate::{Bridge, BridgeError, Call, Message, Request, Schema, Usage};

/// The result of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The provider's name of the model that answered.
    pub model: String,
    /// The reported usage, if any.
    pub usage: Option<Usage>,
    /// Whether the answer fits the schema.
    pub keeps_to_form: bool,
}

/// Asks the model a short question. Costs a few hundred tokens.
pub fn probe(bridge: &Bridge, call: &Call<'_>) -> Result<Probe, BridgeError> {
    let schema = Schema::new(object([("ready", json!({"type": "boolean"}))]))?;
    let request = Request {
        system: "You are asked whether you can answer in JSON.".to_owned(),
        messages: vec![Message::asked("Answer with {\"ready\": true}.")],
        schema: Some(schema.clone()),
        max_output_tokens: 50,
        temperature: Some(0.0),
        longest: Duration::ZERO,
    };
    let reply = bridge.ask(call, &request)?;
    Ok(Probe {
        keeps_to_form: crate::extract::extract(&reply.text, &schema).is_ok(),
        model: reply.model,
        usage: reply.usage,
    })
}
