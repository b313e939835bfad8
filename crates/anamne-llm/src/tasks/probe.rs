//! The smallest question: does the model answer at all, and in the form asked for?

use std::time::Duration;

use serde_json::json;

use super::object;
use crate::{Bridge, BridgeError, Call, Message, Request, Schema, Usage};

/// What came of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The model that answered, as the provider names it.
    pub model: String,
    /// What it took, where the provider says so.
    pub usage: Option<Usage>,
    /// Whether the answer had the form asked for.
    pub keeps_to_form: bool,
}

/// Asks the model a question of a few words. Costs some hundred tokens.
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
