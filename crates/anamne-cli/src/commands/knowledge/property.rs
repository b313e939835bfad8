//! `anamne knowledge property`.

use anamne::{Assertion, FrameWord, ToldProperty};

use super::asserting::{Counting, tell};
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::{arguments, extraction};

/// Add, change or remove a property of an entity
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The frame is the perspective: what the entity is and has (semantic), what
happened to it (episodic), how to handle it (procedural), or your own
(custom, or custom:billing with a name).

A value replaces the one that you told before in the same frame; `anamne
knowledge show --frames` lists both. --remove removes the property from all
frames until you tell it again.

Examples:
  anamne knowledge property \"Mara Lind\" shoe_size 39
  anamne knowledge property staging restart \"queue first\" --frame procedural
  anamne knowledge property Hafen terms \"30 days\" --frame custom:billing
  anamne knowledge property \"Mara Lind\" shoe_size --remove
  anamne knowledge property staging state \"down for repair\" --expires 2d

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Property {
    /// The entity
    entity: String,
    /// The property's name, such as restart_order
    #[arg(value_name = "PROPERTY")]
    name: String,
    /// Its value
    #[arg(required_unless_present = "remove")]
    value: Option<String>,
    /// The frame, or custom:NAME
    #[arg(long, default_value = "custom", value_name = "FRAME", value_parser = arguments::frame_word())]
    frame: FrameWord,
    /// Remove the property
    #[arg(long, conflicts_with_all = ["value", "frame"])]
    remove: bool,
    #[command(flatten)]
    counting: Counting,
}

impl Property {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let expires = self.counting.read(output)?;
        let Some(value) = self.value else {
            let assertion = Assertion::Denial {
                subject: self.entity.clone(),
                relation: Some(self.name),
                object: None,
            };
            assertion.check()?;
            let space = place.reached_existing()?;
            // A misspelt name would silently remove nothing.
            extraction::entity(&extraction::knowledge(&space, output)?, &self.entity)?;
            return tell(&space, &assertion, expires, output);
        };
        let assertion = Assertion::Property(ToldProperty {
            entity: self.entity,
            frame: self.frame.frame,
            frame_name: self.frame.name,
            property: self.name,
            value,
        });
        assertion.check()?;
        tell(&place.reached()?, &assertion, expires, output)
    }
}
