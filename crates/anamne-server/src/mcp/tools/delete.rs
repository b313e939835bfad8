//! `memory_delete`: forget or erase a memory.

use anamne::PendingErasure;
use anamne::text::quote::{on_one_line, quote_name};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, MemoryTool};
use crate::mcp::call_context::CallContext;
use crate::mcp::next_step;
use crate::mcp::reply::{Failure, Reply};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Delete {
    id: String,
    /// Erase for ever; only at the user's wish
    hard: Option<bool>,
    space: Option<String>,
}

impl MemoryTool for Delete {
    const NAME: &'static str = "memory_delete";
    const TITLE: &'static str = "Delete a memory";
    const DESCRIPTION: &'static str =
        "Delete a memory; memory_update with restore undoes it, unless hard.";
    const EFFECT: Effect = Effect::Removes;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let space = call.space(self.space.as_deref())?;
        let id = space.resolve(&self.id)?;
        let hard = self.hard == Some(true);
        let mut structured =
            json!({ "id": id, "space": space.name(), "deleted": true, "hard": hard });
        let text = if hard {
            let reached = space.erase(id)?;
            let unreached = reached.unreached();
            structured["complete"] = unreached.is_empty().into();
            if unreached.is_empty() {
                format!("{id} is permanently erased.")
            } else {
                structured["unreached"] = json!(unreached);
                let places: String = unreached.iter().map(place).collect();
                format!("{id} is erased, but not everywhere. Tell the user:{places}")
            }
        } else {
            space.forget(id)?;
            format!("{id} is deleted; undo with memory_update and restore.")
        };
        Ok(Reply::new(call, text, || structured))
    }
}

/// One place that the erasure did not reach, as a line.
fn place(unreached: &PendingErasure) -> String {
    let next = unreached.next_step.and_then(next_step::words);
    format!(
        "\n{} may still contain the text: {}{}",
        quote_name(&unreached.place.display().to_string()),
        on_one_line(&unreached.reason),
        next.map_or_else(String::new, |step| format!("; next: {step}"))
    )
}
