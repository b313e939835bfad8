//! `anamne history`.

use anamne::{Actor, Memory, Version};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{BOLD, DIM, Output, paint};
use crate::place::Place;
use crate::{card, ids};

/// What changes by itself with every event, and is said in the heading.
const SAID_ALREADY: [&str; 5] = ["version", "seq", "updated_at", "content", "deleted_at"];

/// Show every state that a memory has had
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne history m12

With --json: {\"id\", \"versions\": [{\"version\", \"seq\", \"at\", \"change\", \"actor\",
  \"memory\"?}]}, oldest first")]
pub(crate) struct History {
    /// The memory
    id: String,
}

impl History {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.existing_space()?;
        let id = ids::resolve(&space, &self.id)?;
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

fn print(version: &Version, before: Option<&Memory>, output: &mut Output) -> Result<(), Failure> {
    let told = format!(
        "{} by {}",
        output.dates.both(version.at),
        name(&version.actor)
    );
    output.line(format_args!(
        "{}  {}",
        paint(
            BOLD,
            format_args!("{:>2} {}", version.version, version.change)
        ),
        paint(DIM, told)
    ))?;
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
        card::print_text(&change, "    ", 2, output)?;
    }
    Ok(())
}

fn name(actor: &Actor) -> String {
    if actor.name.is_empty() {
        format!("a {}", actor.kind)
    } else {
        format!("the {} {}", actor.kind, actor.name)
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
            !SAID_ALREADY.contains(&name.as_str()) && before.get(*name) != after.get(*name)
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
