//! `anamne model key`.

use std::io::{IsTerminal, Read};

use anamne::llm::{KEY_FILE, KEYCHAIN_SERVICE, Key, embedding_key_file, write_key_file};
use serde_json::json;

use super::Setup;
use super::embeddings::any_model;
use crate::bridge;
use crate::failure::Failure;
use crate::output::{Output, report};
use crate::place::Place;

/// Maximum bytes of standard input.
const MOST: u64 = 64 << 10;

/// Store the API key in the keychain, or in a private file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads the key from standard input without echo. The key is bound to the
current provider, host and port; another host needs its own key.

The key is stored in the system keychain: `security` on macOS, `secret-tool`
elsewhere, or the program at the absolute path in ANAMNE_KEYCHAIN (`none`
disables it), which takes the arguments of secret-tool. --file stores it in
model.key in the store instead, readable only by you; it is copied along with
the store.

Examples:
  anamne model key
  anamne model key < key.txt
  anamne model key --file < key.txt
  anamne model key --for openai < key.txt")]
pub(super) struct KeepKey {
    /// Store it in the file model.key in the store
    #[arg(long)]
    file: bool,
    /// The source of embeddings that the key is for, instead of the language model
    #[arg(long = "for", value_name = "SOURCE")]
    source: Option<String>,
}

impl KeepKey {
    pub(super) fn run(
        self,
        place: &Place,
        setup: &Setup,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let config = setup.existing()?;
        // Ask for a key only if its host was approved: someone else could have chosen it.
        setup.approvals.require(&setup.root, &config)?;
        let account = match &self.source {
            Some(source) => config.for_embeddings(&any_model(source)?)?.key_account()?,
            None => config.key_account()?,
        };
        let keychain = bridge::keychain();
        if !self.file && !keychain.is_there() {
            return Err(Failure::failed("no keychain available").hint(
                "install secret-tool (libsecret), use --file for a private file in the store, or an environment variable with `anamne model set --key-env`",
            ));
        }
        let key = Key::new(&read_key(&account)?, "standard input")?;
        let kept_in = if self.file {
            place.store()?;
            let name = self.source.as_deref().map(embedding_key_file);
            let path = setup.root.join(name.as_deref().unwrap_or(KEY_FILE));
            write_key_file(&path, &account, &key)?;
            path.display().to_string()
        } else {
            keychain.keep(KEYCHAIN_SERVICE, &account, &key)?;
            "the keychain".to_owned()
        };
        if output.is_json() {
            return output.json(&json!({ "kept_for": account, "kept_in": kept_in }));
        }
        output.note(format_args!("stored the key for {account} in {kept_in}"));
        Ok(())
    }
}

pub(in crate::commands) fn read_key(account: &str) -> Result<String, Failure> {
    let unreadable = |error| Failure::failed(format!("can't read the key: {error}"));
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let prompt = format!("type or paste the key for {account} and press Enter (no echo)");
        return hidden_line(|| report(&prompt)).map_err(unreadable);
    }
    let mut key = String::new();
    let read = stdin.lock().take(MOST).read_to_string(&mut key);
    read.map_err(unreadable)?;
    Ok(key)
}

/// Reads a line from the terminal without echo. `prompt` runs once echo is off.
#[cfg(unix)]
fn hidden_line(prompt: impl FnOnce()) -> std::io::Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let stdin = std::io::stdin();
    let usual = tcgetattr(&stdin)?;
    let mut hiding = usual.clone();
    hiding.local_modes -= LocalModes::ECHO;
    tcsetattr(&stdin, OptionalActions::Flush, &hiding)?;
    prompt();
    let mut line = String::new();
    let read = stdin.read_line(&mut line);
    tcsetattr(&stdin, OptionalActions::Now, &usual)?;
    read.map(|_| line)
}

/// The standard library can't turn off echo, so nothing is read from a terminal here.
#[cfg(not(unix))]
fn hidden_line(_: impl FnOnce()) -> std::io::Result<String> {
    Err(std::io::Error::other(
        "can't disable echo here; use a pipe: `anamne model key < key.txt`",
    ))
}
