//! `memory_record_reasoning`: record a lesson. Offered only on request.

use anamne::{Draft, Experience, Lesson};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, MemoryTool};
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply, plain};
use crate::mcp::tools::record_outcome::{recorded, resolved};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RecordReasoning {
    title: String,
    /// What to do, and why
    content: String,
    /// One sentence
    #[serde(default)]
    when: String,
    /// Learned from a failure
    #[serde(default)]
    failed: bool,
    /// Outcomes: m12
    #[serde(default)]
    learned_from: Vec<String>,
    space: Option<String>,
}

impl MemoryTool for RecordReasoning {
    const NAME: &'static str = "memory_record_reasoning";
    const TITLE: &'static str = "Record a lesson";
    const DESCRIPTION: &'static str = "After a task: how to do it better next time; at most three.";
    const EFFECT: Effect = Effect::Adds;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let mut lesson = Lesson {
            title: self.title,
            description: self.when,
            succeeded: !self.failed,
            ..Lesson::default()
        };
        // Validated before the space is created: an error changes nothing.
        Draft {
            content: self.content.clone(),
            ..Draft::experience(Experience::Lesson(lesson.clone()))
        }
        .check()?;
        let space = call.space_to_write(self.space.as_deref())?;
        lesson.learned_from = resolved(&space, &self.learned_from)?;
        let remembered = space.remember(Draft {
            session: call.session.clone(),
            content: self.content,
            ..Draft::experience(Experience::Lesson(lesson))
        })?;
        let text = recorded(&remembered);
        Ok(Reply::new(call, text, || plain(&remembered)))
    }
}
