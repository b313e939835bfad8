//! Embedded, local-first memory for AI agents.
//!
//! Tell it something, and get it back with the reason:
//!
//! ```
//! use anamne::{Recall, Store};
//!
//! let folder = tempfile::tempdir()?;
//! let space = Store::open(folder.path())?.space("core")?;
//! space.remember("The staging server listens on port 8471")?;
//! let answer = space.recall(&Recall::new("which port does staging use?"))?;
//! let best = &answer.results[0];
//! assert!(best.memory.content.contains("8471"));
//! println!("{} ({:.0} %): {}", best.memory.content, best.confidence * 100.0, best.reasoning);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The engine is blocking, works without a network, and never prints. It must never know a door (a
//! command line, a protocol), and reads no path, clock or model that was not handed to it.

mod across;
mod admission;
mod asking;
mod backups;
mod batch_size;
mod briefing;
mod caches;
mod cleaning;
mod consistency;
mod consolidating;
mod core;
mod derived;
mod doctor;
mod due;
mod erasing;
mod error;
mod exchange;
mod export;
mod feedback;
mod front_matter;
mod import;
mod jobs;
mod keeping;
mod knowledge;
mod likeness;
mod modelling;
mod models;
mod past;
mod provenance;
mod retention;
mod routing;
#[cfg(test)]
mod set_clock;
mod space;
mod store;
mod summaries;
mod telling;
mod topics;
mod transfer;
mod travel;
mod trouble;
mod troubles;
mod wording;

pub use anamne_embed as embed;
pub use anamne_knowledge::consolidation::{Audit, Insight, Proposal, ProposalKind};
pub use anamne_knowledge::graph::{
    Association, ContradictionQuery, EntityQuery, GraphError, Woven,
};
pub use anamne_knowledge::summaries::{Level, Summary, SummarySentence, Woven as Summarised};
pub use anamne_store::{
    BackupConfig, BackupReport, Budget, Class, Clock, Damage, Derived, Effort, EmbeddingConfig,
    Examination, Finding, JournalReport, KeptQueries, KnownBackup, KnownProject, LONGEST_WAIT,
    Listing, LogEntry, LogQuery, MetaConfig, Order, Part, Project, ProjectConfig, ProjectFolder,
    ProjectSpace, ProjectStanding, QuotaConfig, RecallConfig, RetentionConfig, Rewound, RoleConfig,
    SpaceConfig, SpaceName, Standing, Statistics, StoreError, StoreFolder, SystemClock, TierCount,
    TiersConfig, Unreadable,
};
pub use anamne_text as text;
pub use anamne_types::*;
pub use consolidating::Regarded;
pub use derived::embedding_cache::{CacheSize, EmbeddingCache};
pub use derived::meta::LoggedQuery;
pub use derived::reembedding::EmbeddingState;
pub use derived::{BringDerived, DerivedSite, ViewState};
pub use doctor::{CheckUp, SpaceReport};
pub use erasing::{BackupUpdate, Erased, Unreached};
pub use error::{Denied, Error, ErrorKind};
pub use export::{CorpusReport, Exported};
pub use import::{BadLine, BadLines, ImportOptions, ImportReport, Unproven};
pub use jobs::{ChoreReport, Moved};
pub use keeping::{Backups, NotRepaired, RepairReport, StruckBackup, Verification};
pub use knowledge::Knowledge;
pub use retention::{RetentionApplied, RetentionState, RetentionUndone};
pub use space::Space;
pub use store::{Options, Store};
pub use topics::{KnownTopic, Verdict};
pub use transfer::{Kept, Selection, Transfer};
pub use travel::Rewind;
pub use wording::Worded;
pub use {anamne_jobs as queue, anamne_llm as llm};
