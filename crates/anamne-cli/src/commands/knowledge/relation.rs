//! `anamne knowledge relation`.

use anamne::{Assertion, InvalidValue};

use super::telling::{Counting, tell};
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Tell what one entity is to another
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A relation is a word, or words joined by _: works_at, lives_in, part_of, uses,
depends_on, leads, or one of your own. Entities that are not known yet become
known by it.

Examples:
  anamne knowledge relation \"Mara Lind\" works_at \"Hafen GmbH\" --from 2026-03
  anamne knowledge relation billing depends_on PostgreSQL

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Relation {
    /// The entity that it is about
    subject: String,
    /// What is said of it
    #[arg(value_name = "RELATION")]
    said: String,
    /// The entity at the other end
    object: String,
    /// Since when it is so: 2026-03-01, yesterday, "3 weeks ago"
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Until the end of when it is so: `--until 2026-03` takes in all of March
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
