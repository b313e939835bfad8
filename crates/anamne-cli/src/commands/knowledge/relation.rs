//! `anamne knowledge relation`.

use anamne::{Assertion, InvalidValue, ToldRelation};

use super::asserting::{Counting, tell};
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Add a relation between two entities
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Relations are words joined by _: works_at, lives_in, part_of, uses,
depends_on, leads, or your own. Unknown entities are added. Weight and
confidence say how strong and how sure it is: a search that follows relations
prefers strong and sure ones.

Examples:
  anamne knowledge relation \"Mara Lind\" works_at \"Hafen GmbH\" --from 2026-03
  anamne knowledge relation billing depends_on PostgreSQL --weight 0.8
  anamne knowledge relation Mara works_with Teo --both-ways --evidence m12

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Relation {
    /// The subject
    subject: String,
    /// The relation, such as works_at
    #[arg(value_name = "RELATION")]
    said: String,
    /// The object
    object: String,
    /// It also holds from the object to the subject
    #[arg(long)]
    both_ways: bool,
    /// How strong it is, 0 to 1 [default: 1]
    #[arg(long, value_name = "NUMBER")]
    weight: Option<f64>,
    /// How sure it is, 0 to 1 [default: 1]
    #[arg(long, value_name = "NUMBER")]
    confidence: Option<f64>,
    /// A memory of the space that supports it, such as m12; repeatable
    #[arg(long, value_name = "ID")]
    evidence: Vec<String>,
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
        let mut told = ToldRelation {
            subject: self.subject,
            relation: self.said,
            object: self.object,
            both_ways: self.both_ways,
            weight: self.weight,
            confidence: self.confidence,
            evidence: Vec::new(),
            valid_from: from,
            valid_to: until,
        };
        // Before a space is created.
        told.check()?;
        let space = place.reached()?;
        for id in &self.evidence {
            told.evidence.push(space.resolve(id)?);
        }
        let assertion = Assertion::Relation(told);
        assertion.check()?;
        tell(&space, &assertion, expires, output)
    }
}
