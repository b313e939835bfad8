//! `memory_feedback`: say whether a result, a search or work was good. Offered only on request.

use anamne::{Judgement, KeptOpinion, Opinion, Said};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::json;

use super::record_outcome::{recorded, resolved};
use super::{Effect, MemoryTool};
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply, plain};
use crate::mcp::schema;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Feedback {
    /// A result, a search or an outcome: m12
    id: String,
    /// approval to neutral: of work
    #[schemars(schema_with = "verdicts")]
    verdict: String,
    #[serde(default)]
    comment: String,
    /// Wanted instead
    #[serde(default)]
    wanted: String,
    /// Results of a search
    #[serde(default)]
    used: Vec<String>,
    /// If ambiguous
    #[serde(default)]
    should_ask: String,
    space: Option<String>,
}

fn verdicts(_: &mut SchemaGenerator) -> Schema {
    schema::one_of(Said::WORDS.into_iter())
}

impl MemoryTool for Feedback {
    const NAME: &'static str = "memory_feedback";
    const TITLE: &'static str = "Give feedback";
    const DESCRIPTION: &'static str = "Say whether a result, search or work was good.";
    const EFFECT: Effect = Effect::Changes;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let space = call.space(self.space.as_deref())?;
        let kept = space.give_feedback(Opinion {
            about: space.resolve(&self.id)?,
            said: Said::from_word(&self.verdict)?,
            comment: self.comment,
            wanted: self.wanted,
            used: resolved(&space, &self.used)?,
            should_ask: self.should_ask,
        })?;
        let memory = match kept {
            KeptOpinion::Recorded(remembered) => {
                let text = recorded(&remembered);
                return Ok(Reply::new(call, text, || plain(&remembered)));
            }
            KeptOpinion::Result(memory) => memory,
        };
        let judgement = Judgement::of(&memory.metadata);
        let text = format!(
            "{}: {} useful, {} useless.",
            memory.citation(),
            judgement.useful,
            judgement.useless
        );
        Ok(Reply::new(call, text, || {
            json!({
                "memory": memory.id,
                "useful": judgement.useful,
                "useless": judgement.useless,
            })
        }))
    }
}
