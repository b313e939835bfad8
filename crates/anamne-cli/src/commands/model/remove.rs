//! `anamne model remove`.

use anamne::{ModelKind, Store};

use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::place::Place;
use crate::wording::size;

/// Remove an embedding model or a reranker from the store
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Refused while a space uses the model. Files that other models need stay. A
folder that was put under models by hand may be the only copy, so --yes is
needed to remove it.

Examples:
  anamne model remove harbour
  anamne --space notes spaces set --model builtin
  anamne --space notes spaces set --reranker none

With --json: {\"name\", \"files_removed\", \"bytes_removed\"}")]
pub(super) struct Remove {
    /// The model
    name: String,
    /// Also remove a folder that was not imported
    #[arg(long, short)]
    yes: bool,
}

impl Remove {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.existing_store()?;
        self.check_agreed(&store)?;
        let removed = store
            .remove_model(&self.name)
            .map_err(|error| Failure::from(error).listed_by("anamne model list"))?;
        if output.is_json() {
            return output.json(&removed);
        }
        output.line(format_args!(
            "removed {}: {}, {}",
            removed.name,
            counted(removed.files_removed, "file"),
            size(removed.bytes_removed)
        ))
    }

    fn check_agreed(&self, store: &Store) -> Result<(), Failure> {
        let models = store.models()?;
        let is_plain = models
            .iter()
            .any(|model| model.name == self.name && model.kind == ModelKind::Folder);
        if is_plain && !self.yes {
            return Err(Failure::refused(
                "yes",
                format!(
                    "{:?} was not imported; its folder may be the only copy",
                    self.name
                ),
            )
            .hint("add --yes to remove the folder with everything in it"));
        }
        Ok(())
    }
}
