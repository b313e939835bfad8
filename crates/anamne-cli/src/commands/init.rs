//! `anamne init`.

use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, CYAN, Output, paint};
use crate::place::Place;

/// Make the store and the space, and say where they are
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Needed by nobody: what is told first makes both. It shows which space a folder
leads to.

Examples:
  anamne init
  anamne --space recipes init

With --json: {\"space\", \"store\", \"folder\", \"created\"}")]
pub(crate) struct Init {}

impl Init {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.store()?;
        let created = !store.spaces()?.contains(place.space_name());
        let space = store.space(place.space_name().as_str())?;
        if output.is_json() {
            return output.json(&json!({
                "space": space.name(),
                "store": store.root(),
                "folder": space.folder(),
                "created": created,
            }));
        }
        let what = if created {
            "made the space"
        } else {
            "there is already the space"
        };
        output.line(format_args!(
            "{what} {} in the store {}",
            paint(BOLD, space.name()),
            store.root().display()
        ))?;
        output.note("its settings are in space.toml in the folder");
        output.note(format_args!("  {}", paint(CYAN, space.folder().display())));
        Ok(())
    }
}
