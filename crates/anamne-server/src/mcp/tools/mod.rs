//! The tools, one file each.

mod cache_lookup;
mod cache_store;
mod context;
mod delete;
mod feedback;
mod get;
mod knowledge;
mod knowledge_text;
mod link;
mod list;
mod reasoning_history;
mod record_outcome;
mod record_reasoning;
mod scope;
mod search;
mod search_with_experience;
mod store;
mod update;

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::arguments;
use super::call_context::CallContext;
use super::reply::{Failure, Reply};
use super::schema::input_schema;

/// The set of offered tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolSet {
    /// All eight.
    #[default]
    All,
    /// Only the read-only ones: search, context, list, get.
    ReadOnly,
    /// All eight, and `memory_knowledge`: entities, relations and contradictions.
    Knowledge,
    /// All eight, and the tools of experience: what worked before, outcomes, lessons, feedback.
    Experience,
    /// All eight, and `memory_cache_lookup` and `memory_cache_store`: results of other tools.
    Cache,
}

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

/// The tools of a set, in listing order.
pub(crate) fn offered(set: ToolSet) -> Vec<ToolEntry> {
    let all = [
        ToolEntry::of::<search::Search>(),
        ToolEntry::of::<context::Context>(),
        ToolEntry::of::<store::Store>(),
        ToolEntry::of::<list::List>(),
        ToolEntry::of::<get::Get>(),
        ToolEntry::of::<update::Update>(),
        ToolEntry::of::<delete::Delete>(),
        ToolEntry::of::<link::Link>(),
    ];
    let mut offered: Vec<_> = all
        .into_iter()
        .filter(|entry| set != ToolSet::ReadOnly || entry.effect == Effect::Reads)
        .collect();
    if set == ToolSet::Knowledge {
        offered.push(ToolEntry::of::<knowledge::Knowledge>());
    }
    if set == ToolSet::Experience {
        offered.extend([
            ToolEntry::of::<search_with_experience::SearchWithExperience>(),
            ToolEntry::of::<reasoning_history::ReasoningHistory>(),
            ToolEntry::of::<record_reasoning::RecordReasoning>(),
            ToolEntry::of::<record_outcome::RecordOutcome>(),
            ToolEntry::of::<feedback::Feedback>(),
        ]);
    }
    if set == ToolSet::Cache {
        offered.push(ToolEntry::of::<cache_lookup::CacheLookup>());
        offered.push(ToolEntry::of::<cache_store::CacheStore>());
    }
    offered
}
