//! `anamne init`.

use std::fmt::Display;

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{BOLD, CYAN, Output, paint};
use crate::place::Place;
use crate::projects::ProjectView;
use crate::reached::ReachedStore;
use crate::wording::one_line;

/// Create the store and the space, and print their folders
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Optional: the first write creates both. Shows which space the current folder
uses.

Examples:
  anamne init
  anamne --space recipes init

With --json: {\"space\", \"store\", \"folder\", \"created\", \"project\": null or
  {\"identity\": […], \"folders\": […]}}; on a server \"folder\" is null")]
pub(crate) struct Init {}

impl Init {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        if let Some(client) = place.server() {
            let name = place.space_name();
            let store = ReachedStore::There(client.clone());
            let created = !store.names()?.contains(name);
            client.space(name.as_str()).create()?;
            return print_served(name.as_str(), &store.location(), created, output);
        }
        let store = place.store()?;
        let before = store.spaces()?;
        let name = place.claim()?;
        let created = !before.contains(name);
        let space = store.space(name.as_str())?;
        let project = ProjectView::of(&space.config().project);
        if output.is_json() {
            return output.json(&json!({
                "space": space.name(),
                "store": store.root(),
                "folder": space.folder(),
                "created": created,
                "project": project,
            }));
        }
        print_made(space.name(), store.root().display(), created, output)?;
        for line in project.iter().flat_map(ProjectView::lines) {
            output.line(format_args!("  {}", one_line(&line)))?;
        }
        output.flush()?;
        output.note("its settings are in space.toml in the folder");
        output.note(format_args!("  {}", paint(CYAN, space.folder().display())));
        Ok(())
    }
}

fn print_made(
    space: &str,
    store: impl Display,
    created: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let what = if created {
        "made the space"
    } else {
        "the space exists already:"
    };
    let space = paint(BOLD, space);
    output.line(format_args!("{what} {space} in the store {store}"))
}

/// A server tells no folder.
fn print_served(
    space: &str,
    store: &str,
    created: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&json!({
            "space": space, "store": store, "folder": Value::Null, "created": created,
            "project": Value::Null,
        }));
    }
    print_made(space, store, created, output)
}
