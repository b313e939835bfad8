//! `anamne model`: shows the settings, and whether they are in use.

use anamne::llm::{Approval, BridgeConfig};
use serde_json::json;

use super::Setup;
use crate::bridge;
use crate::failure::Failure;
use crate::next_step;
use crate::output::{DIM, Output, YELLOW};

pub(super) fn show(
    setup: &Setup,
    config: &BridgeConfig,
    output: &mut Output,
) -> Result<(), Failure> {
    let approval = setup.approval(config)?;
    let approved = approval == Approval::Given;
    // No key is looked up before approval.
    let key = if approved && config.enabled {
        bridge::key_origin(&setup.root, config, &setup.approvals)
    } else {
        Ok(None)
    };
    let key = key.map_err(|error| next_step::on_one_line(&error, error.next_step()));
    let problem = match &approval {
        _ if !config.enabled && config.embeddings.is_empty() => None,
        Approval::Given if !config.enabled => None,
        Approval::Given => key.as_ref().err().cloned(),
        missing => Some(missing.reason()),
    };
    if output.is_json() {
        return output.json(&json!({
            "enabled": config.enabled,
            "provider": config.provider,
            "model": config.model,
            "url": url(config),
            "key": key.ok().flatten(),
            "approved": approved,
            "problem": problem,
            "embeddings": config.embeddings,
            "budgets": config.budgets,
        }));
    }
    if !config.enabled {
        output.line("no model configured; extraction works by rules")?;
        output.flush()?;
        output.note("configure one with `anamne model set --provider … --model …`");
        if config.embeddings.is_empty() {
            return Ok(());
        }
    }
    let key = match key {
        _ if !approved => key_description(config),
        Ok(Some(origin)) => format!("in {origin}"),
        Ok(None) => "none; needed only if the host requires one".to_owned(),
        Err(problem) => problem,
    };
    settings(config, &key, output)?;
    if !approved {
        let reason = format!(
            "{}; approve it with `anamne model trust`",
            approval.reason()
        );
        output.entry(YELLOW, "not used", &reason)?;
    }
    if config.enabled && config.price_of(&config.model).is_none() && !config.is_on_this_machine() {
        output.flush()?;
        output.warn("unknown price: only token budgets apply; prices can be set in model.toml");
    }
    Ok(())
}

/// The settings, as lines.
pub(super) fn settings(
    config: &BridgeConfig,
    key: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let dollars = |amount: f64| match amount {
        0.0 => "any cost".to_owned(),
        amount => format!("${amount:.2}"),
    };
    let tokens = |amount: u64| match amount {
        0 => "any number of tokens".to_owned(),
        amount => format!("{amount} tokens"),
    };
    let budgets = &config.budgets;
    if config.enabled {
        let provider = config.provider.as_str();
        let model = format!("{} ({provider})", config.model);
        output.entry(DIM, "model   ", &model)?;
        output.entry(DIM, "at      ", url(config))?;
        output.entry(DIM, "key     ", key)?;
    }
    for (name, source) in &config.embeddings {
        let usual = source.provider.usual_url();
        let address = source.base_url.as_deref().unwrap_or(usual);
        let source = format!("{name} ({}) at {address}", source.provider.as_str());
        output.entry(DIM, "vectors ", &source)?;
    }
    let day = format!(
        "{}, {}",
        dollars(budgets.daily_dollars),
        tokens(budgets.daily_tokens)
    );
    output.entry(DIM, "a day   ", &day)?;
    let month = format!(
        "{}, {}",
        dollars(budgets.monthly_dollars),
        tokens(budgets.monthly_tokens)
    );
    output.entry(DIM, "a month ", &month)
}

/// Where a key will be looked up; doesn't look it up.
pub(super) fn key_description(config: &BridgeConfig) -> String {
    let kept = "the keychain or model.key";
    match config.key_variable() {
        Some(variable) => format!("from the variable {variable}, else {kept}"),
        None => format!("from {kept}"),
    }
}

pub(super) fn url(config: &BridgeConfig) -> &str {
    let usual = config.provider.usual_url();
    config.base_url.as_deref().unwrap_or(usual)
}
