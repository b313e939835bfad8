//! `anamne promote`.

use crate::commands::spaces_add::{self, Terms};
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Make memories members of `core`, which is read beside every space
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The same as `anamne spaces add ID --to core`: the text stays in its space, and
`core` records where it comes from.

Examples:
  anamne promote m12
  anamne promote m12 --tag convention

With --json: {\"members\": [{\"id\", \"home\", \"space\", \"citation\": in core}]}")]
pub(crate) struct Promote {
    /// The memories, in the space used here
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    #[command(flatten)]
    terms: Terms,
}

impl Promote {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        spaces_add::add(&self.ids, "core", self.terms, place, output)
    }
}
