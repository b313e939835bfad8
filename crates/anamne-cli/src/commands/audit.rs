//! `anamne audit`.

use std::collections::BTreeSet;

use anamne::{ActorKind, EventKind, InvalidValue, LogQuery};

use crate::arguments;
use crate::failure::Failure;
use crate::output::{CYAN, DIM, Output, paint};
use crate::place::Place;
use crate::reached::LoggedEvents;
use crate::wording::{at_most_characters, number, one_line};

/// List the changes: what, when, and by whom; newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne audit
  anamne audit --since yesterday --actor agent
  anamne audit --kind erased --kind forgotten -k 100
  anamne audit --memory m12 --oldest-first --json

With --json: {\"events\": [{\"seq\", \"at\", \"actor\": {\"kind\", \"name\"?}, \"kind\",
  \"memory\", \"row\"}], \"more\": whether there are more, \"guard\": {memory: [kind]}}")]
pub(crate) struct Audit {
    /// At or after this time: 2026-03-01, yesterday, "last week", 3d, …
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Until the end of this time: `--until 2026-03` takes in all of March
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// By this kind of actor (user, agent, tool, system) or this name
    #[arg(long, value_name = "ACTOR")]
    actor: Vec<String>,
    /// Of this kind
    #[arg(long, value_parser = arguments::event_kind())]
    kind: Vec<EventKind>,
    /// About this memory
    #[arg(long, value_name = "ID")]
    memory: Option<String>,
    /// Maximum number of events, 1 to 1000
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Skip the first N
    #[arg(long, default_value_t = 0, value_name = "N")]
    offset: usize,
    /// Oldest first
    #[arg(long)]
    oldest_first: bool,
}

impl Audit {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let (actor_kinds, actor_names) = actors(&self.actor)?;
        let mut query = LogQuery {
            after: None,
            since: output.dates.start("since", self.since.as_deref())?,
            until: output.dates.end("until", self.until.as_deref())?,
            actor_kinds,
            actor_names,
            kinds: self.kind,
            memory: None,
            oldest_first: self.oldest_first,
            limit: self.limit,
            offset: self.offset,
        };
        query.check()?;
        let space = place.reached_existing()?;
        if let Some(memory) = &self.memory {
            query.memory = Some(space.resolve(memory)?);
        }
        let found = space.events(query)?;
        if output.is_json() {
            return output.json(&found);
        }
        print(&found, output)?;
        output.flush()?;
        let count = number(found.events.len() as u64);
        if found.more {
            output.note(format_args!(
                "{count} events; there are more: --offset {}, or a larger --limit",
                self.offset + found.events.len()
            ));
        } else if found.events.is_empty() {
            output.note(format_args!(
                "no matching event in the space {}",
                space.name()
            ));
        }
        Ok(())
    }
}

/// Splits the arguments into kinds of actors and names.
fn actors(words: &[String]) -> Result<(Vec<ActorKind>, Vec<String>), Failure> {
    let (mut kinds, mut names) = (Vec::new(), Vec::new());
    for word in words {
        match word.parse() {
            Ok(kind) => kinds.push(kind),
            Err(_) if word.is_empty() => {
                return Err(InvalidValue::new("actor", "a name", "nothing").into());
            }
            Err(_) => names.push(word.clone()),
        }
    }
    if kinds.is_empty() || names.is_empty() {
        return Ok((kinds, names));
    }
    // Combined they would select only actors of that kind with that name.
    let accepts = "either kinds of actors or names, not both";
    Err(InvalidValue::new("actor", accepts, words.join(", ")).into())
}

/// Maximum columns of an actor's name; `--json` has the whole name.
const WIDEST: usize = 40;

fn print(found: &LoggedEvents, output: &mut Output) -> Result<(), Failure> {
    let rows: Vec<_> = found
        .events
        .iter()
        .map(|entry| {
            let actor = &entry.event.actor;
            let who = format!(
                "{} {}",
                actor.kind,
                at_most_characters(&one_line(&actor.name), WIDEST)
            );
            let who = who.trim_end().to_owned();
            (entry, who)
        })
        .collect();
    let widest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let seqs = widest(
        &mut rows
            .iter()
            .map(|(entry, _)| entry.event.seq.to_string().len()),
    );
    let whos = widest(&mut rows.iter().map(|(_, who)| who.chars().count()));
    let kinds = widest(
        &mut rows
            .iter()
            .map(|(entry, _)| entry.event.kind.as_str().len()),
    );
    for (entry, who) in &rows {
        let event = &entry.event;
        output.line(format_args!(
            "{}  {}  {who:whos$}  {:kinds$}  {}",
            paint(DIM, format_args!("{:>seqs$}", event.seq.to_string())),
            output.dates.to_the_second(event.at),
            event.kind.as_str(),
            paint(
                CYAN,
                format_args!("m{}{}", entry.row, shown(found.guard.get(&event.memory)))
            )
        ))?;
    }
    Ok(())
}

/// What the guard found in a memory: `  guard: github-token`.
fn shown(kinds: Option<&BTreeSet<String>>) -> String {
    let kinds: Vec<_> = kinds.into_iter().flatten().map(String::as_str).collect();
    if kinds.is_empty() {
        return String::new();
    }
    format!("  guard: {}", kinds.join(", "))
}
