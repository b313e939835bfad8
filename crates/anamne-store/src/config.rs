//! `space.toml`: what a person may read and change about a space.

use std::collections::BTreeMap;
use std::path::Path;

use anamne_text::echo::shorten_values;
use anamne_types::{Category, Kind, Limits, Refusal, check_weight};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::files::replace_file;
use crate::project_config::ProjectConfig;
use crate::special_files::read_settings;

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
    /// When the space was made.
    pub created_at: Timestamp,
    /// How recall ranks in this space.
    #[serde(default)]
    pub recall: RecallConfig,
    /// How much room the space may take up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quota: QuotaConfig,
    /// How long memories are kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retention: RetentionConfig,
    /// When memories move to colder tiers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tiers: TiersConfig,
    /// Which model turns memories and questions into vectors.
    #[serde(default, skip_serializing_if = "is_default")]
    pub embedding: EmbeddingConfig,
    /// What is kept of questions, and whether recall is planned by it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub meta: MetaConfig,
    /// The project whose memories it holds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub project: ProjectConfig,
}

/// What is kept of questions, and whether recall is planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MetaConfig {
    /// Whether recall may leave out tiers that are not likely to pay off.
    pub planning: bool,
    /// What is kept of each question.
    pub queries: KeptQueries,
}

impl Default for MetaConfig {
    fn default() -> Self {
        Self {
            planning: true,
            queries: KeptQueries::default(),
        }
    }
}

/// What is kept of each question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptQueries {
    /// Keyed hashes of it and of its words, and how it was answered.
    #[default]
    Hashed,
    /// Its text too.
    Text,
    /// Nothing.
    Off,
}

/// The longest name of a model, in bytes.
const MODEL_BYTES: usize = 200;

/// Which model turns memories and questions into vectors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbeddingConfig {
    /// `builtin`, the name of a folder under the store's `models`, or that of a model which the program brings.
    pub model: String,
}

impl EmbeddingConfig {
    /// The name that stands for the model which is compiled into the program.
    pub const BUILTIN: &str = "builtin";
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            model: Self::BUILTIN.to_owned(),
        }
    }
}

/// When memories move to colder tiers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TiersConfig {
    /// What happened at most so many days ago lies in the active tier.
    pub active_days: u32,
    /// What happened at most so many days ago lies in the recent tier, and what is older in the archive of its quarter.
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

/// How much room a space may take up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuotaConfig {
    /// What all files of the space's folder may come to, in bytes; 0 for no limit.
    pub bytes: u64,
}

/// How long a space keeps memories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// Memories that happened more than so many days ago are forgotten; 0 for never.
    pub days: u32,
    /// What was forgotten for its age is erased for ever after so many further days on which the space was used; at least 1.
    #[serde(skip_serializing_if = "is_usual_grace")]
    pub grace_days: u32,
}

impl RetentionConfig {
    /// The grace period when nothing is said, in days of use.
    pub const GRACE_DAYS: u32 = 30;

    /// The longest grace period: a hundred years in which the space is used every day.
    const MOST_GRACE_DAYS: u32 = 36_525;

    fn check(&self) -> Result<(), Refusal> {
        if !(1..=Self::MOST_GRACE_DAYS).contains(&self.grace_days) {
            let accepts = format!("1 to {} days of use", Self::MOST_GRACE_DAYS);
            return Err(Refusal::new(
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

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde hands over
fn is_usual_grace(days: &u32) -> bool {
    *days == RetentionConfig::GRACE_DAYS
}

/// The longest description, in bytes.
const DESCRIPTION_BYTES: usize = 4_096;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How recall ranks in a space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecallConfig {
    /// The τ of `exp(-Δt/τ)`, in days: after so long a memory's recency has fallen to 37 %.
    pub recency_days: f32,
    /// Weights of features of the score, by their names in an explanation, where they are not to be the usual ones.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f32>,
    /// Roles as which questions may be asked, beside the built-in ones or in place of them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, RoleConfig>,
}

/// How memories look to whoever asks in a role: points that they gain or lose. For measure: a cosine higher by a tenth is worth
/// about half a point, and the best results of a question lie some points apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoleConfig {
    /// Points that a memory of importance 10 gains; one of importance 5 gains nothing, and less important ones lose as much.
    pub importance: f32,
    /// Points by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<Kind, f32>,
    /// Points by category of fact.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub categories: BTreeMap<Category, f32>,
}

impl RoleConfig {
    /// The most points that a memory may gain or lose, by each of them and by all together.
    pub const MOST_POINTS: f32 = 3.0;

    /// Checks each number of the role called `name`.
    fn check(&self, name: &str) -> Result<(), Refusal> {
        let is_name = !name.trim().is_empty() && !name.chars().any(char::is_control);
        if !is_name || name.len() > Limits::NAME_BYTES {
            let accepts = format!(
                "named by 1 to {} bytes without control characters",
                Limits::NAME_BYTES
            );
            return Err(Refusal::new("recall.roles", accepts, format!("{name:?}")));
        }
        let mut points = self
            .kinds
            .values()
            .chain(self.categories.values())
            .chain([&self.importance]);
        match points.find(|points| !points.is_finite() || points.abs() > Self::MOST_POINTS) {
            None => Ok(()),
            Some(points) => Err(Refusal::new(
                format!("recall.roles.{name}"),
                format!("of points from -{0} to {0}", Self::MOST_POINTS),
                points,
            )),
        }
    }
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self {
            recency_days: 30.0,
            weights: BTreeMap::new(),
            roles: BTreeMap::new(),
        }
    }
}

impl RecallConfig {
    /// Checks bounds. Which features there are is known where results are ranked.
    fn check(&self) -> Result<(), Refusal> {
        let days = self.recency_days;
        if !(days > 0.0 && days.is_finite()) {
            let accepts = "a number above 0";
            return Err(Refusal::new("recall.recency_days", accepts, days));
        }
        let mut weights = self.weights.iter();
        weights
            .try_for_each(|(feature, weight)| check_weight("recall.weights", feature, *weight))?;
        let mut roles = self.roles.iter();
        roles.try_for_each(|(name, role)| role.check(name))
    }
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
            meta: MetaConfig::default(),
            project: ProjectConfig::default(),
        }
    }

    /// Checks what a person may change.
    pub fn check(&self) -> Result<(), Refusal> {
        self.recall.check()?;
        self.project.check()?;
        if self.description.len() > DESCRIPTION_BYTES {
            return Err(Refusal::new(
                "description",
                format!("at most {DESCRIPTION_BYTES} bytes long"),
                format!("{} bytes", self.description.len()),
            ));
        }
        if i64::try_from(self.quota.bytes).is_err() {
            return Err(Refusal::new(
                "quota.bytes",
                format!("at most {}", i64::MAX),
                self.quota.bytes,
            ));
        }
        self.retention.check()?;
        if self.tiers.active_days == 0 {
            return Err(Refusal::new("tiers.active_days", "at least 1", 0));
        }
        if self.tiers.recent_days < self.tiers.active_days {
            return Err(Refusal::new(
                "tiers.recent_days",
                format!("at least tiers.active_days ({})", self.tiers.active_days),
                self.tiers.recent_days,
            ));
        }
        let model = &self.embedding.model;
        let is_name = !model.is_empty() && !model.chars().any(char::is_control);
        if !is_name || model.len() > MODEL_BYTES {
            return Err(Refusal::new(
                "embedding.model",
                format!("a model's name of 1 to {MODEL_BYTES} bytes without control characters"),
                model,
            ));
        }
        Ok(())
    }

    /// Checks numbers of days that were changed. Larger ones of earlier versions can be read and kept.
    pub(crate) fn check_days(&self, before: &Self) -> Result<(), Refusal> {
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
                Err(Refusal::new(field, accepts, days))
            }
        }
    }

    /// Reads the file; `None` when it is not there.
    pub fn read(path: &Path) -> Result<Option<Self>, StoreError> {
        #[derive(Deserialize)]
        struct Format {
            format: i64,
        }
        let Some(text) = read_settings(path)? else {
            return Ok(None);
        };
        let unreadable =
            |error: toml::de::Error| StoreError::damaged(path, toml_problem(&text, &error));
        let Format { format } = toml::from_str(&text).map_err(unreadable)?;
        if format > CONFIG_FORMAT {
            return Err(StoreError::Newer {
                path: path.to_owned(),
                found: format,
                known: CONFIG_FORMAT,
            });
        }
        let config: Self = toml::from_str(&text).map_err(unreadable)?;
        config
            .check()
            .map_err(|refusal| StoreError::damaged(path, refusal.to_string()))?;
        Ok(Some(config))
    }

    /// Writes the file whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        let text =
            toml::to_string(self).map_err(|error| StoreError::damaged(path, error.to_string()))?;
        replace_file(path, text.as_bytes())
    }
}

/// What is wrong with a TOML file of this text, on one line, with no more than the beginning of a value.
pub fn toml_problem(text: &str, error: &toml::de::Error) -> String {
    let message = shorten_values(error.message()).replace('\n', ", ");
    let before = error.span().and_then(|span| text.get(..span.start));
    let Some(before) = before else {
        return message;
    };
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    format!("line {line}, column {column}: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> SpaceConfig {
        SpaceConfig::new("tests", Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_model_is_written_down_only_where_it_is_not_the_built_in_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("space.toml");
        let mut config = config();
        config.write(&path).expect("written");
        let text = std::fs::read_to_string(&path).expect("read");
        assert!(!text.contains("embedding"), "earlier versions read it too");
        assert_eq!(
            SpaceConfig::read(&path).expect("read"),
            Some(config.clone())
        );
        config.embedding.model = "owner/model 8".to_owned();
        config.write(&path).expect("written");
        assert_eq!(SpaceConfig::read(&path).expect("read"), Some(config));
    }

    #[test]
    fn a_retention_has_bounds_and_files_of_before_mean_the_usual_grace_period() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("space.toml");
        config().write(&path).expect("written");
        let usual = std::fs::read_to_string(&path).expect("read");
        let check = |lines: &str, accepted: Option<(u32, u32)>| {
            std::fs::write(&path, format!("{usual}\n[retention]\n{lines}\n")).expect("written");
            let read = SpaceConfig::read(&path).ok().flatten();
            let found = read.map(|config| (config.retention.days, config.retention.grace_days));
            assert_eq!(found, accepted, "{lines}");
        };
        check("", Some((0, 30)));
        check("days = 365", Some((365, 30)));
        check("days = 365\ngrace_days = 1", Some((365, 1)));
        check("grace_days = 0", None);
        check("grace_days = -1", None);
        check("days = 100000\ngrace_days = 36525", Some((100_000, 36_525)));
        check("grace_days = 36526", None);
        check("grace = 5", None);
    }

    #[test]
    fn a_usual_grace_period_is_not_written_so_that_earlier_versions_read_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("space.toml");
        let mut config = config();
        config.retention.days = 365;
        config.write(&path).expect("written");
        let text = std::fs::read_to_string(&path).expect("read");
        assert!(
            text.contains("days = 365") && !text.contains("grace"),
            "{text}"
        );
    }

    #[test]
    fn a_name_of_a_model_is_a_line_of_text() {
        let check = |model: &str, accepted: bool| {
            let mut config = config();
            config.embedding.model = model.to_owned();
            assert_eq!(config.check().is_ok(), accepted, "{model:?}");
        };
        check("builtin", true);
        check("模型/8", true);
        check("", false);
        check("two\nlines", false);
        check(&"x".repeat(200), true);
        check(&"x".repeat(201), false);
    }

    #[test]
    fn weights_and_roles_come_back_as_they_were_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("space.toml");
        let mut config = config();
        config.write(&path).expect("written");
        let text = std::fs::read_to_string(&path).expect("read");
        assert!(!text.contains("weights") && !text.contains("roles"));
        config.recall.weights.insert("recency".to_owned(), 1.5);
        let reviewer = RoleConfig {
            importance: 2.0,
            kinds: [(Kind::Fact, 0.5)].into(),
            categories: [(Category::BugFix, -1.0)].into(),
        };
        config
            .recall
            .roles
            .insert("the reviewer".to_owned(), reviewer);
        config.write(&path).expect("written");
        assert_eq!(SpaceConfig::read(&path).expect("read"), Some(config));
    }

    #[test]
    fn numbers_of_weights_and_roles_have_bounds() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("space.toml");
        config().write(&path).expect("written");
        let usual = std::fs::read_to_string(&path).expect("read");
        let check = |lines: &str, accepted: bool| {
            std::fs::write(&path, format!("{usual}\n{lines}\n")).expect("written");
            let read = SpaceConfig::read(&path);
            assert_eq!(read.is_ok(), accepted, "{lines}: {read:?}");
        };
        check("[recall.weights]\nrecency = -1000", true);
        check("[recall.weights]\nrecency = 1000.5", false);
        check("[recall.weights]\nrecency = nan", false);
        check("[recall.weights]\nrecency = inf", false);
        check(
            "[recall.roles.a]\nimportance = 3\nkinds = { fact = -3 }",
            true,
        );
        check("[recall.roles.a]\nimportance = 3.5", false);
        check("[recall.roles.a]\nkinds = { fact = nan }", false);
        check("[recall.roles.a]\nkinds = { rumour = 1 }", false);
        check("[recall.roles.a]\ncategories = { bug_fix = 4 }", false);
        check("[recall.roles.a]\ncolour = 1", false);
        check("[recall.roles.\" \"]\nimportance = 1", false);
        check("[recall.roles.\"a\\u0007\"]\nimportance = 1", false);
    }
}
