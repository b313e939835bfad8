//! Shows the settings of a space.

use anamne::{RecomputeConfig, SpaceConfig};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::Output;
use crate::wording::{number, one_line};

/// The settings as JSON.
pub(super) fn as_json(config: &SpaceConfig) -> Value {
    json!({
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
        "query_wait_ms": config.embedding.query_wait_ms,
        "batch_from": config.embedding.batch_from,
        "kinds": config.intake.kinds,
        "duplicates": config.intake.duplicates,
        "similarity": round(config.intake.similarity),
        "quality": round(config.intake.quality),
        "recompute": {
            "importance": config.recompute.importance,
            "links": config.recompute.links,
            "half_life_days": round(config.recompute.half_life_days),
            "link_half_life_days": round(config.recompute.link_half_life_days),
            "link_floor": round(config.recompute.link_floor),
        },
        "budgets": config.budgets,
    })
}

/// The number as it was typed: three digits are enough.
fn round(number: f32) -> f64 {
    (f64::from(number) * 1_000.0).round() / 1_000.0
}

/// Prints the settings.
pub(super) fn print(config: &SpaceConfig, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&as_json(config));
    }
    let or_none = |amount: u64, unit: &str| match amount {
        0 => "none".to_owned(),
        amount => format!("{} {unit}", number(amount)),
    };
    let mut line = |name: &str, value: String| output.line(format_args!("{name:<13} {value}"));
    line("name", config.name.clone())?;
    line("description", one_line(&config.description))?;
    line("recency", format!("{} days", config.recall.recency_days))?;
    line("quota", or_none(config.quota.bytes, "bytes"))?;
    line("retention", or_none(config.retention.days.into(), "days"))?;
    if config.retention.days > 0 {
        let grace = config.retention.grace_days;
        line("grace period", format!("{grace} days of use"))?;
    }
    let tiers = &config.tiers;
    let (active, recent) = (tiers.active_days, tiers.recent_days);
    line(
        "tiers",
        format!("active up to {active} days, recent up to {recent} days"),
    )?;
    line("model", one_line(&config.embedding.model))?;
    let reranker = config.recall.reranker.as_deref().unwrap_or("none");
    line("reranker", one_line(reranker))?;
    if config.meta.record_access {
        line("access", "recorded in the log".into())?;
    }
    if config.embedding.model.contains(':') {
        let wait = config.embedding.query_wait_ms;
        line("query wait", or_none(wait.into(), "ms"))?;
        let from = config.embedding.batch_from;
        line("batches from", or_none(from.into(), "texts"))?;
    }
    line("recompute", recomputed(&config.recompute))?;
    line("accepts", accepted(config))?;
    line("budgets", budgets(config))
}

/// What is recomputed, as text.
fn recomputed(recompute: &RecomputeConfig) -> String {
    let importance = if recompute.importance {
        format!("importance, half-life {} days", recompute.half_life_days)
    } else {
        "importance as told".to_owned()
    };
    let links = if recompute.links {
        format!(
            "links, half-life {} days, at least {} of what was told",
            recompute.link_half_life_days, recompute.link_floor
        )
    } else {
        "links as told".to_owned()
    };
    format!("{importance}; {links}")
}

/// What the space accepts, as text.
fn accepted(config: &SpaceConfig) -> String {
    let intake = &config.intake;
    let kinds: Vec<_> = intake.kinds.iter().map(|kind| kind.as_str()).collect();
    let kinds = match kinds.as_slice() {
        [] => "all kinds".to_owned(),
        kinds => kinds.join(", "),
    };
    let duplicates = match intake.duplicates {
        anamne::Duplicates::Semantic => format!("semantic from {}", intake.similarity),
        rule => rule.as_str().to_owned(),
    };
    let quality = match intake.quality {
        0.0 => "any quality".to_owned(),
        quality => format!("quality from {quality}"),
    };
    format!("{kinds}; {quality}; duplicates: {duplicates}")
}

/// What the space may spend, as text.
fn budgets(config: &SpaceConfig) -> String {
    let budgets = &config.budgets;
    let dollars = [
        ("a day", budgets.daily_dollars),
        ("a month", budgets.monthly_dollars),
    ];
    let tokens = [
        ("a day", budgets.daily_tokens),
        ("a month", budgets.monthly_tokens),
    ];
    let dollars = dollars.iter().filter(|(_, amount)| *amount > 0.0);
    let dollars = dollars.map(|(time, amount)| format!("${amount:.2} {time}"));
    let tokens = tokens.iter().filter(|(_, amount)| *amount > 0);
    let tokens = tokens.map(|(time, amount)| format!("{} tokens {time}", number(*amount)));
    let limits: Vec<_> = dollars.chain(tokens).collect();
    match limits.as_slice() {
        [] => "those of the store".to_owned(),
        limits => limits.join(", "),
    }
}
