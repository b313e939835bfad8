//! `anamne knowledge deny`.

use anamne::Assertion;

use super::asserting::{Counting, tell};
use crate::extraction;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Deny a relation, a property or an entity
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Statements in memories no longer count. Without OBJECT the relation is denied
for every object; without RELATION the entity itself is denied, for a word
that was mistaken for a name.

Examples:
  anamne knowledge deny \"Mara Lind\" lives_in Bonn
  anamne knowledge deny Whatever

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Deny {
    /// The entity
    subject: String,
    /// The relation or property to deny
    relation: Option<String>,
    /// The object to deny
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
        let space = place.reached_existing()?;
        // A misspelt name would silently deny nothing.
        extraction::entity(&extraction::knowledge(&space, output)?, &self.subject)?;
        tell(&space, &assertion, expires, output)
    }
}
