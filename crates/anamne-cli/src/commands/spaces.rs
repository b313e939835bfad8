//! `anamne spaces`.

use std::path::PathBuf;

use anamne::SpaceName;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, Output, counted, memories, paint};
use crate::place::Place;
use crate::projects::ProjectView;
use crate::reached::{ReachedStore, SpaceSummary};
use crate::wording::{one_line, wrapped};

/// List spaces, change their settings, share memories between them, or delete one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An arrow marks the space used in this folder.

Examples:
  anamne spaces
  anamne --space recipes list
  anamne --space recipes spaces set --description \"What we cook\"
  anamne spaces add m12 --to team
  anamne spaces join api-2 api
  anamne spaces delete recipes

A space that belongs to a project shows its folders and what identifies it: the
first commit of its repository, else the address of its remote, else its folder.
Names are only labels.

With --json: {\"store\", \"here\": the space used here, \"spaces\": [{\"name\",
  \"description\", \"memories\", \"threads\", \"last\", \"settings\", \"project\"?: {\"identity\": […],
  \"folders\": […], \"joined\"?}}], \"unusable\": [{\"space\" or \"folder\",
  \"reason\"}]}")]
pub(crate) struct Spaces {
    #[command(subcommand)]
    change: Option<Change>,
}

/// What can be done with a space beside listing it.
#[derive(Debug, clap::Subcommand)]
enum Change {
    Set(super::spaces_set::Set),
    Add(super::spaces_add::Add),
    Remove(super::spaces_remove::Remove),
    Join(super::spaces_join::Join),
    Split(super::spaces_split::Split),
    Delete(super::spaces_delete::Delete),
}

/// A space that exists but can't be used.
#[derive(Serialize)]
struct UnusableSpace {
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<PathBuf>,
    reason: String,
}

#[derive(Serialize)]
struct Row {
    name: String,
    description: String,
    memories: u64,
    threads: u64,
    last: Option<Timestamp>,
    /// As `anamne spaces set` shows them.
    settings: serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<ProjectView>,
}

impl Spaces {
    /// Why a server doesn't do it, and what to do instead.
    pub(crate) fn only_here(&self) -> Option<(&'static str, &'static str)> {
        matches!(self.change, Some(Change::Join(_) | Change::Split(_))).then_some((
            "which spaces belong to which project is known on the machine that has the store and the folders",
            "run it on the server's machine; `anamne spaces add` shows memories in another space from here",
        ))
    }

    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        match self.change {
            Some(Change::Set(set)) => set.run(place, output),
            Some(Change::Add(add)) => add.run(place, output),
            Some(Change::Remove(remove)) => remove.run(place, output),
            Some(Change::Join(join)) => join.run(place, output),
            Some(Change::Split(split)) => split.run(place, output),
            Some(Change::Delete(delete)) => delete.run(place, output),
            None => list(place, output),
        }
    }
}

fn list(place: &Place, output: &mut Output) -> Result<(), Failure> {
    let store = place.reached_store()?;
    let here = place.space_name();
    let names = store.names()?;
    let mut rows = Vec::new();
    let mut unusable = Vec::new();
    for name in &names {
        match row(&store, name, output.is_json()) {
            Ok(row) => rows.push(row),
            Err(error) => unusable.push(UnusableSpace {
                space: Some(name.to_string()),
                folder: None,
                reason: error.into_message()?,
            }),
        }
    }
    let unreadable = store.unreadable_spaces()?.into_iter();
    unusable.extend(unreadable.map(|unreadable| UnusableSpace {
        space: None,
        folder: Some(unreadable.folder),
        reason: unreadable.error.to_string(),
    }));
    if output.is_json() {
        return output.json(&json!({
            "store": store.location(),
            "here": here.as_str(),
            "spaces": rows,
            "unusable": unusable,
        }));
    }
    let column = rows
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or(0);
    for row in &rows {
        print(row, row.name == here.as_str(), column, output)?;
    }
    output.flush()?;
    for space in &unusable {
        let name = space.space.as_deref().unwrap_or("a space");
        output.warn(format_args!("{name} is unusable: {}", space.reason));
    }
    if !names.contains(here) {
        output.note(format_args!(
            "commands here use the space {here}, which doesn't exist yet"
        ));
    }
    Ok(())
}

/// A space; its settings only for JSON.
fn row(store: &ReachedStore, name: &SpaceName, with_settings: bool) -> Result<Row, Failure> {
    let space = store.space(name.as_str())?;
    let SpaceSummary {
        description,
        statistics,
        ..
    } = space.summary()?;
    let settings = if with_settings {
        super::spaces_settings::as_json(&space.settings()?)
    } else {
        serde_json::Value::Null
    };
    Ok(Row {
        name: name.to_string(),
        description,
        memories: statistics.memories,
        threads: statistics.threads,
        last: statistics.last,
        settings,
        // A server's projects are folders of its machine.
        project: space
            .here()
            .and_then(|space| ProjectView::of(&space.config().project)),
    })
}

fn print(row: &Row, is_here: bool, column: usize, output: &mut Output) -> Result<(), Failure> {
    let mark = if is_here {
        paint(CYAN, "→")
    } else {
        " ".to_owned()
    };
    let last = match row.last {
        Some(last) => format!(", last {}", output.dates.relative(last)),
        None => String::new(),
    };
    let name = paint(BOLD, format_args!("{:column$}", row.name));
    output.line(format_args!(
        "{mark} {name}  {} in {}{last}",
        memories(row.memories),
        counted(row.threads, "thread")
    ))?;
    if !row.description.is_empty() {
        let width = output.width.saturating_sub(column + 4);
        for line in wrapped(&one_line(&row.description), width) {
            output.line(format_args!("  {:column$}  {}", "", paint(DIM, line)))?;
        }
    }
    for line in row.project.iter().flat_map(ProjectView::lines) {
        let line = paint(DIM, one_line(&line));
        output.line(format_args!("  {:column$}  {line}", ""))?;
    }
    Ok(())
}
