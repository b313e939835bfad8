//! Shows the settings of a space.

use anamne::Duplicates;
use anamne_server::rest::SpaceSettings;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::Output;
use crate::wording::{number, one_line};

/// The settings as JSON.
pub(super) fn as_json(settings: &SpaceSettings) -> Value {
    json!({
        "name": settings.name,
        "description": settings.description,
        "recency_days": settings.recency_days,
        "quota_bytes": settings.quota_bytes,
        "retention_days": settings.retention_days,
        "retention_grace_days": settings.retention_grace_days,
        "active_days": settings.active_days,
        "recent_days": settings.recent_days,
        "model": settings.model,
        "reranker": settings.reranker,
        "record_access": settings.record_access,
        "query_wait_ms": settings.query_wait_ms,
        "batch_from": settings.batch_from,
        "kinds": settings.kinds,
        "duplicates": settings.duplicates,
        "similarity": round(settings.similarity),
        "quality": round(settings.quality),
        "recompute": {
            "importance": settings.recompute_importance,
            "links": settings.recompute_links,
            "half_life_days": round(settings.half_life_days),
            "link_half_life_days": round(settings.link_half_life_days),
            "link_floor": round(settings.link_floor),
        },
        "budgets": {
            "daily_dollars": settings.daily_dollars,
            "monthly_dollars": settings.monthly_dollars,
            "daily_tokens": settings.daily_tokens,
            "monthly_tokens": settings.monthly_tokens,
        },
    })
}

/// The number as it was typed: three digits are enough.
fn round(number: f32) -> f64 {
    (f64::from(number) * 1_000.0).round() / 1_000.0
}

/// Prints the settings.
pub(super) fn print(settings: &SpaceSettings, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&as_json(settings));
    }
    let or_none = |amount: u64, unit: &str| match amount {
        0 => "none".to_owned(),
        amount => format!("{} {unit}", number(amount)),
    };
    let mut line = |name: &str, value: String| output.line(format_args!("{name:<13} {value}"));
    line("name", settings.name.clone())?;
    let description = match settings.description.as_str() {
        "" => "none".to_owned(),
        description => one_line(description),
    };
    line("description", description)?;
    line("recency", format!("{} days", settings.recency_days))?;
    line("quota", or_none(settings.quota_bytes, "bytes"))?;
    line("retention", or_none(settings.retention_days.into(), "days"))?;
    if settings.retention_days > 0 {
        let grace = settings.retention_grace_days;
        line("grace period", format!("{grace} days of use"))?;
    }
    let (active, recent) = (settings.active_days, settings.recent_days);
    line(
        "tiers",
        format!("active up to {active} days, recent up to {recent} days"),
    )?;
    line("model", one_line(&settings.model))?;
    let reranker = settings.reranker.as_deref().unwrap_or("none");
    line("reranker", one_line(reranker))?;
    if settings.record_access {
        line("access", "recorded in the log".into())?;
    }
    if settings.model.contains(':') {
        let wait = settings.query_wait_ms;
        line("query wait", or_none(wait.into(), "ms"))?;
        let from = settings.batch_from;
        line("batches from", or_none(from.into(), "texts"))?;
    }
    line("recompute", recomputed(settings))?;
    line("accepts", accepted(settings))?;
    line("budgets", budgets(settings))
}

/// What is recomputed, as text.
fn recomputed(settings: &SpaceSettings) -> String {
    let importance = if settings.recompute_importance {
        format!("importance, half-life {} days", settings.half_life_days)
    } else {
        "importance as told".to_owned()
    };
    let links = if settings.recompute_links {
        format!(
            "links, half-life {} days, at least {} of what was told",
            settings.link_half_life_days, settings.link_floor
        )
    } else {
        "links as told".to_owned()
    };
    format!("{importance}; {links}")
}

/// What the space accepts, as text.
fn accepted(settings: &SpaceSettings) -> String {
    let kinds: Vec<_> = settings.kinds.iter().map(|kind| kind.as_str()).collect();
    let kinds = match kinds.as_slice() {
        [] => "all kinds".to_owned(),
        kinds => kinds.join(", "),
    };
    let duplicates = match settings.duplicates.into() {
        Duplicates::Semantic => format!("semantic from {}", settings.similarity),
        rule => rule.as_str().to_owned(),
    };
    let quality = match settings.quality {
        0.0 => "any quality".to_owned(),
        quality => format!("quality from {quality}"),
    };
    format!("{kinds}; {quality}; duplicates: {duplicates}")
}

/// What the space may spend, as text.
fn budgets(settings: &SpaceSettings) -> String {
    let dollars = [
        ("a day", settings.daily_dollars),
        ("a month", settings.monthly_dollars),
    ];
    let tokens = [
        ("a day", settings.daily_tokens),
        ("a month", settings.monthly_tokens),
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
