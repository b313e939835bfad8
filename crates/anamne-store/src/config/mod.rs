//! `space.toml`: the settings of a space.

mod budgets;
mod documented;
mod guard;
mod intake;
mod ranking;
mod recompute;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anamne_types::{InvalidValue, Limits};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::files::replace_file;
use crate::project_config::ProjectConfig;
use crate::settings_file::read_toml;
use crate::{Result, StoreError};
pub use budgets::SpaceBudgets;
pub use guard::GuardConfig;
pub use intake::{Duplicates, IntakeConfig};
pub use ranking::{RecallConfig, RoleConfig};
pub use recompute::RecomputeConfig;

/// The version of the file.
pub(crate) const CONFIG_FORMAT: i64 = 1;

/// The settings of one space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpaceConfig {
    /// The version of this file.
    pub format: i64,
    /// The space's name.
    pub name: String,
    /// What the space is about; for people and for agents that choose a space.
    #[serde(default)]
    pub description: String,
    /// Creation time.
    pub created_at: Timestamp,
    /// Ranking settings.
    #[serde(default)]
    pub recall: RecallConfig,
    /// The disk quota.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quota: QuotaConfig,
    /// How long memories are kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retention: RetentionConfig,
    /// When memories move to colder tiers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tiers: TiersConfig,
    /// The embedding model.
    #[serde(default, skip_serializing_if = "is_default")]
    pub embedding: EmbeddingConfig,
    /// What the space accepts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub intake: IntakeConfig,
    /// What the space may spend on models.
    #[serde(default, skip_serializing_if = "is_default")]
    pub budgets: SpaceBudgets,
    /// What is recorded about queries, and whether recall uses it for planning.
    #[serde(default, skip_serializing_if = "is_default")]
    pub meta: MetaConfig,
    /// Where and how often the space is backed up automatically.
    #[serde(default, skip_serializing_if = "is_default")]
    pub backup: BackupConfig,
    /// What is noted beside memories by rules.
    #[serde(default, skip_serializing_if = "is_default")]
    pub enrichment: EnrichmentConfig,
    /// How current importance and the current strength of links are computed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub recompute: RecomputeConfig,
    /// What happens to secrets and personal data before a memory is stored.
    #[serde(default, skip_serializing_if = "is_default")]
    pub guard: GuardConfig,
    /// The project whose memories it holds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub project: ProjectConfig,
}

/// What is recorded about queries, and whether recall uses it for planning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MetaConfig {
    /// Whether recall may skip tiers that are unlikely to contain results.
    pub planning: bool,
    /// What is recorded about each query.
    pub queries: QueryLogging,
    /// Whether the log records who opened which memory by its id; each costs a write.
    #[serde(skip_serializing_if = "is_default")]
    pub record_access: bool,
}

impl Default for MetaConfig {
    fn default() -> Self {
        Self {
            planning: true,
            queries: QueryLogging::default(),
            record_access: false,
        }
    }
}

/// What is recorded about each query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryLogging {
    /// Keyed hashes of the query and its words, and how it was answered.
    #[default]
    Hashed,
    /// Its text as well.
    Text,
    /// Nothing.
    Off,
}

/// Maximum length of a model name, in bytes.
const MODEL_BYTES: usize = 200;

/// The embedding model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbeddingConfig {
    /// `builtin`, the name of a folder under the store's `models`, the name of a model supplied by the program, or
    /// `SOURCE:MODEL` of a source in the store's `model.toml`.
    pub model: String,
    /// How long a query waits for its vector from a remote model, in milliseconds; 0 to never ask for one.
    #[serde(skip_serializing_if = "is_usual_wait")]
    pub query_wait_ms: u32,
    /// With a remote model: the number of texts from which a change of the model asks for their vectors in asynchronous
    /// batches, for half the price and within a day; 0 to never do so.
    #[serde(skip_serializing_if = "is_zero")]
    pub batch_from: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde hands over
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl EmbeddingConfig {
    /// The name of the model that is compiled into the program.
    pub const BUILTIN: &str = "builtin";

    /// The default of [`Self::query_wait_ms`].
    pub const QUERY_WAIT_MS: u32 = 800;

    /// The maximum of [`Self::query_wait_ms`].
    pub const MOST_QUERY_WAIT_MS: u32 = 10_000;
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde hands over
fn is_usual_wait(milliseconds: &u32) -> bool {
    *milliseconds == EmbeddingConfig::QUERY_WAIT_MS
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            model: Self::BUILTIN.to_owned(),
            query_wait_ms: Self::QUERY_WAIT_MS,
            batch_from: 0,
        }
    }
}

/// When memories move to colder tiers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TiersConfig {
    /// Maximum age of memories in the active tier, in days.
    pub active_days: u32,
    /// Maximum age of memories in the recent tier, in days; older ones go to the archive of their quarter.
    pub recent_days: u32,
}

impl Default for TiersConfig {
    fn default() -> Self {
        Self {
            active_days: 30,
            recent_days: 90,
        }
    }
}

/// What is noted beside memories by rules: category, importance, keywords, tags, language, summary, links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EnrichmentConfig {
    /// Whether memories are enriched.
    pub on: bool,
    /// Whether the configured language model enriches them, too, within its budgets. Its values stand before the rules'.
    pub by_model: bool,
}

impl Default for EnrichmentConfig {
    fn default() -> Self {
        Self {
            on: true,
            by_model: false,
        }
    }
}

/// The disk quota of a space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuotaConfig {
    /// Maximum total size of the files in the space's folder, in bytes; 0 for no limit.
    pub bytes: u64,
}

/// How long a space keeps memories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// Memories older than this many days are forgotten; 0 for never.
    pub days: u32,
    /// Memories forgotten for their age are erased permanently after this many further days of use; at least 1.
    #[serde(skip_serializing_if = "is_usual_grace")]
    pub grace_days: u32,
}

impl RetentionConfig {
    /// The default grace period, in days of use.
    pub const GRACE_DAYS: u32 = 30;

    /// The maximum grace period: a hundred years of daily use.
    const MOST_GRACE_DAYS: u32 = 36_525;

    fn check(&self) -> Result<(), InvalidValue> {
        if !(1..=Self::MOST_GRACE_DAYS).contains(&self.grace_days) {
            let accepts = format!("1 to {} days of use", Self::MOST_GRACE_DAYS);
            return Err(InvalidValue::new(
                "retention.grace_days",
                accepts,
                self.grace_days,
            ));
        }
        Ok(())
    }
}

impl Default for RetentionConfig {
    fn default() -> Self {
        Self {
            days: 0,
            grace_days: Self::GRACE_DAYS,
        }
    }
}

/// Automatic background backups, each a separate store in a folder named after its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BackupConfig {
    /// The folder of the backups, an absolute path. Empty for no backups.
    pub folder: PathBuf,
    /// The interval in hours; a backup is skipped if nothing was written since the last one.
    pub every_hours: u32,
    /// Number of backups to keep; older ones are removed after a new one was made.
    pub keep: u32,
}

impl BackupConfig {
    /// Whether automatic backups are enabled.
    pub fn is_on(&self) -> bool {
        !self.folder.as_os_str().is_empty()
    }

    fn check(&self) -> Result<(), InvalidValue> {
        if self.is_on() && !self.folder.is_absolute() {
            let given = self.folder.display();
            return Err(InvalidValue::new(
                "backup.folder",
                "an absolute path",
                given,
            ));
        }
        let most = Limits::DAYS * 24;
        if !(1..=most).contains(&self.every_hours) {
            let accepts = format!("1 to {most}");
            return Err(InvalidValue::new(
                "backup.every_hours",
                accepts,
                self.every_hours,
            ));
        }
        if self.keep == 0 {
            return Err(InvalidValue::new("backup.keep", "at least 1", self.keep));
        }
        Ok(())
    }
}

impl Default for BackupConfig {
    fn default() -> Self {
        Self {
            folder: PathBuf::new(),
            every_hours: 24,
            keep: 7,
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde hands over
fn is_usual_grace(days: &u32) -> bool {
    *days == RetentionConfig::GRACE_DAYS
}

/// Maximum length of the description, in bytes.
const DESCRIPTION_BYTES: usize = 4_096;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl SpaceConfig {
    /// The settings of a new space.
    pub fn new(name: &str, created_at: Timestamp) -> Self {
        Self {
            format: CONFIG_FORMAT,
            name: name.to_owned(),
            description: String::new(),
            created_at,
            recall: RecallConfig::default(),
            quota: QuotaConfig::default(),
            retention: RetentionConfig::default(),
            tiers: TiersConfig::default(),
            embedding: EmbeddingConfig::default(),
            intake: IntakeConfig::default(),
            budgets: SpaceBudgets::default(),
            meta: MetaConfig::default(),
            backup: BackupConfig::default(),
            enrichment: EnrichmentConfig::default(),
            recompute: RecomputeConfig::default(),
            guard: GuardConfig::default(),
            project: ProjectConfig::default(),
        }
    }

    /// Checks the values that a person may change.
    pub fn check(&self) -> Result<(), InvalidValue> {
        self.recall.check()?;
        self.project.check()?;
        if self.description.len() > DESCRIPTION_BYTES {
            return Err(InvalidValue::new(
                "description",
                format!("at most {DESCRIPTION_BYTES} bytes long"),
                format!("{} bytes", self.description.len()),
            ));
        }
        if i64::try_from(self.quota.bytes).is_err() {
            return Err(InvalidValue::new(
                "quota.bytes",
                format!("at most {}", i64::MAX),
                self.quota.bytes,
            ));
        }
        self.retention.check()?;
        self.backup.check()?;
        self.guard.check()?;
        self.intake.check()?;
        self.recompute.check()?;
        self.budgets.check()?;
        let most = EmbeddingConfig::MOST_QUERY_WAIT_MS;
        if self.embedding.query_wait_ms > most {
            let accepts = format!("0 to {most} milliseconds; 0 never asks");
            let wait = self.embedding.query_wait_ms;
            return Err(InvalidValue::new("embedding.query_wait_ms", accepts, wait));
        }
        if self.tiers.active_days == 0 {
            return Err(InvalidValue::new("tiers.active_days", "at least 1", 0));
        }
        if self.tiers.recent_days < self.tiers.active_days {
            return Err(InvalidValue::new(
                "tiers.recent_days",
                format!("at least tiers.active_days ({})", self.tiers.active_days),
                self.tiers.recent_days,
            ));
        }
        check_model("embedding.model", &self.embedding.model)
    }

    /// Checks changed numbers of days. Larger values from earlier versions are accepted if unchanged.
    pub(crate) fn check_days(&self, before: &Self) -> Result<(), InvalidValue> {
        let days = |config: &Self| {
            [
                ("tiers.active_days", f64::from(config.tiers.active_days)),
                ("tiers.recent_days", f64::from(config.tiers.recent_days)),
                ("retention.days", f64::from(config.retention.days)),
                ("recall.recency_days", f64::from(config.recall.recency_days)),
            ]
        };
        let mut changed = days(self)
            .into_iter()
            .zip(days(before))
            .filter(|(after, before)| after != before);
        match changed.find(|((_, days), _)| *days > f64::from(Limits::DAYS)) {
            None => Ok(()),
            Some(((field, days), _)) => {
                let accepts = format!("at most {} days", Limits::DAYS);
                Err(InvalidValue::new(field, accepts, days))
            }
        }
    }

    /// Reads the file; `None` if it is missing.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let Some(config) = read_toml::<Self>(path, CONFIG_FORMAT)? else {
            return Ok(None);
        };
        config
            .check()
            .map_err(|refusal| StoreError::damaged(path, refusal.to_string()))?;
        Ok(Some(config))
    }

    /// Writes the file atomically, with a comment on each setting.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text =
            toml::Table::try_from(self).and_then(|settings| documented::documented(&settings));
        let text = text.map_err(|error| StoreError::damaged(path, error.to_string()))?;
        replace_file(path, text.as_bytes())
    }
}

/// Checks the name of a model.
fn check_model(field: &str, model: &str) -> Result<(), InvalidValue> {
    let is_name = !model.is_empty() && !model.chars().any(char::is_control);
    if is_name && model.len() <= MODEL_BYTES {
        return Ok(());
    }
    let accepts = format!("a model's name of 1 to {MODEL_BYTES} bytes without control characters");
    Err(InvalidValue::new(field, accepts, model))
}
