//! `anamne model`.

use std::io::Read;
use std::path::Path;

use anamne::bridge::{
    BridgeConfig, Call, KEY_FILE, Key, MODEL_FILE, Provider, tasks, write_key_file,
};
use clap::ValueEnum;
use serde_json::json;

use crate::bridge;
use crate::failure::Failure;
use crate::output::{DIM, Output};
use crate::place::Place;

/// Whose API is spoken.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Api {
    /// Anthropic's Messages API
    Anthropic,
    /// OpenAI's, which Ollama, vLLM and LM Studio speak too
    Openai,
    /// Google's Gemini API
    Gemini,
}

impl Api {
    fn provider(self) -> Provider {
        match self {
            Self::Anthropic => Provider::Anthropic,
            Self::Openai => Provider::Openai,
            Self::Gemini => Provider::Gemini,
        }
    }
}

/// Show, set up, test or switch off the language model that the background may ask
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Nothing needs a model: without one, names, statements and contradictions are read by
rules. With one, the background has it read what was told and judge what seems to
contradict itself, while nobody asks and within the budgets, which stop the spending.
What people said is sent to it as quoted data. A running `anamne mcp` takes a change
over when it is started again.

The key is looked for in the provider's variable of the environment (ANTHROPIC_API_KEY,
OPENAI_API_KEY, GEMINI_API_KEY, or the one named by --key-env), then in the system's
keychain, then in the file that `anamne model key` writes.

Examples:
  anamne model
  anamne model set --provider anthropic --model claude-haiku-4-5 --daily-dollars 0.50
  anamne model set --provider openai --url http://localhost:11434/v1 --model qwen3
  anamne model key < key.txt
  anamne model test
  anamne model off

With --json: {\"enabled\", \"provider\", \"model\", \"url\", \"key\": where it is found or null,
  \"budgets\": {..}}; test: {\"model\", \"keeps_to_form\"}")]
pub(crate) struct Model {
    #[command(subcommand)]
    change: Option<Change>,
}

#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Say which model may be asked, where, and what it may cost
    Set(Set),
    /// Keep the provider's key, read from standard input, in a file that only its owner reads
    Key,
    /// Ask the model a question of a few words
    Test,
    /// Have no model asked any more; the settings stay
    Off,
}

/// What can be set; what is not said stays as it is.
#[derive(Debug, clap::Args)]
struct Set {
    /// Whose API is spoken
    #[arg(long, value_enum)]
    provider: Option<Api>,
    /// The model, by the provider's name for it
    #[arg(long)]
    model: Option<String>,
    /// Where the API is, if not at the provider's own address; https, or this machine
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The variable of the environment that holds the key
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// US dollars that may be spent in a day, 0 for no limit
    #[arg(long, value_name = "DOLLARS")]
    daily_dollars: Option<f64>,
    /// US dollars that may be spent in a month, 0 for no limit
    #[arg(long, value_name = "DOLLARS")]
    monthly_dollars: Option<f64>,
    /// Tokens that may be read and written in a day, 0 for no limit
    #[arg(long, value_name = "N")]
    daily_tokens: Option<u64>,
    /// Tokens that may be read and written in a month, 0 for no limit
    #[arg(long, value_name = "N")]
    monthly_tokens: Option<u64>,
}

impl Set {
    fn apply(self, config: &mut BridgeConfig) {
        if let Some(provider) = self.provider {
            // Another provider's address and key would be wrong ones.
            (config.base_url, config.key_env) = (None, None);
            config.provider = provider.provider();
        }
        config.enabled = true;
        config.model = self.model.unwrap_or(std::mem::take(&mut config.model));
        config.base_url = self.url.or(config.base_url.take());
        config.key_env = self.key_env.or(config.key_env.take());
        let budgets = &mut config.budgets;
        budgets.daily_dollars = self.daily_dollars.unwrap_or(budgets.daily_dollars);
        budgets.monthly_dollars = self.monthly_dollars.unwrap_or(budgets.monthly_dollars);
        budgets.daily_tokens = self.daily_tokens.unwrap_or(budgets.daily_tokens);
        budgets.monthly_tokens = self.monthly_tokens.unwrap_or(budgets.monthly_tokens);
    }
}

impl Model {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let root = place.root()?;
        let path = root.join(MODEL_FILE);
        let mut config = BridgeConfig::load(&path)?;
        match self.change {
            None => show(&root, &config, output),
            Some(Change::Set(set)) => {
                set.apply(&mut config);
                save(place, &path, &config)?;
                show(&root, &config, output)
            }
            Some(Change::Off) => {
                config.enabled = false;
                save(place, &path, &config)?;
                show(&root, &config, output)
            }
            Some(Change::Key) => keep_key(place, &root, output),
            Some(Change::Test) => test(&root, output),
        }
    }
}

/// Writes the settings. The store is made first, with its owner-only folder.
fn save(place: &Place, path: &Path, config: &BridgeConfig) -> Result<(), Failure> {
    config.check()?;
    place.store()?;
    Ok(config.save(path)?)
}

fn show(root: &Path, config: &BridgeConfig, output: &mut Output) -> Result<(), Failure> {
    let key = bridge::key_origin(root, config);
    let url = config.base_url.as_deref();
    if output.is_json() {
        return output.json(&json!({
            "enabled": config.enabled,
            "provider": config.provider,
            "model": config.model,
            "url": url.unwrap_or(config.provider.usual_url()),
            "key": key.ok().flatten(),
            "budgets": config.budgets,
        }));
    }
    if !config.enabled {
        output.line("no model is asked; everything is read by rules")?;
        output.flush()?;
        output.note("`anamne model set --provider … --model …` sets one up");
        return Ok(());
    }
    let url = url.unwrap_or(config.provider.usual_url());
    let key = match key {
        Ok(Some(origin)) => format!("in {origin}"),
        Ok(None) => "none, and none is needed".to_owned(),
        Err(error) => error.to_string(),
    };
    let dollars = |amount: f64| match amount {
        0.0 => "no limit".to_owned(),
        amount => format!("${amount:.2}"),
    };
    let tokens = |amount: u64| match amount {
        0 => "no limit".to_owned(),
        amount => format!("{amount} tokens"),
    };
    let budgets = &config.budgets;
    output.entry(
        DIM,
        "model   ",
        &format!("{} ({})", config.model, config.provider.as_str()),
    )?;
    output.entry(DIM, "at      ", url)?;
    output.entry(DIM, "key     ", &key)?;
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
    output.entry(DIM, "a month ", &month)?;
    if config.price_of(&config.model).is_none() && !config.is_on_this_machine() {
        output.flush()?;
        output.warn("its price is not known, so that only budgets in tokens bound it; prices can be given in model.toml");
    }
    Ok(())
}

fn keep_key(place: &Place, root: &Path, output: &mut Output) -> Result<(), Failure> {
    let mut key = String::new();
    std::io::stdin()
        .lock()
        .take(64 << 10)
        .read_to_string(&mut key)?;
    place.store()?;
    let path = root.join(KEY_FILE);
    write_key_file(&path, &Key::new(&key, "standard input")?)?;
    output.note(format_args!("the key is kept in {}", path.display()));
    Ok(())
}

fn test(root: &Path, output: &mut Output) -> Result<(), Failure> {
    let Some(bridge) = bridge::of_store(root)? else {
        return Err(Failure::not_found("no model is set up".to_owned())
            .hint("set one up by `anamne model set --provider … --model …`".to_owned()));
    };
    let probe = tasks::probe(&bridge, &Call::of(""))?;
    if output.is_json() {
        return output.json(&json!({ "model": probe.model, "keeps_to_form": probe.keeps_to_form }));
    }
    output.line(format_args!("{} answers", probe.model))?;
    if !probe.keeps_to_form {
        output.warn(
            "but not in the form that it was asked for; most of its work will be thrown away",
        );
    }
    Ok(())
}
