//! `anamne spaces set`.

use anamne::{Duplicates, Kind, RecomputeConfig, Space, SpaceConfig};
use clap::builder::PossibleValuesParser;

use super::spaces_model::ModelChange;
use super::spaces_settings;
use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::place::Place;
use crate::settling;

/// Show or change the settings of a space
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without options, shows the settings. They are in space.toml in the space's
folder.

Examples:
  anamne spaces set --description \"What we cook\"
  anamne --space recipes spaces set --quota 2GB
  anamne spaces set --quota none --recency-days 90
  anamne spaces set --retention-days 365 --yes
  anamne spaces set --active-days 14 --recent-days 60
  anamne spaces set --model my-model
  anamne spaces set --reranker my-reranker
  anamne spaces set --record-access on
  anamne spaces set --recompute-links off
  anamne spaces set --half-life 30 --link-half-life 90
  anamne spaces set --model openai:text-embedding-3-small --dry-run
  anamne spaces set --kinds fact,episode --quality 0.3
  anamne spaces set --duplicates semantic --similarity 0.95
  anamne spaces set --daily-dollars 0.10

A model of a source (see `anamne model embeddings`) is named SOURCE:MODEL, or
SOURCE:MODEL@DIMENSIONS. The estimate of texts, tokens and costs is shown
first; what may cost money needs --yes. Embedding can be stopped at any time,
and goes on with the next command or in the background.

With --json: {\"name\", \"description\", \"recency_days\", \"quota_bytes\",
  \"retention_days\", \"retention_grace_days\", \"active_days\", \"recent_days\",
  \"model\", \"reranker\": or null, \"record_access\", \"query_wait_ms\", \"batch_from\", \"kinds\", \"duplicates\", \"similarity\", \"quality\",
  \"recompute\": {\"importance\", \"links\", \"half_life_days\", \"link_half_life_days\", \"link_floor\"},
  \"budgets\": {..}}; 0 stands for none. With --dry-run: {\"model\", \"texts\",
  \"cached\", \"private\", \"tokens\", \"dollars\", \"leaves_machine\", \"minutes\"}")]
pub(crate) struct Set {
    /// A description of the space
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Days until recency falls to 37 %
    #[arg(long, value_name = "DAYS")]
    recency_days: Option<f32>,
    /// Maximum size of the space's folder: bytes, 500MB, 2GiB, or none
    #[arg(long, value_name = "SIZE", value_parser = size)]
    quota: Option<u64>,
    /// Forget memories older than this, except facts and skills of importance 7 or more, and erase them after the grace period; or none
    #[arg(long, value_name = "DAYS", value_parser = days)]
    retention_days: Option<u32>,
    /// Erase forgotten memories after this many more days of use
    #[arg(long = "grace-days", value_name = "DAYS")]
    retention_grace_days: Option<u32>,
    /// Maximum age in the active tier
    #[arg(long, value_name = "DAYS")]
    active_days: Option<u32>,
    /// Maximum age in the recent tier; older memories are archived
    #[arg(long, value_name = "DAYS")]
    recent_days: Option<u32>,
    /// The embedding model: builtin, one that `anamne model list` shows, or SOURCE:MODEL. The former model answers until all memories are embedded
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A model that scores the first twenty results again: a reranker that `anamne model list` shows, or none. Takes some milliseconds to a second per result
    #[arg(long, value_name = "NAME")]
    reranker: Option<String>,
    /// Whether the log records who opened which memory by its id (`anamne audit --kind accessed`); costs a write each
    #[arg(long, value_enum, value_name = "on|off")]
    record_access: Option<Switch>,
    /// Whether current importance is computed from use, links and age; off shows what was told
    #[arg(long, value_enum, value_name = "on|off")]
    recompute_importance: Option<Switch>,
    /// Whether the strength of links decays; off shows what was told
    #[arg(long, value_enum, value_name = "on|off")]
    recompute_links: Option<Switch>,
    /// Days until the points of current importance for use and youth halve
    #[arg(long, value_name = "DAYS")]
    half_life: Option<f32>,
    /// Days until a link that is neither told again nor used has half its strength
    #[arg(long, value_name = "DAYS")]
    link_half_life: Option<f32>,
    /// The share of its told strength that a link keeps at least, 0 to 1
    #[arg(long, value_name = "SHARE")]
    link_floor: Option<f32>,
    /// Show what embedding with --model takes; change nothing
    #[arg(long, requires = "model")]
    dry_run: bool,
    /// How long a query waits for its vector from a SOURCE:MODEL, in milliseconds; 0 to never ask
    #[arg(long, value_name = "N")]
    query_wait: Option<u32>,
    /// The number of texts from which a new SOURCE:MODEL is asked in batches, at half price within a day; 0 for never
    #[arg(long, value_name = "N")]
    batch_from: Option<u32>,
    /// The accepted kinds, separated by commas, or all
    #[arg(long, value_name = "KINDS", value_parser = kinds)]
    kinds: Option<Kinds>,
    /// What counts as a duplicate: the same text, also a rewording (a new version of the known memory), or nothing
    #[arg(long, value_parser = PossibleValuesParser::new(Duplicates::ALL.map(|(name, _)| name)))]
    duplicates: Option<String>,
    /// With semantic duplicates: the similarity of a rewording, 0.5 to 1
    #[arg(long, value_name = "SHARE")]
    similarity: Option<f32>,
    /// Refuse told texts of lower quality, 0 to 1; 0 accepts everything
    #[arg(long, value_name = "SHARE")]
    quality: Option<f32>,
    /// Daily budget of the space in US dollars, within that of the store; 0 for no limit
    #[arg(long, value_name = "DOLLARS")]
    daily_dollars: Option<f64>,
    /// Monthly budget of the space in US dollars; 0 for no limit
    #[arg(long, value_name = "DOLLARS")]
    monthly_dollars: Option<f64>,
    /// Daily budget of the space in tokens; 0 for no limit
    #[arg(long, value_name = "N")]
    daily_tokens: Option<u64>,
    /// Monthly budget of the space in tokens; 0 for no limit
    #[arg(long, value_name = "N")]
    monthly_tokens: Option<u64>,
    /// Confirm a retention that forgets memories now, or a model that may cost money
    #[arg(long)]
    yes: bool,
}

/// On or off.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Switch {
    fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

impl Set {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.existing_space()?;
        self.check_retention(&space)?;
        let model = match &self.model {
            Some(name) => ModelChange::to(name, &space)?,
            None => None,
        };
        if self.dry_run {
            return estimate(model.as_ref(), output);
        }
        if let Some(change) = &model {
            change.agree(self.yes, output)?;
        }
        let before = space.config();
        let mut wanted = SpaceConfig::clone(&before);
        self.apply(&mut wanted, model.as_ref());
        if wanted != *before {
            space.configure(|config| self.apply(config, model.as_ref()))?;
        }
        if self.yes && self.retention_days.is_some_and(|days| days > 0) {
            forget_outdated(&space, output)?;
        }
        spaces_settings::print(&space.config(), output)?;
        settling::settle(&space, output)
    }

    /// A retention that would forget memories now needs confirmation.
    fn check_retention(&self, space: &Space) -> Result<(), Failure> {
        let Some(days) = self.retention_days.filter(|days| *days > 0 && !self.yes) else {
            return Ok(());
        };
        let outdated = space.count_outdated(days)?;
        if outdated == 0 {
            return Ok(());
        }
        let count = memories(outdated);
        Err(Failure::refused(
            "yes",
            format!(
                "a retention of {days} days forgets {count} now, and erases them after the grace period unless restored"
            ),
        )
        .hint("add --yes to confirm"))
    }

    fn apply(&self, config: &mut SpaceConfig, model: Option<&ModelChange>) {
        if let Some(description) = &self.description {
            config.description.clone_from(description);
        }
        config.recall.recency_days = self.recency_days.unwrap_or(config.recall.recency_days);
        config.quota.bytes = self.quota.unwrap_or(config.quota.bytes);
        config.retention.days = self.retention_days.unwrap_or(config.retention.days);
        if let Some(days) = self.retention_grace_days {
            config.retention.grace_days = days;
        }
        config.tiers.active_days = self.active_days.unwrap_or(config.tiers.active_days);
        config.tiers.recent_days = self.recent_days.unwrap_or(config.tiers.recent_days);
        if let Some(model) = model {
            config.embedding.model.clone_from(&model.name);
        }
        if let Some(reranker) = &self.reranker {
            let is_none = reranker.trim().eq_ignore_ascii_case("none");
            config.recall.reranker = (!is_none).then(|| reranker.clone());
        }
        if let Some(switch) = self.record_access {
            config.meta.record_access = switch.is_on();
        }
        let wait = &mut config.embedding.query_wait_ms;
        *wait = self.query_wait.unwrap_or(*wait);
        let batch_from = &mut config.embedding.batch_from;
        *batch_from = self.batch_from.unwrap_or(*batch_from);
        self.apply_intake(config);
        self.apply_recompute(&mut config.recompute);
        let budgets = &mut config.budgets;
        budgets.daily_dollars = self.daily_dollars.unwrap_or(budgets.daily_dollars);
        budgets.monthly_dollars = self.monthly_dollars.unwrap_or(budgets.monthly_dollars);
        budgets.daily_tokens = self.daily_tokens.unwrap_or(budgets.daily_tokens);
        budgets.monthly_tokens = self.monthly_tokens.unwrap_or(budgets.monthly_tokens);
    }

    fn apply_recompute(&self, recompute: &mut RecomputeConfig) {
        let on = |switch: Option<Switch>, now| switch.map_or(now, Switch::is_on);
        recompute.importance = on(self.recompute_importance, recompute.importance);
        recompute.links = on(self.recompute_links, recompute.links);
        recompute.half_life_days = self.half_life.unwrap_or(recompute.half_life_days);
        let link_half_life = self.link_half_life;
        recompute.link_half_life_days = link_half_life.unwrap_or(recompute.link_half_life_days);
        recompute.link_floor = self.link_floor.unwrap_or(recompute.link_floor);
    }

    fn apply_intake(&self, config: &mut SpaceConfig) {
        let intake = &mut config.intake;
        if let Some(Kinds(kinds)) = &self.kinds {
            intake.kinds.clone_from(kinds);
        }
        let rule = |name: &String| Duplicates::ALL.iter().find(|(known, _)| known == name);
        if let Some((_, rule)) = self.duplicates.as_ref().and_then(rule) {
            intake.duplicates = *rule;
        }
        intake.similarity = self.similarity.unwrap_or(intake.similarity);
        intake.quality = self.quality.unwrap_or(intake.quality);
    }
}

/// Accepted kinds; empty for all.
#[derive(Clone, Debug)]
struct Kinds(Vec<Kind>);

/// Parses kinds separated by commas, or `all`.
fn kinds(text: &str) -> Result<Kinds, String> {
    if text.trim().eq_ignore_ascii_case("all") {
        return Ok(Kinds(Vec::new()));
    }
    let kind = |name: &str| {
        let name = name.trim();
        let known = name.parse::<Kind>();
        known.map_err(|error| error.to_string())
    };
    text.split(',')
        .map(kind)
        .collect::<Result<_, _>>()
        .map(Kinds)
}

/// Shows what a change of the model takes.
fn estimate(change: Option<&ModelChange>, output: &mut Output) -> Result<(), Failure> {
    let Some(change) = change else {
        if output.is_json() {
            return output.json(&anamne::EmbeddingEstimate::default());
        }
        return output.line("the space uses this model already");
    };
    if output.is_json() {
        return output.json(&change.estimate);
    }
    output.line(change.description())
}

/// Applies a retention that was confirmed.
fn forget_outdated(space: &Space, output: &Output) -> Result<(), Failure> {
    let forgotten = space.apply_retention(true)?.forgotten;
    if forgotten > 0 {
        let count = memories(forgotten);
        output.note(format_args!(
            "forgot {count}; until they are erased, restore with `anamne retention --restore`"
        ));
    }
    Ok(())
}

/// Parses a number of bytes with an optional unit.
fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("none") {
        return Ok(0);
    }
    let digits = text.find(|character: char| !character.is_ascii_digit() && character != '.');
    let (amount, unit) = text.split_at(digits.unwrap_or(text.len()));
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => {
            return Err(format!(
                "unknown unit {}; use 500MB, 2GiB, or none",
                crate::wording::named(unit)
            ));
        }
    };
    let wrong = || "use a size such as 500MB or 2GiB, or none".to_owned();
    let too_large = || format!("{text} is too large");
    if amount.bytes().all(|digit| digit.is_ascii_digit()) && !amount.is_empty() {
        let bytes = amount
            .parse()
            .ok()
            .and_then(|amount: u64| amount.checked_mul(factor));
        return bytes
            .filter(|bytes| i64::try_from(*bytes).is_ok())
            .ok_or_else(too_large);
    }
    let amount: f64 = amount.parse().map_err(|_| wrong())?;
    let bytes = amount * factor as f64;
    if bytes >= i64::MAX as f64 {
        return Err(too_large());
    }
    // Less than a byte would round to 0, which means no limit.
    if amount > 0.0 && bytes < 1.0 {
        return Err(format!("{text} is less than a byte; use none for no limit"));
    }
    Ok(bytes as u64)
}

/// Parses a number of days, or `none`.
fn days(text: &str) -> Result<u32, String> {
    if text.trim().eq_ignore_ascii_case("none") {
        return Ok(0);
    }
    text.trim()
        .parse()
        .map_err(|_| "use a whole number of days, or none".to_owned())
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        assert_eq!(super::size(text).ok(), expected, "{text}");
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        check("0", Some(0));
        check("none", Some(0));
        check("1500", Some(1_500));
        check("500MB", Some(500_000_000));
        check("1.5 GiB", Some(1_610_612_736));
        check("2k", Some(2_000));
        for wrong in ["", "MB", "-1", "5 parsecs", "1e30", "99999999TB"] {
            check(wrong, None);
        }
    }
}
