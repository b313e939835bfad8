//! `anamne spaces join`.

use anamne::Transfer;

use crate::commands::spaces_split::{progress, report};
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Merge two spaces of one project
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Copies all memories of FROM to INTO with their ids, times and links, verifies
the copies, and forgets the originals in FROM, where `anamne restore` brings
them back. The folders of FROM's project use INTO from now on. Earlier versions
and the log stay in FROM. If the run was interrupted, or an editor was writing
to FROM meanwhile, run it again; restart the editor's session.

Examples:
  anamne spaces join api-2 api
  anamne spaces join old-name \"River Watch\"

With --json: {\"from\", \"into\", \"chosen\", \"copied\", \"moved\", \"links\",
  \"links_left\", \"kept\": [{\"memory\", \"reason\"}], \"links_kept\"?: {\"count\",
  \"first\": [{\"entry\", \"reason\"}]}}")]
pub(crate) struct Join {
    /// The space to merge
    #[arg(value_name = "FROM")]
    from: String,
    /// The space to keep
    #[arg(value_name = "INTO")]
    into: String,
}

impl Join {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.existing_store()?;
        // The space of the current folder may not exist yet: then it is created, and only the folder moves.
        if place.project().is_some() && place.space_name().as_str() == self.from {
            store.existing_space(&self.into)?;
            place.space()?;
        }
        let joined: Transfer = store.join_spaces(&self.from, &self.into, &mut progress(output))?;
        report(&joined, &store, output)
    }
}
