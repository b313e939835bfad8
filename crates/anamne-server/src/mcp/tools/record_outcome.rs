//! `memory_record_outcome`: record an action and what came of it. Offered only on request.

use anamne::text::quote::quote_name;
use anamne::{ActionOutcome, Draft, Experience, Limits, MemoryId, Remembered, Space};
use schemars::JsonSchema;
use serde::Deserialize;

use super::store::guarded;
use super::{Effect, MemoryTool};
use crate::mcp::arguments::bounded;
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply, plain};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RecordOutcome {
    /// Tool or command; task for a whole run
    action: String,
    #[serde(default)]
    arguments: String,
    /// File, host, database
    #[serde(default)]
    target: String,
    succeeded: bool,
    #[serde(default)]
    error: String,
    #[serde(default)]
    result: String,
    #[serde(default)]
    goal: String,
    /// Name of the attempt
    #[serde(default)]
    run: String,
    #[serde(default)]
    ends_run: bool,
    /// What made it succeed
    #[serde(default)]
    factors: Vec<String>,
    /// In view: m12
    #[serde(default)]
    in_view: Vec<String>,
    duration_ms: Option<i64>,
    space: Option<String>,
}

impl MemoryTool for RecordOutcome {
    const NAME: &'static str = "memory_record_outcome";
    const TITLE: &'static str = "Record an outcome";
    const DESCRIPTION: &'static str =
        "Record an action and whether it succeeded. End a task with action task.";
    const EFFECT: Effect = Effect::Adds;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let duration = self.duration_ms;
        let most = Limits::DURATION_MS as i64;
        let duration = duration.map(|ms| bounded("duration_ms", Some(ms), 0..=most, 0));
        let mut outcome = ActionOutcome {
            ends_run: self.ends_run || self.action == ActionOutcome::TASK,
            action: self.action,
            target: self.target,
            arguments: self.arguments,
            succeeded: self.succeeded,
            result: self.result,
            error: self.error,
            goal: self.goal,
            run: self.run,
            duration_ms: duration.transpose()?.map(|ms| ms as u64),
            factors: self.factors,
            ..ActionOutcome::default()
        };
        // Validated before the space is created: an error changes nothing.
        Draft::experience(Experience::Outcome(outcome.clone())).check()?;
        let space = call.space_to_write(self.space.as_deref())?;
        outcome.in_view = resolved(&space, &self.in_view)?;
        space.note_used(&outcome.in_view)?;
        let remembered = space.remember(Draft {
            session: call.session.clone(),
            author: agent_of(call),
            ..Draft::experience(Experience::Outcome(outcome))
        })?;
        let text = recorded(&remembered);
        Ok(Reply::new(call, text, || plain(&remembered)))
    }
}

/// The name of the calling agent, under which its outcomes are recorded.
pub(super) fn agent_of(call: &CallContext) -> Option<String> {
    Some(call.actor.name.clone()).filter(|name| !name.is_empty())
}

/// The memories that `texts` name.
pub(super) fn resolved(space: &Space, texts: &[String]) -> Result<Vec<MemoryId>, Failure> {
    let ids = texts.iter().map(|text| space.resolve(text));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// What was recorded, and where.
pub(super) fn recorded(remembered: &Remembered) -> String {
    format!(
        "Recorded as {} in the space {}.{}",
        remembered.citation,
        quote_name(&remembered.space),
        guarded(&remembered.guard)
    )
}
