//! `anamne model trust`.

use std::io::IsTerminal;

use anamne::llm::{Approval, BridgeConfig, KEY_FILE, bind_key_file};

use super::embeddings::any_model;
use super::{Setup, show};
use crate::failure::Failure;
use crate::output::{Output, is_confirmed};

/// Approve the model settings of a store that came from elsewhere
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A copied store may contain someone else's model.toml, and another program may
have changed yours. Until you approve it, nothing is sent to its host and no
key is read. This command shows host, key source, model and budgets, and asks.

Approvals are kept per user and machine, outside the store. A store moved
within its disk stays approved; a copy needs a new approval.

Examples:
  anamne model trust
  anamne --store restored model trust --yes")]
pub(super) struct Trust {
    /// Approve without asking
    #[arg(long, short)]
    yes: bool,
}

impl Trust {
    pub(super) fn run(self, setup: &mut Setup, output: &mut Output) -> Result<(), Failure> {
        let config = setup.existing()?;
        let file = setup.root.join(KEY_FILE);
        if setup.approval(&config)? != Approval::Given {
            setup.approvals.require_variable(&config)?;
            if !self.yes && !is_agreed(setup, &config, output)? {
                output.note("not approved");
                return Ok(());
            }
            setup.approve(&config)?;
        }
        // Earlier versions did not record the host of a key: it was the one in these settings.
        bind_key_file(&file, &config.key_account()?)?;
        show::show(setup, &config, output)
    }
}

/// Where texts are sent: to the language model, and to sources of embeddings.
fn destinations(config: &BridgeConfig) -> Result<String, Failure> {
    let mut origins = std::collections::BTreeSet::new();
    if config.enabled {
        origins.insert(config.origin()?);
    }
    for source in config.embeddings.keys() {
        origins.insert(config.for_embeddings(&any_model(source)?)?.origin()?);
    }
    Ok(origins.into_iter().collect::<Vec<_>>().join(" and "))
}

/// Shows the settings to approve, and asks for confirmation.
fn is_agreed(setup: &Setup, config: &BridgeConfig, output: &mut Output) -> Result<bool, Failure> {
    if output.is_json() || !std::io::stdin().is_terminal() {
        return Err(
            Failure::refused("yes", "approving a model without a terminal needs --yes")
                .hint("see the settings with `anamne model`; approve them with --yes"),
        );
    }
    show::settings(config, &show::key_description(config), output)?;
    output.flush()?;
    is_confirmed(format_args!(
        "{}\nMemories of this store will be sent to {}, with the API key of each. Approve? [y/N]",
        setup.approval(config)?.reason(),
        destinations(config)?
    ))
}
