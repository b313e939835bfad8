//! `anamne working`.

use anamne::{Experience, WorkingEntry, WorkingScope, WorkingValue};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{CYAN, Output};
use crate::place::Place;
use crate::session_argument::SessionArgument;
use crate::shell::shell_word;
use crate::wording::{named, one_line};

/// Keep values while work goes on
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Working memory holds JSON values by key, for a session and an agent, until
they expire: after 24 hours unless --expires says otherwise. null is no value.
The briefing at the start of a session shows what still lives, of every session,
with the session that it is of.

Examples:
  anamne working
  anamne working set branch feature/login
  anamne working set plan '[\"tests\", \"docs\"]' --session s7 --expires 3d
  anamne working remove branch

With --json: {\"values\": [{\"key\", \"value\", \"session\", \"agent\", \"expires_at\"}]};
  set and remove as `anamne remember`")]
pub(crate) struct Working {
    #[command(subcommand)]
    change: Option<Change>,
}

#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Set a value
    Set {
        /// The key
        key: String,
        /// The value: JSON other than null, or a text
        value: String,
        #[command(flatten)]
        session: SessionArgument,
        /// The agent
        #[arg(
            long,
            default_value = "",
            hide_default_value = true,
            value_name = "NAME"
        )]
        agent: String,
        /// When it expires: 3d, "in 2 hours", 2031-12-31 [default: in 24 hours]
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
    },
    /// Remove a value
    Remove {
        /// The key
        key: String,
        #[command(flatten)]
        session: SessionArgument,
        /// The agent
        #[arg(
            long,
            default_value = "",
            hide_default_value = true,
            value_name = "NAME"
        )]
        agent: String,
    },
}

impl Working {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        match self.change {
            None => show(place, output),
            Some(Change::Set {
                key,
                value,
                session,
                agent,
                expires,
            }) => {
                let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
                let session = session.name().unwrap_or_default();
                let scope = WorkingScope { session, agent };
                set(place, &scope, &key, &value, expires.as_deref(), output)
            }
            Some(Change::Remove {
                key,
                session,
                agent,
            }) => {
                let session = session.name().unwrap_or_default();
                let scope = WorkingScope { session, agent };
                remove(place, &scope, &key, output)
            }
        }
    }
}

fn set(
    place: &Place,
    scope: &WorkingScope,
    key: &str,
    value: &Value,
    expires: Option<&str>,
    output: &mut Output,
) -> Result<(), Failure> {
    if value.is_null() {
        let key = shell_word(key);
        return Err(Failure::refused("value", "null is no value")
            .hint(format!("to remove one: `anamne working remove {key}`")));
    }
    // Before a space is created or asked.
    let told = WorkingValue {
        key: key.to_owned(),
        value: value.clone(),
    };
    Experience::Working(told).check()?;
    let expires_at = output.dates.future_time("expires", expires)?;
    let space = place.reached()?;
    let remembered = space.set_working(scope, key, value, expires_at)?;
    super::remember::print(&remembered, output)?;
    space.settle(output)
}

fn remove(
    place: &Place,
    scope: &WorkingScope,
    key: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let space = place.reached_existing()?;
    let values = space.working_memory()?;
    let is_it = |value: &WorkingEntry| {
        (value.key.as_str(), &value.session, &value.agent) == (key, &scope.session, &scope.agent)
    };
    if !values.iter().any(is_it) {
        return Err(
            Failure::not_found(format!("no value with the key {:?}", named(key)))
                .hint("list them with `anamne working`; name its --session and --agent"),
        );
    }
    let removed = space.set_working(scope, key, &Value::Null, None)?;
    if output.is_json() {
        super::remember::print(&removed, output)?;
    } else {
        output.line(format_args!("removed {}", one_line(key)))?;
    }
    space.settle(output)
}

fn show(place: &Place, output: &mut Output) -> Result<(), Failure> {
    let values = place.reached_existing()?.working_memory()?;
    if output.is_json() {
        return output.json(&json!({ "values": values }));
    }
    if values.is_empty() {
        output.note("working memory is empty");
    }
    for value in &values {
        let mut text = one_line(&value.value.to_string());
        for (what, name) in [("session", &value.session), ("agent", &value.agent)] {
            if !name.is_empty() {
                text = format!("{text}  {what} {}", one_line(name));
            }
        }
        if let Some(expires_at) = value.expires_at {
            text = format!("{text}  expires {}", output.dates.relative(expires_at));
        }
        output.entry(CYAN, &one_line(&value.key), &text)?;
    }
    Ok(())
}
