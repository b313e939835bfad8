//! `anamne spaces remove`.

use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::place::Place;

/// Remove members from a space; their home keeps them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
`anamne forget` in that space does the same. Add them again to bring them back.

Examples:
  anamne spaces remove m12 --from team
  anamne --space team spaces remove m3

With --json: {\"removed\": [ids], \"space\"}")]
pub(crate) struct Remove {
    /// The memories, in the space used here
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The space to remove them from [default: the space used here]
    #[arg(long, value_name = "SPACE")]
    from: Option<String>,
}

impl Remove {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let from = self.from.as_deref();
        remove(&self.ids, from, place, output)
    }
}

/// Removes members from a space. Their ids are the same in every space, citations are those of the space used here.
pub(crate) fn remove(
    ids: &[String],
    from: Option<&str>,
    place: &Place,
    output: &mut Output,
) -> Result<(), Failure> {
    let store = place.reached_store()?;
    let here = place.existing_in(&store)?;
    let ids = here.resolve_all(ids)?;
    let from = match from {
        Some(name) => store.space(name)?,
        None => here,
    };
    let name = from.name();
    store.remove_members(name, &ids)?;
    if output.is_json() {
        output.json(&json!({ "removed": ids, "space": name }))?;
    } else {
        let count = memories(ids.len() as u64);
        output.line(format_args!("removed {count} from {name}"))?;
    }
    from.settle(output)
}
