//! The text of next steps, as commands of this program. Worded only here.

use std::borrow::Cow;
use std::fmt::Display;

use anamne::NextStep;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{CYAN, Output, paint, report_message};

/// The text of a step.
pub(crate) fn words(step: NextStep) -> &'static str {
    match step {
        NextStep::FixPermissions => {
            "give this user read and write permission there (see `ls -ld`), or use another store with --store DIR"
        }
        NextStep::WaitAndRetry => {
            "wait, or stop the other process; `lsof` lists the processes that use the store"
        }
        NextStep::InstallNewer => "install a newer version of anamne; this version changed nothing",
        NextStep::Repair => {
            "repair it from the other copy with `anamne repair`; check only with `anamne verify`"
        }
        NextStep::ListMemories => "list memories with `anamne list`; use --space for another space",
        NextStep::ListForgotten => {
            "list forgotten memories with `anamne list --forgotten`; restore one with `anamne restore ID`"
        }
        NextStep::ListSpaces => "list them with `anamne spaces`",
        NextStep::ListContradictions => "list them with `anamne resolve --all`",
        NextStep::ListTasks => "list them with `anamne tasks`",
        NextStep::MakeRoom => {
            "free space with `anamne forget --hard`, or raise the quota with `anamne spaces set --quota SIZE`"
        }
        NextStep::BackUp => "update and register a backup with `anamne backup DIR`",
        NextStep::ForgetBackup => {
            "remove it from the known backups with `anamne backup --forget DIR`"
        }
        NextStep::ConfirmRetention => {
            "confirm deferred retention with `anamne retention --apply --yes`"
        }
        NextStep::RestoreRetention => "restore with `anamne retention --restore`",
        NextStep::SetModel => {
            "fix model.toml, or recreate it with `anamne model set --provider … --model …`"
        }
        NextStep::TrustModel => "review and approve it with `anamne model trust`",
        NextStep::AllowVariable => "if it does, run `anamne model set --key-env VARIABLE`",
        NextStep::BindKey => {
            "bind the key to this host with `anamne model trust`, or store another with `anamne model key`"
        }
        NextStep::KeepKeyInFile => "store it in a private file with `anamne model key --file`",
        NextStep::ImportModel => {
            "import the model with `anamne model import DIR --name NAME`; list models with `anamne model list`"
        }
        NextStep::AddEmbeddings => {
            "add one with `anamne model embeddings SOURCE`; list them with `anamne model embeddings`"
        }
        NextStep::ChooseModel => {
            "choose another with `anamne --space SPACE spaces set --model NAME`, or for a reranker `--reranker NAME`"
        }
        NextStep::ShowCosts => "see `anamne costs`",
        NextStep::Extract => "extract knowledge first: `anamne extract`",
        NextStep::Rewind => {
            "rebuild the store as of that time with `anamne rewind --at TIME --into DIR`"
        }
        NextStep::ImportAsAnother => {
            "import it under another name with `anamne import FILE --into NAME`"
        }
        NextStep::ImportUpdates => {
            "to take the new content as an edit, import it again with --update"
        }
        NextStep::RunTasks => "run it now with `anamne tasks run`, or keep `anamne mcp` running",
    }
}

/// The text of a step that a server names: commands that work on its store alone are run there.
pub(crate) fn words_of_server(step: NextStep) -> Cow<'static, str> {
    match step {
        NextStep::WaitAndRetry => "wait, and try again".into(),
        NextStep::RunTasks => {
            "begin it now with `anamne tasks run`; the server does it by itself later".into()
        }
        NextStep::ListMemories
        | NextStep::ListForgotten
        | NextStep::ListSpaces
        | NextStep::ListContradictions
        | NextStep::ListTasks
        | NextStep::MakeRoom
        | NextStep::ConfirmRetention
        | NextStep::RestoreRetention
        | NextStep::ChooseModel
        | NextStep::Extract
        | NextStep::ImportUpdates => words(step).into(),
        _ => format!("on the server's machine: {}", words(step)).into(),
    }
}

/// Who has the store that steps are about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StoreOwner {
    ThisMachine,
    Server,
}

impl StoreOwner {
    fn words(self, step: NextStep) -> Cow<'static, str> {
        match self {
            Self::ThisMachine => words(step).into(),
            Self::Server => words_of_server(step),
        }
    }

    /// The value for `--json` with texts added: a `hint` beside each `next_step`, and `hints` beside `next_steps`.
    pub(crate) fn worded(self, value: &impl Serialize) -> Value {
        let mut value = json!(value);
        self.add_hints(&mut value);
        value
    }

    fn add_hints(self, value: &mut Value) {
        let word = |step: &Value| {
            let step = NextStep::deserialize(step).ok()?;
            Some(self.words(step))
        };
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.add_hints(item)),
            Value::Object(fields) => {
                if let Some(hint) = fields.get("next_step").and_then(word) {
                    fields.insert("hint".to_owned(), json!(hint));
                }
                if let Some(Value::Array(steps)) = fields.get("next_steps") {
                    let hints: Vec<_> = steps.iter().filter_map(word).collect();
                    fields.insert("hints".to_owned(), json!(hints));
                }
                fields.values_mut().for_each(|field| self.add_hints(field));
            }
            _ => {}
        }
    }

    /// Prints the steps below what they belong to.
    pub(crate) fn print(self, steps: &[NextStep], output: &mut Output) -> Result<(), Failure> {
        for &step in steps {
            output.entry(CYAN, "next   ", &self.words(step))?;
        }
        Ok(())
    }

    /// What happened and the next step, on one line.
    pub(crate) fn on_one_line(self, said: impl Display, step: Option<NextStep>) -> String {
        match step {
            Some(step) => format!("{said}; {}", self.words(step)),
            None => said.to_string(),
        }
    }
}

/// What happened and the next step on this machine, on one line.
pub(crate) fn on_one_line(said: impl Display, step: Option<NextStep>) -> String {
    StoreOwner::ThisMachine.on_one_line(said, step)
}

/// The value for `--json` with the texts of steps on this machine added.
pub(crate) fn worded(value: &impl Serialize) -> Value {
    StoreOwner::ThisMachine.worded(value)
}

/// Prints the steps on this machine below what they belong to.
pub(crate) fn print(steps: &[NextStep], output: &mut Output) -> Result<(), Failure> {
    StoreOwner::ThisMachine.print(steps, output)
}

/// Prints each distinct step once, to standard error.
pub(crate) fn report_each(steps: impl IntoIterator<Item = NextStep>) {
    let mut said = Vec::new();
    for step in steps {
        if !said.contains(&step) {
            report_hint(words(step));
            said.push(step);
        }
    }
}

/// Prints a hint to standard error.
pub(crate) fn report_hint(hint: &str) {
    report_message(format_args!("{} {hint}", paint(CYAN, "hint:")));
}
