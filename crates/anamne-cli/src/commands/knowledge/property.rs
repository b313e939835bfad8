//! `anamne knowledge property`.

use anamne::{Assertion, Perspective};

use super::asserting::{Counting, tell};
use crate::arguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Add a property of an entity
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The frame is the perspective: what the entity is and has (semantic), what
happened to it (episodic), how to handle it (procedural), or your own
(custom).

Examples:
  anamne knowledge property \"Mara Lind\" shoe_size 39
  anamne knowledge property staging restart \"queue first\" --frame procedural
  anamne knowledge property staging state \"down for repair\" --expires 2d

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Property {
    /// The entity
    entity: String,
    /// The property's name, such as restart_order
    #[arg(value_name = "PROPERTY")]
    name: String,
    /// Its value
    value: String,
    /// The frame
    #[arg(long, default_value = "custom", value_name = "FRAME", value_parser = arguments::frame())]
    frame: Perspective,
    #[command(flatten)]
    counting: Counting,
}

impl Property {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let expires = self.counting.read(output)?;
        let assertion = Assertion::Property {
            entity: self.entity,
            frame: self.frame,
            property: self.name,
            value: self.value,
        };
        assertion.check()?;
        tell(&place.space()?, &assertion, expires, output)
    }
}
