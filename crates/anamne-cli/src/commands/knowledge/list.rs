//! `anamne knowledge list`.

use anamne::{EntityQuery, EntityType, InvalidValue, Limits};
use serde_json::json;

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::{arguments, extraction, known};

/// List entities, most mentioned first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Hides entities with low confidence, and after thirty days those that only one
memory mentioned; --all includes them.

Examples:
  anamne knowledge list --type person
  anamne knowledge list --name hafen --all

With --json: {\"entities\": [{\"id\", \"name\", \"type\", \"state\", \"confidence\",
  \"mentions\", \"first_seen\", \"last_seen\", \"aliases\"?}], \"more\":
whether there are more}")]
pub(crate) struct List {
    /// Only those of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = arguments::entity_type())]
    sort: Option<EntityType>,
    /// Only names that contain this text, ignoring case
    #[arg(long, value_name = "PART")]
    name: Option<String>,
    /// Include uncertain and faded entities
    #[arg(long)]
    all: bool,
    /// Maximum number of entities, 1 to 1000
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    limit: usize,
}

impl List {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        Limits::check_results(self.limit)?;
        if self
            .name
            .as_deref()
            .is_some_and(|name| name.trim().is_empty())
        {
            return Err(InvalidValue::new("name", "a part of a name", "empty").into());
        }
        let query = EntityQuery {
            entity_type: self.sort,
            name: self.name,
            unconfirmed: self.all,
            // One extra row shows whether there are more.
            limit: self.limit + 1,
        };
        let space = place.existing_space()?;
        let mut found = extraction::knowledge(&space, output)?.entities(&query)?;
        let more = found.len() > self.limit;
        found.truncate(self.limit);
        if output.is_json() {
            return output.json(&json!({ "entities": found, "more": more }));
        }
        for entity in &found {
            known::print_entity(entity, output)?;
        }
        output.flush()?;
        if more {
            output.note(format_args!("the first {}; see --limit", found.len()));
        } else if found.is_empty() {
            let hint = if self.all {
                ""
            } else {
                "; --all includes unconfirmed ones"
            };
            output.note(format_args!(
                "no entities found in the space {}{hint}",
                space.name()
            ));
        }
        Ok(())
    }
}
