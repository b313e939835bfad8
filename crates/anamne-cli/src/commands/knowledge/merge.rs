//! `anamne knowledge merge`.

use anamne::{Assertion, InvalidValue, ToldEntity};

use super::asserting::{Counting, tell};
use crate::extraction;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Merge one entity into another
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Both names then mean one entity, listed under the second. `anamne forget` of
the printed memory undoes it; `anamne knowledge distinct` keeps them apart
permanently.

Examples:
  anamne knowledge merge Mara \"Mara Lind\"
  anamne knowledge suggestions

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Merge {
    /// The name to merge
    name: String,
    /// The entity to keep
    into: String,
    #[command(flatten)]
    counting: Counting,
}

impl Merge {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let expires = self.counting.read(output)?;
        let space = place.reached_existing()?;
        let knowledge = extraction::knowledge(&space, output)?;
        let into = extraction::entity(&knowledge, &self.into)?;
        let name = self.name.trim();
        if let Some(known) = knowledge.entity(name)?
            && known.id == into.id
        {
            let accepts = format!("another name than those of {:?}", into.name);
            return Err(InvalidValue::new("name", accepts, format!("{name:?}")).into());
        }
        let assertion = Assertion::Entity(ToldEntity {
            name: into.name,
            entity_type: into.entity_type,
            custom_type: into.custom_type,
            aliases: vec![name.to_owned()],
            ..ToldEntity::default()
        });
        assertion.check()?;
        tell(&space, &assertion, expires, output)
    }
}
