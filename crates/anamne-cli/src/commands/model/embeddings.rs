//! `anamne model embeddings`.

use anamne::llm::{BridgeConfig, EmbeddingName, EmbeddingSource};
use serde_json::json;

use super::set::Api;
use super::{Setup, show};
use crate::failure::Failure;
use crate::output::{DIM, Output};
use crate::place::Place;

/// Show, add or remove sources of embeddings
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A source is an API that embeds texts. A space uses a model of it by the name
SOURCE:MODEL; set one with `anamne spaces set --model`. Texts are sent when they
are embedded, in batches, within the budgets, and once each: vectors are cached.
Private memories are never sent to another machine. A query waits for its vector
for a bounded time, else it is answered by words.

A source called openai or gemini needs no more than its name. The key comes from
the same places as that of the language model; store one with
`anamne model key --for SOURCE`.

Examples:
  anamne model embeddings
  anamne model embeddings openai
  anamne model embeddings local --provider openai --url http://localhost:11434/v1
  anamne model embeddings local --remove
  anamne spaces set --model openai:text-embedding-3-small

With --json: {\"embeddings\": {source: {\"provider\", \"url\", \"key\": where it is looked
  for, \"on_this_machine\"}}}")]
pub(super) struct Embeddings {
    /// The source: lower-case letters, digits and dashes
    source: Option<String>,
    /// The form of its API; not anthropic
    #[arg(long, value_enum, requires = "source")]
    provider: Option<Api>,
    /// Base URL if not the provider's own; https, or this machine
    #[arg(long, value_name = "URL", requires = "source")]
    url: Option<String>,
    /// The environment variable with the key for this host
    #[arg(long, value_name = "NAME", requires = "source")]
    key_env: Option<String>,
    /// Remove the source; spaces that use it fall back to the built-in model
    #[arg(long, requires = "source", conflicts_with_all = ["provider", "url", "key_env"])]
    remove: bool,
}

impl Embeddings {
    pub(super) fn run(
        self,
        place: &Place,
        setup: &mut Setup,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let Some(source) = self.source.clone() else {
            return print(&setup.load()?, output);
        };
        let mut config = setup.approved(false)?;
        if self.remove {
            if config.embeddings.remove(&source).is_none() {
                return Err(Failure::not_found(format!(
                    "no source of embeddings is called {}",
                    crate::wording::named(&source)
                )));
            }
        } else {
            let entry = self.entry(&source, config.embeddings.get(&source))?;
            config.embeddings.insert(source.clone(), entry);
        }
        setup.save(place, &config)?;
        if let Some(variable) = self.key_env.as_deref() {
            let settings = config.for_embeddings(&any_model(&source)?)?;
            setup.approvals.allow_variable(variable, &settings)?;
        }
        setup.approve(&config)?;
        print(&config, output)
    }

    /// The source with these changes.
    fn entry(
        &self,
        source: &str,
        known: Option<&EmbeddingSource>,
    ) -> Result<EmbeddingSource, Failure> {
        let named = match source {
            "openai" => Some(Api::Openai),
            "gemini" => Some(Api::Gemini),
            _ => None,
        };
        let provider = self.provider.map(Api::provider);
        let before = known.filter(|known| provider.is_none_or(|given| given == known.provider));
        let provider = provider
            .or_else(|| before.map(|known| known.provider))
            .or_else(|| named.map(Api::provider));
        let Some(provider) = provider else {
            return Err(Failure::refused(
                "provider",
                "a source with a name of its own needs --provider openai or gemini",
            ));
        };
        let kept = before.and_then(|known| known.base_url.clone());
        let is_other_host = self.url.is_some() && self.url != kept;
        // A key is for one host; another host needs its own.
        let variable = before.filter(|_| !is_other_host);
        Ok(EmbeddingSource {
            provider,
            key_env: (self.key_env.clone())
                .or_else(|| variable.and_then(|known| known.key_env.clone())),
            base_url: self.url.clone().or(kept),
        })
    }
}

/// Some model of a source: its settings are those of all of them.
pub(super) fn any_model(source: &str) -> Result<EmbeddingName, Failure> {
    Ok(format!("{source}:any").parse::<EmbeddingName>()?)
}

fn print(config: &BridgeConfig, output: &mut Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for source in config.embeddings.keys() {
        rows.push((source, config.for_embeddings(&any_model(source)?)?));
    }
    if output.is_json() {
        let entry = |(source, settings): &(&String, BridgeConfig)| {
            let value = json!({
                "provider": settings.provider,
                "url": show::url(settings),
                "key": show::key_description(settings),
                "on_this_machine": settings.is_on_this_machine(),
            });
            ((*source).clone(), value)
        };
        let rows: serde_json::Map<_, _> = rows.iter().map(entry).collect();
        return output.json(&json!({ "embeddings": rows }));
    }
    if rows.is_empty() {
        output.line("no source of embeddings; spaces use models on this machine")?;
        output.flush()?;
        output.note("add one with `anamne model embeddings openai`");
    }
    for (source, settings) in &rows {
        let provider = settings.provider.as_str();
        output.entry(
            DIM,
            source,
            &format!("{provider} at {}", show::url(settings)),
        )?;
    }
    Ok(())
}
