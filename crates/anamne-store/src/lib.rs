//! The source of truth: the log, the SQLite source, the journal, spaces and the view framework.
//!
//! A write changes state, event and outbox in one transaction and is appended to the journal, the second copy, before
//! it is acknowledged. Everything computed from the log is a [`view`]. This crate doesn't know what a view indexes or
//! how recall ranks. It never prints, and never reads the home folder, the environment or any clock except the given
//! one.
//!
//! ```
//! use std::sync::Arc;
//! use anamne_store::{SpaceName, SpaceSource, SystemClock};
//! use anamne_types::{Actor, Draft};
//!
//! let folder = tempfile::tempdir()?;
//! let core = SpaceName::core();
//! let space = SpaceSource::open(&folder.path().join("core"), &core, Arc::new(SystemClock), true)?;
//! let told = space.remember(&Actor::user(), &Draft::new("The gauge at the mill reads in centimetres"))?;
//! assert_eq!(space.get(told.id)?.content, "The gauge at the mill reads in centimetres");
//! assert!(space.verify_journal()?.problems.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aging;
mod arrival;
mod backup;
pub mod beside;
mod bounded;
mod cleaning;
mod clock;
mod config;
mod derivation;
mod error;
mod examine;
mod export_file;
mod file_problem;
mod files;
mod follow;
mod git;
mod hardening;
mod heal;
mod hexadecimal;
mod incidents;
mod journal;
mod leftovers;
mod lock;
mod members;
mod project;
mod project_config;
mod projects;
mod quota;
mod reading;
mod repair;
mod restore;
mod retention;
mod rewind;
mod settings;
mod settings_file;
mod side_database;
mod sound;
mod source;
mod space;
mod space_erasure;
mod space_name;
mod space_state;
mod special_files;
mod storage;
mod store;
mod store_quota;
pub mod view;
mod watch;
mod writer;
mod writes;

pub use aging::{AgingScope, Mover, Step, TierCount};
pub use arrival::{ImportItem, Origin, PlannedDraft, Replacement};
pub use backup::{BackupReport, BackupState, KnownBackup, backups_of, is_complete_backup};
pub use bounded::{RejectedFile, read_regular};
pub use clock::{Clock, SystemClock};
pub use config::{
    BackupConfig, Duplicates, EmbeddingConfig, EnrichmentConfig, GuardConfig, IntakeConfig,
    MetaConfig, QueryLogging, QuotaConfig, RecallConfig, RecomputeConfig, RetentionConfig,
    RoleConfig, SpaceBudgets, SpaceConfig, TiersConfig,
};
pub use derivation::{Budget, Class, Damage, Derived, Effort};
pub use error::{Result, StoreError};
pub use examine::{Examination, Finding, Part, examine};
pub use export_file::{
    EXPORT_FORMAT, ExportExtra, ExportFailure, ExportedSpace, StagedContent, StagedExport,
    StagedSpace, WrittenExport, is_export_file, stage_export, write_export_file,
};
pub use file_problem::FileProblem;
pub use files::{
    FileIdentity, UNFINISHED, create_private_folder, entries, identity_at, open_private_file,
    remove_if_there as remove_path, remove_unfinished, replace_file, replace_file_on, set_aside,
    sync_folder_on,
};
pub use follow::{Degraded, Followers};
pub use incidents::Incident;
pub use journal::{Digest, JOURNAL_FORMAT, JournalReport, Line, Lines};
pub use leftovers::quarantined_in;
pub use lock::{LONGEST_WAIT, WriteGuard, WriteLock};
pub use members::MissingHome;
pub use project::Project;
pub use project_config::{ProjectConfig, ProjectFolder};
pub use projects::{KnownProject, ProjectSpace, ProjectStatus};
pub use repair::{Repair, repair};
pub use retention::{Present, RetentionPlan};
pub use rewind::Rewound;
pub use settings_file::toml_problem;
pub use side_database::{
    SideDatabase, SideError, SideFile, UnusableFile, quarantine_derived, remove_derived,
    remove_quarantined, shows_damage, truncate_wal,
};
pub use sound::{LinksAndDamage, MemoriesAndDamage, UndamagedFeed};
pub use source::{
    BoundedCounts, INDEXED_CATEGORIES, INDEXED_IMPORTANCE, KnownLink, KnownLinks, Linked,
    ListPosition, Listing, LogEntry, LogQuery, Order, PastState, PastStates, SOURCE_FORMAT,
    SourceFeed, Statistics, Visibility,
};
pub use space::SpaceSource;
pub use space_erasure::{ErasedSpace, FoundCopy, Remains, UnreadableRemains};
pub use space_name::SpaceName;
pub use space_state::SpaceState;
pub use storage::{Disk, Storage};
pub use store::{StoreFolder, Unreadable};
pub use store_quota::{StoreQuota, StoreUsage};
pub use watch::CommitWatcher;
pub use writes::BatchResult;
