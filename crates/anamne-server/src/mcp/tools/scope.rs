//! Filter arguments shared by several tools.

use anamne::{Condition, Filter, InvalidValue, Kind};
use jiff::Timestamp;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::mcp::call_context::{CallContext, End};

/// Which memories may come back.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Scope {
    /// From: 2026-03-01, yesterday
    since: Option<String>,
    /// To the end of
    until: Option<String>,
    thread: Option<String>,
    /// message, thought, fact, episode, skill, document, chunk or summary
    kind: Option<String>,
    tag: Option<String>,
    author: Option<String>,
    /// Metadata: ticket=42; priority>=3
    #[serde(rename = "where")]
    conditions: Option<String>,
    /// One, several, all or auto
    pub(crate) space: Option<String>,
}

/// The schema with descriptions of the shared arguments removed: `memory_search` has them.
pub(crate) fn without_shared_descriptions(mut schema: JsonObject) -> JsonObject {
    const SHARED: [&str; 9] = [
        "since",
        "until",
        "thread",
        "kind",
        "tag",
        "author",
        "where",
        "space",
        "token_budget",
    ];
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for name in SHARED {
            if let Some(Value::Object(property)) = properties.get_mut(name) {
                property.remove("description");
            }
        }
    }
    schema
}

impl Scope {
    /// The filter, with times relative to `now`.
    pub(crate) fn filter(
        &self,
        call: &CallContext,
        now: Timestamp,
    ) -> Result<Filter, InvalidValue> {
        let kinds = self.kind.iter().map(|kind| kind.parse());
        let kinds = kinds.collect::<Result<Vec<Kind>, _>>()?;
        let conditions = self.conditions.as_deref().map(Condition::read_all);
        Ok(Filter {
            since: call.instant("since", self.since.as_deref(), End::Start, now)?,
            until: call.instant("until", self.until.as_deref(), End::Close, now)?,
            threads: self.thread.iter().cloned().collect(),
            kinds,
            tags: self.tag.iter().cloned().collect(),
            authors: self.author.iter().cloned().collect(),
            conditions: conditions.transpose()?.unwrap_or_default(),
            ..Filter::default()
        })
    }
}
