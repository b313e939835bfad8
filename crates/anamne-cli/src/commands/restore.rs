//! `anamne restore`.

use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::place::Place;

/// Restore forgotten memories
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne list --forgotten
  anamne restore m12

With --json: {\"memories\": [the memories as they stand now]}")]
pub(crate) struct Restore {
    /// The memories
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

impl Restore {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let ids = space.resolve_all(&self.ids)?;
        let mut restored = Vec::with_capacity(ids.len());
        for id in ids {
            restored.push(space.restore(id)?);
        }
        if output.is_json() {
            output.json(&json!({ "memories": restored }))?;
        } else {
            output.line(format_args!("restored {}", memories(restored.len() as u64)))?;
        }
        space.settle(output)
    }
}
