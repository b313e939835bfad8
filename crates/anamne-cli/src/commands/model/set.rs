//! `anamne model set`.

use anamne::llm::{BridgeConfig, BridgeError, Provider};
use clap::ValueEnum;

use super::{Setup, show};
use crate::bridge;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// The API.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Api {
    /// Anthropic's Messages API
    Anthropic,
    /// OpenAI's, also spoken by Ollama, vLLM and LM Studio
    Openai,
    /// Google's Gemini API
    Gemini,
}

impl Api {
    pub(super) fn provider(self) -> Provider {
        match self {
            Self::Anthropic => Provider::Anthropic,
            Self::Openai => Provider::Openai,
            Self::Gemini => Provider::Gemini,
        }
    }
}

/// What can be set; what is not said stays as it is.
#[derive(Debug, clap::Args)]
pub(super) struct Set {
    /// The API
    #[arg(long, value_enum)]
    provider: Option<Api>,
    /// The provider's model name
    #[arg(long)]
    model: Option<String>,
    /// Base URL if not the provider's own; https, or this machine
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The environment variable with the key for this host
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// Daily budget in US dollars; 0 for no limit
    #[arg(long, value_name = "DOLLARS")]
    daily_dollars: Option<f64>,
    /// Monthly budget in US dollars; 0 for no limit
    #[arg(long, value_name = "DOLLARS")]
    monthly_dollars: Option<f64>,
    /// Daily budget in tokens; 0 for no limit
    #[arg(long, value_name = "N")]
    daily_tokens: Option<u64>,
    /// Monthly budget in tokens; 0 for no limit
    #[arg(long, value_name = "N")]
    monthly_tokens: Option<u64>,
}

impl Set {
    pub(super) fn run(
        self,
        place: &Place,
        setup: &mut Setup,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let from_scratch = self.provider.is_some() && self.model.is_some();
        let before = setup.approved(from_scratch)?;
        let typed = self.key_env.clone();
        let mut config = before.clone();
        self.apply(&mut config)?;
        setup.save(place, &config)?;
        if let Some(variable) = &typed {
            setup.approvals.allow_variable(variable, &config)?;
        }
        setup.approve(&config)?;
        show::show(setup, &config, output)?;
        note_unused_key(setup, &before, &config, output)
    }

    fn apply(self, config: &mut BridgeConfig) -> Result<(), BridgeError> {
        if let Some(provider) = self.provider {
            // The address and key of the former provider don't apply.
            (config.base_url, config.key_env) = (None, None);
            config.provider = provider.provider();
        }
        if let Some(url) = self.url {
            let before = config.origin()?;
            config.base_url = Some(url);
            if config.origin()? != before {
                // A key is for one host; another host needs its own.
                config.key_env = None;
            }
        }
        config.enabled = true;
        config.model = self.model.unwrap_or(std::mem::take(&mut config.model));
        config.key_env = self.key_env.or(config.key_env.take());
        let budgets = &mut config.budgets;
        budgets.daily_dollars = self.daily_dollars.unwrap_or(budgets.daily_dollars);
        budgets.monthly_dollars = self.monthly_dollars.unwrap_or(budgets.monthly_dollars);
        budgets.daily_tokens = self.daily_tokens.unwrap_or(budgets.daily_tokens);
        budgets.monthly_tokens = self.monthly_tokens.unwrap_or(budgets.monthly_tokens);
        Ok(())
    }
}

/// Notes that the key for the former host is not used for the new one.
fn note_unused_key(
    setup: &Setup,
    before: &BridgeConfig,
    config: &BridgeConfig,
    output: &mut Output,
) -> Result<(), Failure> {
    let (former, account) = (before.key_account()?, config.key_account()?);
    let had_key =
        || bridge::key_origin(&setup.root, before, &setup.approvals).is_ok_and(|key| key.is_some());
    if before.enabled && former != account && had_key() {
        output.flush()?;
        output.note(format_args!(
            "the key for {former} is not sent to {account}; store one with `anamne model key`, or use --key-env"
        ));
    }
    Ok(())
}
