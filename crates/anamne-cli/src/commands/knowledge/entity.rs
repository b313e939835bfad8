//! `anamne knowledge entity`.

use anamne::{Assertion, EntityType};

use super::asserting::{Counting, tell};
use crate::arguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Add an entity
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne knowledge entity \"Mara Lind\" --type person --alias Mara
  anamne knowledge entity Kestrel --type project --expires \"in 3 months\"

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Entity {
    /// Its name
    name: String,
    /// What it is
    #[arg(long = "type", value_name = "TYPE", value_parser = arguments::entity_type())]
    sort: EntityType,
    /// Another name; repeatable
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    #[command(flatten)]
    counting: Counting,
}

impl Entity {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let expires = self.counting.read(output)?;
        let assertion = Assertion::Entity {
            name: self.name,
            entity_type: self.sort,
            aliases: self.alias,
        };
        assertion.check()?;
        tell(&place.space()?, &assertion, expires, output)
    }
}
