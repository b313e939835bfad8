//! What a person can do next, as commands of this program: the one place that words it.

use std::fmt::Display;

use anamne::NextStep;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{CYAN, Output, paint, say_message};

/// How a step is taken.
pub(crate) fn words(step: NextStep) -> &'static str {
    match step {
        NextStep::FixPermissions => {
            "give this user read and write permission for the store's folder (`ls -ld` shows its owner and mode), or choose another store with --store DIR"
        }
        NextStep::WaitAndRetry => {
            "wait until it is done, or stop it; `lsof` names the processes that have the store's files open"
        }
        NextStep::InstallNewer => "install a newer version of anamne; this version changed nothing",
        NextStep::Repair => {
            "`anamne repair` restores what is damaged from the other copy; `anamne verify` only looks"
        }
        NextStep::ListMemories => {
            "`anamne list` shows the names of memories; --space chooses another space"
        }
        NextStep::ListForgotten => {
            "`anamne list --forgotten` shows what can be brought back by `anamne restore ID`"
        }
        NextStep::ListSpaces => "`anamne spaces` lists those that are there",
        NextStep::ListContradictions => "`anamne resolve --all` lists those that are known",
        NextStep::ListTasks => "`anamne tasks` lists those that are there",
        NextStep::MakeRoom => {
            "`anamne forget --hard` makes room; `anamne spaces set --quota SIZE` gives the space more"
        }
        NextStep::BackUp => {
            "`anamne backup DIR` brings a backup up to date, and makes it known to the store"
        }
        NextStep::ForgetBackup => {
            "`anamne backup --forget DIR` says that DIR is no backup any more"
        }
        NextStep::ConfirmRetention => "`anamne retention --apply --yes` confirms what is deferred",
        NextStep::RestoreRetention => "`anamne retention --restore` brings back what it forgot",
        NextStep::SetModel => {
            "mend model.toml, or write it anew with `anamne model set --provider … --model …`"
        }
        NextStep::TrustModel => "`anamne model trust` shows what it asks for and approves it",
        NextStep::AllowVariable => "if it does, run `anamne model set --key-env VARIABLE`",
        NextStep::BindKey => {
            "`anamne model trust` binds the key to this host, `anamne model key` takes another one"
        }
        NextStep::KeepKeyInFile => "`anamne model key --file` keeps it in a private file instead",
        NextStep::ShowCosts => "`anamne costs` shows what was spent",
        NextStep::Extract => "extract it first: `anamne extract`",
        NextStep::Rewind => "`anamne rewind --at TIME --into DIR` rebuilds the store as it was",
    }
}

/// What happened and what to do next, where both stand on one line.
pub(crate) fn on_one_line(said: impl Display, step: Option<NextStep>) -> String {
    match step {
        Some(step) => format!("{said}; {}", words(step)),
        None => said.to_string(),
    }
}

/// The value for `--json`, with our words: a `hint` beside each `next_step`, and `hints` beside `next_steps`.
pub(crate) fn worded(value: &impl Serialize) -> Value {
    let mut value = json!(value);
    add_hints(&mut value);
    value
}

fn add_hints(value: &mut Value) {
    let word = |step: &Value| NextStep::deserialize(step).map(words).ok();
    match value {
        Value::Array(items) => items.iter_mut().for_each(add_hints),
        Value::Object(fields) => {
            if let Some(hint) = fields.get("next_step").and_then(word) {
                fields.insert("hint".to_owned(), json!(hint));
            }
            if let Some(Value::Array(steps)) = fields.get("next_steps") {
                let hints: Vec<_> = steps.iter().filter_map(word).collect();
                fields.insert("hints".to_owned(), json!(hints));
            }
            fields.values_mut().for_each(add_hints);
        }
        _ => {}
    }
}

/// Writes the steps under what they belong to.
pub(crate) fn print(steps: &[NextStep], output: &mut Output) -> Result<(), Failure> {
    for &step in steps {
        output.entry(CYAN, "next   ", words(step))?;
    }
    Ok(())
}

/// Says each of these steps once, on standard error.
pub(crate) fn say_each(steps: impl IntoIterator<Item = NextStep>) {
    let mut said = Vec::new();
    for step in steps {
        if !said.contains(&step) {
            say_hint(words(step));
            said.push(step);
        }
    }
}

/// Says what to do next, on standard error.
pub(crate) fn say_hint(hint: &str) {
    say_message(format_args!("{} {hint}", paint(CYAN, "hint:")));
}
