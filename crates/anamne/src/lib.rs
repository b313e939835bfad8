//! Embedded, local-first memory for AI agents.
//!
//! Store something, and get it back with the reason:
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
//! The engine is blocking, works without a network, and never prints. It must not depend on a door (a command line, a
//! protocol), and uses only the paths, clocks and models that it is given.

mod background_problems;
mod caches;
mod core;
mod derived;
mod due;
mod error;
mod error_kind;
mod experience;
mod front_matter;
mod jobs;
mod knowledge;
mod likeness;
mod maintenance;
mod models;
mod privacy;
mod query;
mod server_records;
#[cfg(test)]
mod set_clock;
mod space;
mod store;
mod tool_results;
mod write;

pub use anamne_embed as embed;
pub use anamne_experience::experiments::{Conclusion, Uplift};
pub use anamne_experience::tool_results::{
    FetchStatus, Fetched, Invalidation, Lookup, RequestKind, Savings, ToolRequest, ToolResult,
    Trigger,
};
pub use anamne_experience::{RunChance, RunSummary};
pub use anamne_guard as guard;
pub use anamne_knowledge::consolidation::{
    Audit, ImportanceParts, Insight, Proposal, ProposalKind,
};
pub use anamne_knowledge::enrichment::view::{EnrichmentReport, EnrichmentState};
pub use anamne_knowledge::graph::{
    Association, ContradictionQuery, EntityQuery, ExtractionReport, GraphError,
};
pub use anamne_knowledge::summaries::{Level, Summary, SummaryReport, SummarySentence};
pub use anamne_recall::context::best_sentence;
#[doc(hidden)]
pub use anamne_recall::{Forest, ForestError};
pub use anamne_recall::{RecallCache, RecallObserver, RecallStage};
pub use anamne_store::{
    BackupConfig, BackupReport, Budget, Class, Clock, Damage, Derived, Duplicates, Effort,
    EmbeddingConfig, EnrichmentConfig, Examination, ExportExtra, ExportedSpace, Finding,
    GuardConfig, IntakeConfig, JournalReport, KnownBackup, KnownProject, LONGEST_WAIT,
    ListPosition, Listing, LogEntry, LogQuery, MetaConfig, MissingHome, Order, Part, Project,
    ProjectConfig, ProjectFolder, ProjectSpace, ProjectStatus, QueryLogging, QuotaConfig,
    RecallConfig, RecomputeConfig, RetentionConfig, Rewound, RoleConfig, SpaceBudgets, SpaceConfig,
    SpaceName, SpaceState, Statistics, StoreError, StoreFolder, StoreQuota, StoreUsage,
    SystemClock, TierCount, TiersConfig, Unreadable, Visibility, is_export_file,
};
pub use anamne_text as text;
pub use anamne_types::*;
pub use derived::batches::EmbeddingBatch;
pub use derived::embedding_cache::{CacheSize, EmbeddingCache};
pub use derived::hook_log::{HookActivity, HookLog, HookRun, HookSession, ToldMessages};
pub use derived::meta::LoggedQuery;
pub use derived::reembedding::EmbeddingState;
pub use derived::unsent::{
    AddedCaptures, HeldMessage, SendingTurn, UnsentBatch, UnsentCaptures, WaitingCaptures,
};
pub use derived::{DerivedFactory, DerivedSite, SimdLevel, ViewState};
pub use error::{Denied, Error, ErrorKind, RequestKeyError};
pub use experience::{
    Advice, AdviceCase, AdviceKind, ArmReport, ExperienceQuery, ExperiencedAnswer,
    ExperimentReport, KeptOpinion, LearningSearch, LessonText, Opinion, PastSearch, Said,
    SearchQuality, SearchStrategy, ShownResults, SkillRecord, StrategyReport, StrategyWeek,
    WorkingEntry, WorkingScope,
};
pub use jobs::{ChoreReport, Moved, WorkReport};
pub use knowledge::elsewhere::KnownElsewhere;
pub use knowledge::graph::Knowledge;
pub use knowledge::recomputing::{ImportanceSignals, LinkStrength, QualitySignals};
pub use knowledge::topics::{KnownTopic, TopicVerdict};
pub use knowledge::wording::RewordedSentence;
pub use maintenance::backups::ScheduledBackups;
pub use maintenance::doctor::{CheckUp, SpaceReport};
pub use maintenance::erasing::{BackupUpdate, OutsideErasure, PendingErasure};
pub use maintenance::erasing_spaces::SpaceErasure;
pub use maintenance::export::{
    BinaryExport, CorpusReport, ExportReport, ExportSelection, MembersWithoutHome,
};
pub use maintenance::following::{SpaceWatch, ViewLag};
pub use maintenance::guarding::{GuardRedaction, GuardScan, NotShared, StoredFinding};
pub use maintenance::retention::{RetentionApplied, RetentionState, RetentionUndone};
pub use maintenance::travel::Rewind;
pub use maintenance::upkeep::{BackupRemoval, Backups, NotRepaired, RepairReport, Verification};
pub use models::{
    EmbeddingEstimate, ImportedModel, ModelImport, ModelKind, ModelProblem, ModelPurpose,
    ModelState, ModelSummary, ModelVerification, RemovedModel,
};
pub use privacy::PRIVATE;
pub use query::access::{MemoryUse, UseOrder};
pub use query::performance::{QueryGroup, QueryPerformance};
pub use server_records::{
    BackupSchedule, BackupStatus, DamagedSpace, FoundKey, KeyText, ServerBackup, ServerRecords,
    ServerRestore, TenantBackup, Use, contains_key,
};
pub use space::Space;
pub use store::{Options, Store};
pub use write::guarding::guard_test;
pub use write::import::{
    BadLine, BadLines, BinaryImport, BinaryImportReport, GoneNote, GuardSummary, GuardedLine,
    ImportOptions, ImportReport, ImportedSpace, LineOutcome, RewordedLine, UnverifiedClaims,
};
pub use write::members::AddedMember;
pub use write::once::{DraftOutcome, DraftRefusal, RequestKey, ToldOnce};
pub use write::quality::text_quality;
pub use write::transfer::{NotMoved, Selection, Transfer};
pub use {anamne_jobs as queue, anamne_llm as llm};
