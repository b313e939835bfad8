//! `memory_check`: compares a claim with the memory. Offered only on request.

use anamne::{ConsistencyRequest, InvalidValue};
use schemars::JsonSchema;
use serde::Deserialize;

use super::knowledge_text as text;
use super::record_outcome::resolved;
use super::{Effect, MemoryTool};
use crate::mcp::arguments::bounded;
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply, plain};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Check {
    /// A statement, not stored
    claim: Option<String>,
    /// Compare memories: m3
    #[serde(default)]
    ids: Vec<String>,
    topic: Option<String>,
    /// 50 memories if not given
    limit: Option<i64>,
    space: Option<String>,
}

impl MemoryTool for Check {
    const NAME: &'static str = "memory_check";
    const TITLE: &'static str = "Check a claim";
    const DESCRIPTION: &'static str =
        "Does a claim contradict what is stored? Or do memories contradict each other?";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let limit = bounded("limit", self.limit, 1..=200, 50)?;
        let space = call.space(self.space.as_deref())?;
        let report = match &self.claim {
            Some(_) if self.topic.is_some() || !self.ids.is_empty() => {
                let accepts = "alone, without ids and topic";
                return Err(InvalidValue::new("claim", accepts, "with others").into());
            }
            Some(claim) => space.check_claim(claim, limit)?,
            None => space.check_consistency(&ConsistencyRequest {
                memories: resolved(&space, &self.ids)?,
                topic: self.topic,
                limit,
            })?,
        };
        let text = text::checked(space.name(), &report, &call.zone);
        Ok(Reply::new(call, text, || plain(&report)))
    }
}
