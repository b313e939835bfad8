//! `memory_cache_store`: store what a tool answered. Offered only on request.

use anamne::{FetchStatus, Fetched, InvalidValue, Trigger};
use jiff::SignedDuration;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::cache_lookup::{kinds, request};
use super::{Effect, MemoryTool};
use crate::mcp::arguments::bounded;
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply};
use crate::mcp::schema;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CacheStore {
    /// The query or address, as asked
    request: String,
    /// What the tool answered; HTML is reduced to its text
    content: Option<String>,
    /// search if not given
    #[serde(default)]
    #[schemars(schema_with = "kinds")]
    kind: Option<String>,
    tool: Option<String>,
    parameters: Option<Map<String, Value>>,
    /// ok if not given
    #[serde(default)]
    #[schemars(schema_with = "statuses")]
    status: Option<String>,
    moved_to: Option<String>,
    took_ms: Option<i64>,
    /// 168 if not given
    fresh_hours: Option<i64>,
    /// The question that it was fetched for
    for_query: Option<String>,
    space: Option<String>,
}

fn statuses(_: &mut SchemaGenerator) -> Schema {
    schema::one_of(FetchStatus::ALL.iter().map(|status| status.name()))
}

impl MemoryTool for CacheStore {
    const NAME: &'static str = "memory_cache_store";
    const TITLE: &'static str = "Cache a tool result";
    const DESCRIPTION: &'static str = "Store what a search, page fetch or API call answered, also that it was in \
vain: status empty, dead or blocked.";
    const EFFECT: Effect = Effect::Changes;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let named = self.space.clone();
        let fetched = self.fetched()?;
        let request = request(
            self.request,
            self.kind.as_deref(),
            self.tool,
            self.parameters,
        )?;
        let space = call.space_to_write(named.as_deref())?;
        let number = space.cache_result(&request, &fetched)?;
        let text = format!("Cached as result {number}.");
        Ok(Reply::new(call, text, || json!({ "number": number })))
    }
}

impl CacheStore {
    fn fetched(&self) -> Result<Fetched, InvalidValue> {
        let status = self.status.as_deref().map(|name| {
            let accepts = "ok, empty, dead, redirected or blocked";
            FetchStatus::from_name(name).ok_or_else(|| InvalidValue::new("status", accepts, name))
        });
        let hours = self.fresh_hours;
        let hours = hours.map(|hours| bounded("fresh_hours", Some(hours), 0..=87_600, 0));
        let fresh_for = hours.transpose()?;
        Ok(Fetched {
            status: status.transpose()?.unwrap_or_default(),
            content: self.content.clone().unwrap_or_default(),
            moved_to: self.moved_to.clone().unwrap_or_default(),
            took_ms: bounded("took_ms", self.took_ms, 0..=86_400_000, 0)? as u64,
            cost: 0,
            triggered_by: self.for_query.clone().map(Trigger::Query),
            fresh_for: fresh_for.map(|hours| SignedDuration::from_hours(hours as i64)),
        })
    }
}
