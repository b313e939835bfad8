//! `anamne demote`.

use crate::commands::spaces_remove;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Remove promoted memories from `core`; their space keeps them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The same as `anamne spaces remove ID --from core`.

Examples:
  anamne demote m12
  anamne --space core demote m3

With --json: {\"removed\": [ids], \"space\": \"core\"}")]
pub(crate) struct Demote {
    /// The memories, in the space used here
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

impl Demote {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        spaces_remove::remove(&self.ids, Some("core"), place, output)
    }
}
