//! Prompts that a person chooses in a host: what is known about a topic, and what to store at the end of a session.

use anamne::text::quote::quote_name;
use rmcp::model::{
    ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use super::call_context::CallContext;
use super::reply::{Failure, message_of};
use super::tools;

/// What is known about a topic.
const KNOWN: &str = "what_do_we_know";

/// What to store at the end of a session.
const END: &str = "end_of_session";

const END_TEXT: &str = "The session ends. Store what will help later with memory_store, one topic each, each \
understandable on its own: decisions with their reasons, preferences, fixes with their causes, constraints, open points. \
Correct what proved wrong with memory_update. Search first, and don't store what is already there, what the code itself \
says, secrets, or personal data that nobody needs. Then say in one line what was stored.";

/// The prompts; the second one only for those who may write.
pub(crate) fn list(may_write: bool) -> Vec<Prompt> {
    let topic = PromptArgument::new("topic")
        .with_description("A topic or question")
        .with_required(true);
    let known = Prompt::new(
        KNOWN,
        Some("What the memory has on a topic, with citations"),
        Some(vec![topic]),
    );
    let mut prompts = vec![known.with_title("What do we know about …")];
    if may_write {
        let end = Prompt::new(END, Some("Store what was learned in this session"), None);
        prompts.push(end.with_title("End of session"));
    }
    prompts
}

/// The messages of a prompt.
pub(crate) fn get(
    name: &str,
    arguments: Option<&JsonObject>,
    call: &CallContext,
) -> Result<GetPromptResult, ErrorData> {
    let may_write = call.store.scope().may_write(&call.space);
    let known = list(may_write);
    let Some(prompt) = known.iter().find(|prompt| prompt.name == name) else {
        return Err(refused(&format!("unknown prompt: {name}")));
    };
    let taken: Vec<&str> = prompt
        .arguments
        .iter()
        .flatten()
        .map(|argument| argument.name.as_str())
        .collect();
    let given = arguments.into_iter().flatten();
    if let Some((unknown, _)) = given
        .into_iter()
        .find(|(name, _)| !taken.contains(&name.as_str()))
    {
        return Err(refused(&format!("{name} has no argument {unknown}")));
    }
    if name == END {
        return Ok(message(END_TEXT));
    }
    let topic = arguments.and_then(|arguments| arguments.get("topic"));
    match topic.and_then(Value::as_str).map(str::trim) {
        Some(topic) if !topic.is_empty() => known_about(topic, call),
        _ => Err(refused(&format!("{name} needs the argument topic, a text"))),
    }
}

fn known_about(topic: &str, call: &CallContext) -> Result<GetPromptResult, ErrorData> {
    let block = tools::context_text(topic, call).map_err(|failure| problem(&failure))?;
    Ok(message(&format!(
        "What do we know about {}? Answer from the memories below, cite them, and say what they leave open.\n\n{block}",
        quote_name(topic)
    )))
}

fn message(text: &str) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
}

fn refused(message: &str) -> ErrorData {
    ErrorData::invalid_params(message_of(message), None)
}

fn problem(failure: &Failure) -> ErrorData {
    let message = message_of(&failure.message());
    match failure {
        Failure::Engine(error) if error.refusal().is_none() => {
            ErrorData::internal_error(message, None)
        }
        _ => ErrorData::invalid_params(message, None),
    }
}
