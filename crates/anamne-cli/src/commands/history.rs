//! `anamne history`.

use anamne::{Actor, Memory, MemoryId, Version};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::card;
use crate::commands::show;
use crate::failure::Failure;
use crate::output::{BOLD, DIM, Output, paint};
use crate::place::Place;
use crate::reached::Reached;
use crate::wording::named;

/// Fields that change with every event, or are shown in the heading.
const SHOWN_ELSEWHERE: [&str; 5] = ["version", "seq", "updated_at", "content", "deleted_at"];

/// Show all versions of a memory, or the version at a given time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A day or a month means its end.

Examples:
  anamne history m12
  anamne history m12 --as-of yesterday

With --json: {\"id\", \"versions\": [{\"version\", \"seq\", \"at\", \"change\", \"actor\",
  \"memory\"?}]}, oldest first; with --as-of: {\"id\", \"as_of\", \"version\": {…}}")]
pub(crate) struct History {
    /// The memory
    id: String,
    /// Only the version at this time: 2026-03-01, "2026-03-01 14:05", yesterday, 3d, …
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
}

impl History {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let as_of = self
            .as_of
            .map(|text| output.dates.as_of("as_of", &text))
            .transpose()?;
        let space = place.reached_existing()?;
        let id = space.resolve(&self.id)?;
        if let Some(at) = as_of {
            return show_as_of(&space, id, at, output);
        }
        let versions = space.history(id)?;
        if output.is_json() {
            return output.json(&json!({ "id": id, "versions": versions }));
        }
        let mut before: Option<&Memory> = None;
        for version in &versions {
            print(version, before, output)?;
            before = version.memory.as_ref().or(before);
        }
        Ok(())
    }
}

fn show_as_of(
    space: &Reached,
    id: MemoryId,
    at: Timestamp,
    output: &mut Output,
) -> Result<(), Failure> {
    let Some(version) = space.as_of(id, at)? else {
        let message = format!("{id} did not exist at {}", output.dates.absolute(at));
        return Err(Failure::not_found(message).hint("`anamne history ID` shows all versions"));
    };
    if output.is_json() {
        return output.json(&json!({ "id": id, "as_of": at, "version": version }));
    }
    output.line(heading(&version, output))?;
    match &version.memory {
        Some(memory) => {
            output.line("")?;
            show::print(memory, space, output)
        }
        None => output.line("    content erased"),
    }
}

/// Number, change, time and actor of a version.
fn heading(version: &Version, output: &Output) -> String {
    let stored = format!(
        "{} by {}",
        output.dates.both(version.at),
        name(&version.actor)
    );
    format!(
        "{}  {}",
        paint(
            BOLD,
            format_args!("{:>2} {}", version.version, version.change)
        ),
        paint(DIM, stored)
    )
}

fn print(version: &Version, before: Option<&Memory>, output: &mut Output) -> Result<(), Failure> {
    output.line(heading(version, output))?;
    let Some(memory) = &version.memory else {
        return Ok(());
    };
    if before.is_none_or(|before| before.content != memory.content) {
        card::print_text(&memory.content, "    ", 12, output)?;
    }
    for change in before
        .map(|before| changes(before, memory))
        .unwrap_or_default()
    {
        card::print_item(&change, "    ", 2, output)?;
    }
    Ok(())
}

fn name(actor: &Actor) -> String {
    if actor.name.is_empty() {
        format!("a {}", actor.kind)
    } else {
        format!("the {} {}", actor.kind, named(&actor.name))
    }
}

/// The fields that differ, as `name: before → after`.
fn changes(before: &Memory, after: &Memory) -> Vec<String> {
    let fields = |memory: &Memory| match json!(memory) {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    let (before, after) = (fields(before), fields(after));
    let mut names: Vec<_> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    let shown = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), Value::to_string);
    names
        .into_iter()
        .filter(|name| {
            !SHOWN_ELSEWHERE.contains(&name.as_str()) && before.get(*name) != after.get(*name)
        })
        .map(|name| {
            format!(
                "{name}: {} → {}",
                shown(before.get(name)),
                shown(after.get(name))
            )
        })
        .collect()
}
