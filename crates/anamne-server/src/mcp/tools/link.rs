//! `memory_link`: link two memories.

use anamne::LinkType;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Effect, MemoryTool};
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply, plain};
use crate::mcp::schema;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Link {
    from: String,
    to: String,
    #[serde(rename = "type")]
    #[schemars(schema_with = "schema::link_type")]
    relation: LinkType,
    /// 0 to 1
    weight: Option<f32>,
    reason: Option<String>,
    remove: Option<bool>,
    space: Option<String>,
}

impl MemoryTool for Link {
    const NAME: &'static str = "memory_link";
    const TITLE: &'static str = "Link two memories";
    const DESCRIPTION: &'static str = "Create a typed link, e.g. from supersedes to.";
    const EFFECT: Effect = Effect::Changes;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let space = call.space(self.space.as_deref())?;
        let link = anamne::Link {
            from: space.resolve(&self.from)?,
            to: space.resolve(&self.to)?,
            link_type: self.relation,
            weight: self.weight.unwrap_or(1.0),
            reason: self.reason.unwrap_or_default(),
            created_at: space.now(),
        };
        let stored = format!("{} {} {}", link.from, link.link_type, link.to);
        if self.remove == Some(true) {
            let removed = space.unlink(link.from, link.to, link.link_type)?;
            let text = if removed {
                "Removed: "
            } else {
                "Was not there: "
            };
            return Ok(Reply::new(
                call,
                format!("{text}{stored}"),
                || json!({ "link": plain(&link), "removed": removed }),
            ));
        }
        link.check()?;
        let seq = space.link(&link)?;
        Ok(Reply::new(
            call,
            format!("Linked: {stored}"),
            || json!({ "link": plain(&link), "seq": seq }),
        ))
    }
}
