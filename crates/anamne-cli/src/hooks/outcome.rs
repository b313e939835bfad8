//! Stores the outcome of a tool as an episode.

use anamne::{Body, Draft, ToolCall};
use anamne_hosts::hook::{HookEvent, HookInput, ToolUse};

use super::Effect;
use super::session::HookSite;
use crate::failure::Failure;

/// Trust in what a tool reports.
const TRUST: f32 = 0.6;

/// Stores what became of a tool call: its name, its target and its error, never its output.
pub(super) fn of_tool(
    event: HookEvent,
    host: &str,
    input: &HookInput,
    site: &HookSite,
) -> Result<Effect, Failure> {
    let Some(tool) = input.tool.as_ref().filter(|tool| !is_own(&tool.name)) else {
        return Ok(Effect::default());
    };
    let succeeded = tool.succeeded.unwrap_or(event == HookEvent::Tool);
    let draft = episode(host, input, tool, succeeded);
    site.keep(host, &[draft])
}

fn episode(host: &str, input: &HookInput, tool: &ToolUse, succeeded: bool) -> Draft {
    let call = [tool.name.as_str(), tool.target.as_str()];
    let call = call.map(str::trim).join(" ");
    let call = call.trim_end();
    let outcome = match (succeeded, tool.error.as_str()) {
        (true, _) => "succeeded".to_owned(),
        (false, "") => "failed".to_owned(),
        (false, error) => format!("failed: {error}"),
    };
    let mut draft = Draft::new(format!("{call}: {outcome}")).body(Body::Episode {
        goal: call.to_owned(),
        plan: Vec::new(),
        steps: Vec::new(),
        outcome,
        tool_log: vec![ToolCall {
            tool: tool.name.clone(),
            input: tool.target.clone(),
            output: tool.error.clone(),
            succeeded: Some(succeeded),
        }],
        salience: None,
    });
    draft.trust = Some(TRUST);
    draft.session.clone_from(&input.session);
    if let (Some(session), Some(id)) = (&input.session, &tool.id) {
        draft.external_id = Some(format!("{host}:{session}:{id}:outcome"));
    }
    draft
}

/// Whether a tool is one of Anamne's: what it returned is memory already.
fn is_own(tool: &str) -> bool {
    tool.contains("anamne")
}
