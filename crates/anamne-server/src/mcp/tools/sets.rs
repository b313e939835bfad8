//! The sets of tools, and the tools of each.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use anamne::InvalidValue;

use rmcp::model::Tool;

use super::{
    Effect, ToolEntry, cache_lookup, cache_store, check, consolidate, context, delete, feedback,
    get, help, knowledge, link, list, reasoning_history, record_outcome, record_reasoning, search,
    search_with_experience, stats, store, tasks, update, validate,
};

/// A set of tools. A server offers the essential ones and those of every chosen set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ToolSet {
    /// The eight essential tools, which every server offers.
    #[default]
    Essential,
    /// Leaves out every tool that writes.
    ReadOnly,
    /// Entities, relations and contradictions.
    Knowledge,
    /// Counts, validation, consolidation, background work, and comparing a claim with the memory.
    Maintenance,
    /// What worked before, outcomes, lessons, feedback.
    Experience,
    /// Results of other tools.
    Cache,
    /// Every tool.
    All,
}

impl ToolSet {
    /// All of them, in the order of documentation.
    pub const ALL: [Self; 7] = [
        Self::Essential,
        Self::ReadOnly,
        Self::Knowledge,
        Self::Maintenance,
        Self::Experience,
        Self::Cache,
        Self::All,
    ];

    /// The sets that add tools of their own to the essential ones.
    pub const OPT_IN: [Self; 4] = [
        Self::Knowledge,
        Self::Maintenance,
        Self::Experience,
        Self::Cache,
    ];

    /// Its word, as in `anamne mcp --tools`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Essential => "memory",
            Self::ReadOnly => "read_only",
            Self::Knowledge => "knowledge",
            Self::Maintenance => "maintenance",
            Self::Experience => "experience",
            Self::Cache => "cache",
            Self::All => "all",
        }
    }

    /// The tools that it adds. `memory_help` is in every opt-in set, because the essential ones have no room for it.
    fn own(self) -> Vec<ToolEntry> {
        match self {
            Self::Essential => vec![
                ToolEntry::of::<search::Search>(),
                ToolEntry::of::<context::Context>(),
                ToolEntry::of::<store::Store>(),
                ToolEntry::of::<list::List>(),
                ToolEntry::of::<get::Get>(),
                ToolEntry::of::<update::Update>(),
                ToolEntry::of::<delete::Delete>(),
                ToolEntry::of::<link::Link>(),
            ],
            Self::Knowledge => vec![ToolEntry::of::<knowledge::Knowledge>()],
            Self::Maintenance => vec![
                ToolEntry::of::<stats::Stats>(),
                ToolEntry::of::<validate::Validate>(),
                ToolEntry::of::<consolidate::Consolidate>(),
                ToolEntry::of::<tasks::Tasks>(),
                ToolEntry::of::<check::Check>(),
            ],
            Self::Experience => vec![
                ToolEntry::of::<search_with_experience::SearchWithExperience>(),
                ToolEntry::of::<reasoning_history::ReasoningHistory>(),
                ToolEntry::of::<record_reasoning::RecordReasoning>(),
                ToolEntry::of::<record_outcome::RecordOutcome>(),
                ToolEntry::of::<feedback::Feedback>(),
            ],
            Self::Cache => vec![
                ToolEntry::of::<cache_lookup::CacheLookup>(),
                ToolEntry::of::<cache_store::CacheStore>(),
            ],
            Self::ReadOnly | Self::All => Vec::new(),
        }
    }

    /// The names of the tools that a set adds, in listing order.
    pub(crate) fn tool_names(self) -> Vec<&'static str> {
        self.own().iter().map(|entry| entry.name).collect()
    }
}

impl FromStr for ToolSet {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let word = text.trim().replace('-', "_");
        let named = Self::ALL.into_iter().find(|set| set.as_str() == word);
        named.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            InvalidValue::new("tools", format!("one of {words}"), format!("{text:?}"))
        })
    }
}

impl From<ToolSet> for Vec<ToolSet> {
    fn from(set: ToolSet) -> Self {
        vec![set]
    }
}

/// The sets with tools that are offered for the chosen ones, in listing order.
pub(crate) fn enabled(chosen: &[ToolSet]) -> BTreeSet<ToolSet> {
    let opted = |set: &ToolSet| chosen.contains(set) || chosen.contains(&ToolSet::All);
    let opted = ToolSet::OPT_IN.into_iter().filter(opted);
    opted.chain([ToolSet::Essential]).collect()
}

/// The tools of some sets, in listing order.
pub(crate) struct Offered {
    pub(crate) entries: Vec<ToolEntry>,
    /// Their definitions for a host.
    pub(crate) definitions: Vec<Tool>,
}

/// The tools of the chosen sets. Made once for each choice, because a server over HTTP asks with every request.
pub(crate) fn offer(chosen: &[ToolSet]) -> Arc<Offered> {
    static KNOWN: Mutex<BTreeMap<BTreeSet<ToolSet>, Arc<Offered>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let made = known
        .entry(chosen.iter().copied().collect())
        .or_insert_with(|| {
            let entries = offered(chosen);
            Arc::new(Offered {
                definitions: entries.iter().map(ToolEntry::definition).collect(),
                entries,
            })
        });
    made.clone()
}

/// The tools of the chosen sets, in listing order.
pub(crate) fn offered(chosen: &[ToolSet]) -> Vec<ToolEntry> {
    let enabled = enabled(chosen);
    let mut offered: Vec<ToolEntry> = enabled.iter().flat_map(|set| set.own()).collect();
    if enabled.len() > 1 {
        offered.push(ToolEntry::of::<help::Help>());
    }
    if chosen.contains(&ToolSet::ReadOnly) {
        offered.retain(|entry| entry.effect == Effect::Reads);
    }
    offered
}
