//! The tools, one file each.

mod cache_lookup;
mod cache_store;
mod check;
mod consolidate;
mod context;
mod delete;
mod feedback;
mod get;
mod get_text;
mod help;
mod knowledge;
mod knowledge_text;
mod knowledge_told;
mod link;
mod list;
mod reasoning_history;
mod record_outcome;
mod record_reasoning;
mod scope;
mod search;
mod search_with_experience;
mod sets;
mod stats;
mod store;
mod tasks;
mod update;
mod validate;

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::arguments;
use super::call_context::CallContext;
use super::reply::{Failure, Reply};
use super::schema::input_schema;
pub use sets::ToolSet;
pub(crate) use sets::{Offered, offer};

/// The effect of a tool on the store; hosts ask the user before some of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes nothing.
    Reads,
    /// Adds, and changes nothing existing; adding the same again adds nothing.
    Adds,
    /// Changes something; the former state stays in the history.
    Changes,
    /// Removes.
    Removes,
}

impl Effect {
    /// All four hints, because missing ones default to destructive, not idempotent and open-world.
    ///
    /// Every tool is idempotent: a known memory is not stored twice, a change without effect creates no version, a
    /// deleted memory stays deleted, and a link is created once. Only deletion is destructive: other changes keep the
    /// former state.
    fn annotations(self) -> ToolAnnotations {
        ToolAnnotations::new()
            .read_only(self == Self::Reads)
            .destructive(self == Self::Removes)
            .idempotent(true)
            .open_world(false)
    }
}

/// A tool: its typed arguments, and how it runs.
pub(crate) trait MemoryTool: DeserializeOwned + JsonSchema {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const EFFECT: Effect;
    /// Whether a host should load it at once, and not only after a tool search.
    const ALWAYS_LOADED: bool = false;

    /// The argument schema.
    fn schema() -> JsonObject {
        input_schema::<Self>()
    }

    /// Runs the tool on a blocking thread.
    fn run(self, call: &CallContext) -> Result<Reply, Failure>;
}

/// Parses arguments by their schema and runs the tool.
type Run = fn(JsonObject, &JsonObject, &CallContext) -> Result<Reply, Failure>;

/// A type-erased tool.
pub(crate) struct ToolEntry {
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    pub(crate) effect: Effect,
    always_loaded: bool,
    pub(crate) schema: Arc<JsonObject>,
    pub(crate) run: Run,
}

impl ToolEntry {
    fn of<T: MemoryTool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            effect: T::EFFECT,
            always_loaded: T::ALWAYS_LOADED,
            schema: Arc::new(T::schema()),
            run: run::<T>,
        }
    }

    /// The tool definition for a host.
    pub(crate) fn definition(&self) -> Tool {
        let tool = Tool::new(self.name, self.description, self.schema.clone())
            .with_title(self.title)
            .with_annotations(self.effect.annotations());
        if self.always_loaded {
            tool.with_meta(always_load())
        } else {
            tool
        }
    }
}

/// Metadata that tells a host to load a tool at once.
fn always_load() -> MetaObject {
    let entry = ("anthropic/alwaysLoad".to_owned(), true.into());
    MetaObject([entry].into_iter().collect())
}

fn run<T: MemoryTool>(
    arguments: JsonObject,
    schema: &JsonObject,
    call: &CallContext,
) -> Result<Reply, Failure> {
    arguments::read::<T>(arguments, schema)
        .map_err(Failure::Malformed)?
        .run(call)
}

/// The text that `memory_get` gives, offered or not.
pub(crate) fn memory_text(id: &str, space: &str, call: &CallContext) -> Result<String, Failure> {
    text_of::<get::Get>(&json!({ "id": id, "space": space }), call)
}

/// What `memory_knowledge` says about an entity, offered or not.
pub(crate) fn entity_text(name: &str, space: &str, call: &CallContext) -> Result<String, Failure> {
    let arguments = json!({ "action": "entity", "name": name, "space": space });
    text_of::<knowledge::Knowledge>(&arguments, call)
}

/// The block that `memory_context` gives.
pub(crate) fn context_text(query: &str, call: &CallContext) -> Result<String, Failure> {
    text_of::<context::Context>(&json!({ "query": query }), call)
}

fn text_of<T: MemoryTool>(arguments: &Value, call: &CallContext) -> Result<String, Failure> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    run::<T>(arguments, &T::schema(), call).map(Reply::into_text)
}
