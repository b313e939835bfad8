//! `anamne knowledge`, with one file per subcommand.

mod asserting;
mod deny;
mod distinct;
mod entity;
mod list;
mod merge;
mod property;
mod relation;
mod show;
mod suggestions;

use anamne::{EntityQuery, EntityType};
use serde_json::json;

use crate::extraction;
use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, Output, counted, paint};
use crate::place::Place;
use crate::reached::{COUNTED, EntityOverview, Known};
use crate::wording::{at_most, number, one_line, wrapped};

/// Names shown per type.
const NAMED: usize = 5;

/// Show and edit the knowledge graph: entities and relations
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Entities (people, tools, places, …), relations and contradictions are
extracted automatically. What you add by hand outranks them. It is stored as a
fact, which recall finds; the command prints its citation, and `anamne forget
m12` removes it.

Examples:
  anamne knowledge
  anamne knowledge list --type person
  anamne knowledge list --find \"ships in the harbour\"
  anamne knowledge show \"Mara Lind\"
  anamne knowledge relation \"Mara Lind\" works_at \"Hafen GmbH\" --from 2026-03
  anamne knowledge property \"Mara Lind\" shoe_size 39
  anamne knowledge merge Mara \"Mara Lind\"
  anamne graph \"Mara Lind\"

With --json: {\"space\", \"entities\": {type: count}, \"events\": log
position, \"behind\": events not extracted yet, \"open_contradictions\",
  \"suggested_merges\"}")]
pub(crate) struct Knowledge {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What can be asked of knowledge, and told.
#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::List),
    Show(show::Show),
    Entity(entity::Entity),
    Relation(relation::Relation),
    Property(property::Property),
    Deny(deny::Deny),
    Merge(merge::Merge),
    Distinct(distinct::Distinct),
    Suggestions(suggestions::Suggestions),
}

impl Knowledge {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        match self.command {
            None => overview(place, output),
            Some(Command::List(command)) => command.run(place, output),
            Some(Command::Show(command)) => command.run(place, output),
            Some(Command::Entity(command)) => command.run(place, output),
            Some(Command::Relation(command)) => command.run(place, output),
            Some(Command::Property(command)) => command.run(place, output),
            Some(Command::Deny(command)) => command.run(place, output),
            Some(Command::Merge(command)) => command.run(place, output),
            Some(Command::Distinct(command)) => command.run(place, output),
            Some(Command::Suggestions(command)) => command.run(place, output),
        }
    }
}

fn overview(place: &Place, output: &mut Output) -> Result<(), Failure> {
    let space = place.reached_existing()?;
    let knowledge = extraction::knowledge(&space, output)?;
    let EntityOverview {
        entities,
        events,
        behind,
        contradictions: open,
        merges,
    } = knowledge.overview()?;
    if output.is_json() {
        let entities: serde_json::Map<_, _> = entities
            .iter()
            .map(|(entity_type, count)| (entity_type.to_string(), json!(count)))
            .collect();
        return output.json(&json!({
            "space": space.name(),
            "entities": entities,
            "events": events,
            "behind": behind,
            "open_contradictions": open,
            "suggested_merges": merges,
        }));
    }
    if entities.is_empty() {
        output.line(format_args!(
            "no entities in the space {} yet",
            space.name()
        ))?;
    }
    for (entity_type, count) in &entities {
        print_type(*entity_type, *count, &knowledge, output)?;
    }
    if open + merges > 0 {
        output.line("")?;
    }
    print_open(open, "open contradiction", "anamne resolve", output)?;
    let suggestions = "anamne knowledge suggestions";
    print_open(merges, "pair that may be the same", suggestions, output)?;
    output.flush()?;
    let left = match behind {
        0 => "all of it".to_owned(),
        behind => format!("{} to go", counted(behind, "event")),
    };
    output.note(format_args!(
        "space {}, extracted up to event {} ({left})",
        space.name(),
        number(events.0)
    ));
    Ok(())
}

/// Prints the number of entities of a type, and the names mentioned by most memories.
fn print_type(
    entity_type: EntityType,
    count: u64,
    knowledge: &Known,
    output: &mut Output,
) -> Result<(), Failure> {
    const COLUMN: usize = 24;
    let query = EntityQuery {
        entity_type: Some(entity_type),
        ..EntityQuery::default()
    };
    let names: Vec<_> = knowledge
        .entities(query, NAMED)?
        .list
        .iter()
        .map(|entity| one_line(&entity.name))
        .collect();
    let more = if count > names.len() as u64 {
        ", …"
    } else {
        ""
    };
    let width = output.width.saturating_sub(COLUMN);
    let names = at_most(
        wrapped(&format!("{}{more}", names.join(", ")), width),
        1,
        width,
    );
    output.line(format_args!(
        "{}  {:>8}  {}",
        paint(BOLD, format_args!("{entity_type:12}")),
        number(count),
        paint(DIM, names.join(" "))
    ))
}

fn print_open(count: u64, what: &str, command: &str, output: &mut Output) -> Result<(), Failure> {
    if count == 0 {
        return Ok(());
    }
    let plural = what.replacen("pair ", "pairs ", 1);
    let what = match (count, plural == what) {
        (1, _) => what.to_owned(),
        (_, true) => format!("{what}s"),
        (_, false) => plural,
    };
    let more = if count as usize == COUNTED { "+" } else { "" };
    output.line(format_args!(
        "{}{more} {what}: {}",
        number(count),
        paint(CYAN, command)
    ))
}
