//! `anamne spaces set`.

use anamne::{Duplicates, Kind, Space, SpaceConfig};
use anamne_client::{Method, Query, RemoteSpace};
use anamne_server::rest::{SettingsChange, SpaceSettings};
use clap::builder::PossibleValuesParser;

use super::spaces_model::ModelChange;
use super::spaces_settings;
use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::place::Place;
use crate::reached::Reached;

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
        let space = place.reached_existing()?;
        let settings = match &space {
            Reached::Here(space) => self.configure(space, output)?,
            Reached::There(space) => Some(self.send(space)?),
        };
        let Some(settings) = settings else {
            return Ok(());
        };
        if self.yes && self.retention_days.is_some_and(|days| days > 0) {
            forget_outdated(&space, output)?;
        }
        spaces_settings::print(&settings, output)?;
        space.settle(output)
    }

    /// Changes the settings on this machine, or shows the estimate of `--dry-run`.
    fn configure(
        &self,
        space: &Space,
        output: &mut Output,
    ) -> Result<Option<SpaceSettings>, Failure> {
        self.check_retention(space)?;
        let model = match &self.model {
            Some(name) => ModelChange::to(name, space)?,
            None => None,
        };
        if self.dry_run {
            estimate(model.as_ref(), output)?;
            return Ok(None);
        }
        if let Some(change) = &model {
            change.agree(self.yes, output)?;
        }
        let before = space.config();
        let mut wanted = SpaceConfig::clone(&before);
        let change = self.change(model.map(|model| model.name));
        change.apply(&mut wanted);
        if wanted != *before {
            space.configure(|config| change.apply(config))?;
        }
        Ok(Some(SpaceSettings::of(&space.config())))
    }

    /// Changes the settings on a server, which refuses what `--yes` would confirm.
    fn send(&self, space: &RemoteSpace) -> Result<SpaceSettings, Failure> {
        if self.dry_run {
            let message = "a server doesn't estimate what embedding takes";
            return Err(Failure::refused("dry_run", message)
                .hint("run it on the server's machine, where its models and keys are"));
        }
        let change = self.change(self.model.clone());
        if change == SettingsChange::default() {
            return Ok(space.read(&["settings"], &Query::new())?);
        }
        let change = SettingsChange {
            confirm: self.yes,
            ..change
        };
        let changed = space.call(Method::Patch, &["settings"], Some(&change));
        changed.map_err(|error| match error.problem() {
            Some(problem) if problem.field.as_deref() == Some("confirm") => {
                Failure::refused("yes", &problem.detail).hint("add --yes to confirm")
            }
            _ => error.into(),
        })
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

    /// The change, with the embedding model by its full name, if that is known.
    fn change(&self, model: Option<String>) -> SettingsChange {
        let rule = |name: &String| Duplicates::ALL.iter().find(|(known, _)| known == name);
        let duplicates = self.duplicates.as_ref().and_then(rule);
        SettingsChange {
            description: self.description.clone(),
            recency_days: self.recency_days,
            quota_bytes: self.quota,
            retention_days: self.retention_days,
            retention_grace_days: self.retention_grace_days,
            active_days: self.active_days,
            recent_days: self.recent_days,
            model,
            reranker: self.reranker.clone(),
            record_access: self.record_access.map(Switch::is_on),
            query_wait_ms: self.query_wait,
            batch_from: self.batch_from,
            kinds: self.kinds.as_ref().map(|Kinds(kinds)| kinds.clone()),
            duplicates: duplicates.map(|(_, rule)| (*rule).into()),
            similarity: self.similarity,
            quality: self.quality,
            daily_dollars: self.daily_dollars,
            monthly_dollars: self.monthly_dollars,
            daily_tokens: self.daily_tokens,
            monthly_tokens: self.monthly_tokens,
            recompute_importance: self.recompute_importance.map(Switch::is_on),
            recompute_links: self.recompute_links.map(Switch::is_on),
            half_life_days: self.half_life,
            link_half_life_days: self.link_half_life,
            link_floor: self.link_floor,
            confirm: false,
        }
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
fn forget_outdated(space: &Reached, output: &Output) -> Result<(), Failure> {
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
