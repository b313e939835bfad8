//! `anamne knowledge distinct`.

use anamne::{Assertion, InvalidValue};

use super::asserting::{Counting, tell};
use crate::extraction;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Keep two similar names apart
#[derive(Debug, clap::Args)]
#[command(after_help = "\
They are no longer suggested for merging, and are never merged automatically.

Examples:
  anamne knowledge distinct \"Anna Berg\" \"Anne Berg\"

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Distinct {
    /// One name
    one: String,
    /// The other name
    other: String,
    #[command(flatten)]
    counting: Counting,
}

impl Distinct {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let expires = self.counting.read(output)?;
        let (one, other) = (self.one.trim().to_owned(), self.other.trim().to_owned());
        if one.to_lowercase() == other.to_lowercase() {
            return Err(InvalidValue::new("other", "another name than the first", other).into());
        }
        let assertion = Assertion::Distinct { one, other };
        assertion.check()?;
        let space = place.reached_existing()?;
        let knowledge = extraction::knowledge(&space, output)?;
        for name in [&self.one, &self.other] {
            extraction::entity(&knowledge, name)?;
        }
        tell(&space, &assertion, expires, output)
    }
}
