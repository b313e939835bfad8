//! `anamne knowledge deny`.

use anamne::Assertion;

use super::telling::{Counting, tell};
use crate::extraction;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Tell that something is not so, or is not an entity at all
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What the texts say of it counts for nothing any more. Without OBJECT the
relation is denied whatever its other end is; without RELATION the entity
itself, as where a word was taken for a name.

Examples:
  anamne knowledge deny \"Mara Lind\" lives_in Bonn
  anamne knowledge deny Whatever

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Deny {
    /// The entity
    subject: String,
    /// The relation or property that is denied
    relation: Option<String>,
    /// The other end that is denied
    object: Option<String>,
    #[command(flatten)]
    counting: Counting,
}

impl Deny {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let expires = self.counting.read(output)?;
        let assertion = Assertion::Denial {
            subject: self.subject.clone(),
            relation: self.relation,
            object: self.object,
        };
        assertion.check()?;
        let space = place.existing_space()?;
        // A mistyped name would deny nothing, unnoticed.
        extraction::entity(&extraction::knowledge(&space, output)?, &self.subject)?;
        tell(&space, &assertion, expires, output)
    }
}
