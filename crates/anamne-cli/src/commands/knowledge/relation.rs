//! `anamne knowledge relation`.

use anamne::{Assertion, InvalidValue};

use super::asserting::{Counting, tell};
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Add a relation between two entities
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Relations are words joined by _: works_at, lives_in, part_of, uses,
depends_on, leads, or your own. Unknown entities are added.

Examples:
  anamne knowledge relation \"Mara Lind\" works_at \"Hafen GmbH\" --from 2026-03
  anamne knowledge relation billing depends_on PostgreSQL

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Relation {
    /// The subject
    subject: String,
    /// The relation, such as works_at
    #[arg(value_name = "RELATION")]
    said: String,
    /// The object
    object: String,
    /// Valid from: 2026-03-01, yesterday, "3 weeks ago"
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Valid until the end of: `--until 2026-03` takes in all of March
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    #[command(flatten)]
    counting: Counting,
}

impl Relation {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let expires = self.counting.read(output)?;
        let from = output.dates.start("from", self.from.as_deref())?;
        let until = output.dates.end("until", self.until.as_deref())?;
        if let (Some(from), Some(until)) = (from, until)
            && from >= until
        {
            return Err(InvalidValue::new("until", "later than --from", until).into());
        }
        let assertion = Assertion::Relation {
            subject: self.subject,
            relation: self.said,
            object: self.object,
            valid_from: from,
            valid_to: until,
        };
        assertion.check()?;
        tell(&place.space()?, &assertion, expires, output)
    }
}
