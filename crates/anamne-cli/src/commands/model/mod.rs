//! `anamne model`.

mod embeddings;
mod import;
pub(super) mod key;
mod list;
mod remove;
mod set;
mod show;
mod trust;
mod verify;

use std::path::{Path, PathBuf};

use anamne::llm::{Approval, Approvals, BridgeConfig, BridgeError, Call, MODEL_FILE, tasks};
use anamne::{Clock, SystemClock};
use serde_json::json;

use crate::bridge;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

pub(crate) use verify::VerifiedModels;

/// Configure the optional language model, and manage embedding models and rerankers
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A model is optional: without one, extraction works by rules. With one, it also
reads memories and judges contradictions, in the background, when idle, and
within the budgets. Memories are sent to it as quoted data. A running `anamne
mcp` applies a change after a restart.

The settings are in model.toml in the store. They take effect once approved on
this machine: `set` approves what it writes; settings of a copied store, or
changed by another program, wait for `trust`.

The key comes from the provider's environment variable (ANTHROPIC_API_KEY,
OPENAI_API_KEY, GEMINI_API_KEY, or --key-env), else from the system keychain,
else from the file that `anamne model key --file` writes. A stored key is
bound to one provider, host and port.

Embedding models and rerankers need no language model. The built-in embedding
model is the default, without a reranker; list, verify, remove and import manage
others on this machine, and embeddings the APIs that spaces may use instead.

Examples:
  anamne model
  anamne model set --provider anthropic --model claude-haiku-4-5 --daily-dollars 0.50
  anamne model set --provider openai --url http://localhost:11434/v1 --model qwen3
  anamne model key < key.txt
  anamne model trust
  anamne model test
  anamne model off
  anamne model import ~/Downloads/harbour
  anamne model list
  anamne model embeddings openai

With --json: {\"enabled\", \"provider\", \"model\", \"url\", \"key\": where it is found or null,
  \"approved\", \"problem\": why it is not used, or null, \"budgets\": {..}};
  test: {\"model\", \"keeps_to_form\"}; key: {\"kept_for\", \"kept_in\"}")]
pub(crate) struct Model {
    #[command(subcommand)]
    change: Option<Change>,
}

#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Set the provider, model, address and budgets
    Set(set::Set),
    /// Store the API key in the keychain, or in a private file
    Key(key::KeepKey),
    /// Approve the model settings of a store that came from elsewhere
    Trust(trust::Trust),
    /// Send the model a short test question
    Test,
    /// Disable the language model; keep its settings
    Off,
    /// Show, add or remove sources of embeddings
    Embeddings(embeddings::Embeddings),
    #[command(flatten)]
    Embedding(Embedding),
}

#[derive(Debug, clap::Subcommand)]
enum Embedding {
    /// List the embedding models and rerankers that spaces can choose
    List(list::List),
    /// Compare the files of embedding models and rerankers with their manifests
    Verify(verify::Verify),
    /// Remove an embedding model or a reranker from the store
    Remove(remove::Remove),
    /// Copy an embedding model or a reranker into the store
    Import(import::Import),
}

/// A store's settings, and the approvals of this machine.
struct Setup {
    root: PathBuf,
    file: PathBuf,
    approvals: Approvals,
}

impl Setup {
    fn of(place: &Place) -> Result<Self, Failure> {
        let root = place.root()?;
        Ok(Self {
            file: root.join(MODEL_FILE),
            approvals: bridge::approvals()?,
            root,
        })
    }

    /// The settings; disabled if there are none.
    fn load(&self) -> Result<BridgeConfig, Failure> {
        Ok(BridgeConfig::load(&self.file)?)
    }

    /// The settings, which must exist.
    fn existing(&self) -> Result<BridgeConfig, Failure> {
        if std::fs::symlink_metadata(&self.file).is_err() {
            return Err(Failure::no_model());
        }
        self.load()
    }

    /// The existing settings, if they are approved. Otherwise foreign settings would be approved unseen. Unusable ones
    /// count as none if they are replaced, `from_scratch`.
    fn approved(&self, from_scratch: bool) -> Result<BridgeConfig, Failure> {
        if std::fs::symlink_metadata(&self.file).is_err() {
            return Ok(BridgeConfig::default());
        }
        match BridgeConfig::load(&self.file) {
            Err(BridgeError::Config { .. }) if from_scratch => Ok(BridgeConfig::default()),
            Err(error) => Err(error.into()),
            Ok(config) => match self.approval(&config)? {
                Approval::Given => Ok(config),
                missing => Err(Failure::failed(format!(
                    "{} is not approved on this machine: {}",
                    self.file.display(),
                    missing.reason()
                ))
                .hint("review and approve it with `anamne model trust`, or delete the file")),
            },
        }
    }

    fn approval(&self, config: &BridgeConfig) -> Result<Approval, Failure> {
        Ok(self.approvals.of_store(&self.root, config)?)
    }

    fn approve(&mut self, config: &BridgeConfig) -> Result<(), Failure> {
        let now = SystemClock.now();
        Ok(self.approvals.approve(&self.root, config, now)?)
    }

    /// Writes the settings, and reads them back as their users do. Creates the store first, with its owner-only folder.
    fn save(&self, place: &Place, config: &BridgeConfig) -> Result<(), Failure> {
        config.check()?;
        place.store()?;
        config.save(&self.file)?;
        self.load().map(drop)
    }
}

impl Model {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        // The approvals of this machine are only for language models.
        let setup = || Setup::of(place);
        match self.change {
            None => {
                let setup = setup()?;
                let config = setup.load()?;
                show::show(&setup, &config, output)
            }
            Some(Change::Set(set)) => set.run(place, &mut setup()?, output),
            Some(Change::Key(keep)) => keep.run(place, &setup()?, output),
            Some(Change::Trust(trust)) => trust.run(&mut setup()?, output),
            Some(Change::Off) => switch_off(place, &mut setup()?, output),
            Some(Change::Test) => test(&setup()?.root, output),
            Some(Change::Embeddings(change)) => change.run(place, &mut setup()?, output),
            Some(Change::Embedding(embedding)) => embedding.run(place, output),
        }
    }
}

impl Embedding {
    fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::List(_) => list::List::run(place, output),
            Self::Verify(verify) => verify.run(place, output),
            Self::Remove(remove) => remove.run(place, output),
            Self::Import(import) => import.run(place, output),
        }
    }
}

fn switch_off(place: &Place, setup: &mut Setup, output: &mut Output) -> Result<(), Failure> {
    let mut config = setup.load()?;
    let approved = setup.approval(&config)? == Approval::Given;
    config.enabled = false;
    setup.save(place, &config)?;
    if approved {
        // Only a new approval can enable it again.
        setup.approve(&config)?;
    }
    show::show(setup, &config, output)
}

fn test(root: &Path, output: &mut Output) -> Result<(), Failure> {
    let Some(bridge) = bridge::of_store(root)? else {
        return Err(Failure::no_model());
    };
    let probe = tasks::probe(&bridge, &Call::of(""))?;
    if output.is_json() {
        return output.json(&json!({ "model": probe.model, "keeps_to_form": probe.keeps_to_form }));
    }
    output.line(format_args!("{} answers", probe.model))?;
    if !probe.keeps_to_form {
        output.warn("but not in the requested format; most of its output would be rejected");
    }
    Ok(())
}
