//! `anamne spaces set`.

use anamne::{Space, SpaceConfig};
use serde_json::json;

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

With --json: {\"name\", \"description\", \"recency_days\", \"quota_bytes\",
  \"retention_days\", \"retention_grace_days\", \"active_days\", \"recent_days\",
  \"model\", \"reranker\": or null, \"record_access\"}; 0 stands for none")]
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
    /// The embedding model: builtin, or one that `anamne model list` shows. The former model answers until all memories are embedded
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A model that scores the first twenty results again: a reranker that `anamne model list` shows, or none. Takes some milliseconds to a second per result
    #[arg(long, value_name = "NAME")]
    reranker: Option<String>,
    /// Whether the log records who opened which memory by its id (`anamne audit --kind accessed`); costs a write each
    #[arg(long, value_enum, value_name = "on|off")]
    record_access: Option<Switch>,
    /// Confirm a retention that forgets memories now
    #[arg(long)]
    yes: bool,
}

/// On or off.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Set {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.existing_space()?;
        self.check_retention(&space)?;
        let asks_for_something = self.description.is_some()
            || self.recency_days.is_some()
            || self.quota.is_some()
            || self.retention_days.is_some()
            || self.retention_grace_days.is_some()
            || self.active_days.is_some()
            || self.recent_days.is_some()
            || self.model.is_some()
            || self.reranker.is_some()
            || self.record_access.is_some();
        if asks_for_something {
            space.configure(|config| self.apply(config))?;
        }
        if self.yes && self.retention_days.is_some_and(|days| days > 0) {
            forget_outdated(&space, output)?;
        }
        print(&space.config(), output)?;
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

    fn apply(&self, config: &mut SpaceConfig) {
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
        if let Some(model) = &self.model {
            config.embedding.model.clone_from(model);
        }
        if let Some(reranker) = &self.reranker {
            let is_none = reranker.trim().eq_ignore_ascii_case("none");
            config.recall.reranker = (!is_none).then(|| reranker.clone());
        }
        if let Some(switch) = self.record_access {
            config.meta.record_access = matches!(switch, Switch::On);
        }
    }
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

fn print(config: &SpaceConfig, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&json!({
            "name": config.name,
            "description": config.description,
            "recency_days": config.recall.recency_days,
            "quota_bytes": config.quota.bytes,
            "retention_days": config.retention.days,
            "retention_grace_days": config.retention.grace_days,
            "active_days": config.tiers.active_days,
            "recent_days": config.tiers.recent_days,
            "model": config.embedding.model,
            "reranker": config.recall.reranker,
            "record_access": config.meta.record_access,
        }));
    }
    let or_none = |number: u64, unit: &str| match number {
        0 => "none".to_owned(),
        number => format!("{} {unit}", crate::wording::number(number)),
    };
    output.line(format_args!("name          {}", config.name))?;
    output.line(format_args!(
        "description   {}",
        crate::wording::one_line(&config.description)
    ))?;
    output.line(format_args!(
        "recency       {} days",
        config.recall.recency_days
    ))?;
    output.line(format_args!(
        "quota         {}",
        or_none(config.quota.bytes, "bytes")
    ))?;
    output.line(format_args!(
        "retention     {}",
        or_none(config.retention.days.into(), "days")
    ))?;
    if config.retention.days > 0 {
        let grace = config.retention.grace_days;
        output.line(format_args!("grace period  {grace} days of use"))?;
    }
    output.line(format_args!(
        "tiers         active up to {} days, recent up to {} days",
        config.tiers.active_days, config.tiers.recent_days
    ))?;
    output.line(format_args!(
        "model         {}",
        crate::wording::one_line(&config.embedding.model)
    ))?;
    let reranker = config.recall.reranker.as_deref().unwrap_or("none");
    output.line(format_args!(
        "reranker      {}",
        crate::wording::one_line(reranker)
    ))?;
    if config.meta.record_access {
        output.line("access        recorded in the log")?;
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
