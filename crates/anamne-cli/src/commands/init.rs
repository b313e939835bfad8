//! `anamne init`.

use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, CYAN, Output, paint};
use crate::place::Place;
use crate::projects::ProjectView;
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
  {\"identity\": […], \"folders\": […]}}")]
pub(crate) struct Init {}

impl Init {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
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
        let what = if created {
            "made the space"
        } else {
            "the space exists already:"
        };
        output.line(format_args!(
            "{what} {} in the store {}",
            paint(BOLD, space.name()),
            store.root().display()
        ))?;
        for line in project.iter().flat_map(ProjectView::lines) {
            output.line(format_args!("  {}", one_line(&line)))?;
        }
        output.note("its settings are in space.toml in the folder");
        output.note(format_args!("  {}", paint(CYAN, space.folder().display())));
        Ok(())
    }
}
