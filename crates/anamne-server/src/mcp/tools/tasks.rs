//! `memory_tasks`: the background work of a space. Offered only on request.

use std::fmt::Write;

use anamne::WorkReport;
use anamne::text::quote::{on_one_line, quote_name};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, MemoryTool};
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply, plain};

/// Maximum number of failed tasks in the text.
const SHOWN: usize = 10;

/// Maximum characters of an error.
const LONGEST: usize = 300;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Tasks {
    space: Option<String>,
}

impl MemoryTool for Tasks {
    const NAME: &'static str = "memory_tasks";
    const TITLE: &'static str = "Show background work";
    const DESCRIPTION: &'static str = "Background work: waiting, running, failed and paused.";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let space = call.space(self.space.as_deref())?;
        let report = space.work()?;
        let text = describe(space.name(), &report);
        Ok(Reply::new(call, text, || plain(&report)))
    }
}

fn describe(space: &str, report: &WorkReport) -> String {
    let mut text = format!(
        "Background work of the space {}, load {}:",
        quote_name(space),
        report.queue.activity.level.as_str()
    );
    for pause in &report.queue.paused {
        let kind = pause
            .kind
            .as_deref()
            .map_or_else(|| "everything".to_owned(), quote_name);
        let _ = write!(text, "\npaused: {kind}");
    }
    for count in &report.queue.kinds {
        let _ = write!(
            text,
            "\n{}: {} waiting, {} running, {} failed, {} done",
            quote_name(&count.kind),
            count.waiting,
            count.running,
            count.dead,
            count.done
        );
    }
    if report.queue.kinds.is_empty() {
        text.push_str("\nno tasks yet");
    }
    for task in report.failed.iter().take(SHOWN) {
        let error: String = on_one_line(&task.error).chars().take(LONGEST).collect();
        let _ = write!(text, "\nfailed: {}\n> {error}", quote_name(&task.kind));
    }
    for chore in report
        .chores
        .iter()
        .filter(|chore| !chore.problem.is_empty())
    {
        let error: String = on_one_line(&chore.problem).chars().take(LONGEST).collect();
        let _ = write!(text, "\nchore {} failed:\n> {error}", chore.name);
    }
    if !report.failed.is_empty() {
        text.push_str("\nnext: a person can retry or cancel with `anamne tasks`");
    }
    text
}
