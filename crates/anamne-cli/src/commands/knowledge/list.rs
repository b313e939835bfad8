//! `anamne knowledge list`.

use anamne::{Entity, EntityQuery, EntityScope, FoundEntity, InvalidValue, Limits, TypeWord};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::reached::Listed;
use crate::{arguments, extraction, known};

/// List entities, most mentioned first, or those that fit a text
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Hides entities with low confidence, and after thirty days those that only one
memory mentioned, unless that memory was opened meanwhile; --all includes them.

--find compares meaning and words with the names, the types, tags, attributes
and properties that you told, and what the entity is said to be.

Examples:
  anamne knowledge list --type person
  anamne knowledge list --name hafen --all
  anamne knowledge list --find \"ships in the harbour\" --tag fleet
  anamne knowledge list --type custom:vessel --where port=Emden

With --json: {\"entities\": [{\"id\", \"name\", \"type\", \"custom_type\"?, \"state\",
  \"confidence\", \"mentions\", \"first_seen\", \"last_seen\", \"aliases\"?, \"scope\"?,
  \"tags\"?, \"attributes\"?, \"similarity\": with --find}], \"more\":
whether there are more}")]
pub(crate) struct List {
    /// Only those of this type, or custom:WORD
    #[arg(long = "type", value_name = "TYPE", value_parser = arguments::type_word())]
    sort: Option<TypeWord>,
    /// Only those that fit this text, most similar first
    #[arg(long, value_name = "TEXT")]
    find: Option<String>,
    /// Only names that contain this text, ignoring case
    #[arg(long, value_name = "PART")]
    name: Option<String>,
    /// Only those with this tag; repeatable
    #[arg(long, value_name = "NAME")]
    tag: Vec<String>,
    /// Only those with this attribute, ignoring case; repeatable
    #[arg(long = "where", value_name = "NAME=VALUE", value_parser = attribute)]
    attributes: Vec<(String, String)>,
    /// Only those of this scope
    #[arg(long, value_name = "SCOPE", value_parser = arguments::entity_scope())]
    scope: Option<EntityScope>,
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
            entity_type: self.sort.as_ref().map(|sort| sort.entity_type),
            custom_type: self.sort.and_then(|sort| sort.custom),
            name: self.name,
            tags: self.tag,
            attributes: self.attributes,
            scope: self.scope,
            unconfirmed: self.all,
            limit: self.limit,
        };
        let space = place.reached_existing()?;
        let knowledge = extraction::knowledge(&space, output)?;
        let found = match &self.find {
            Some(text) => print_found(knowledge.find(text, query, self.limit)?, output)?,
            None => print(&knowledge.entities(query, self.limit)?, output)?,
        };
        output.flush()?;
        let Some((shown, more)) = found else {
            return Ok(());
        };
        if more {
            output.note(format_args!("the first {shown}; see --limit"));
        } else if shown == 0 {
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

/// Parses `name=value` as text.
fn attribute(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("write it as name=value, such as port=Emden")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Prints entities; returns their number and whether there are more, or `None` with `--json`.
fn print(found: &Listed<Entity>, output: &mut Output) -> Result<Option<(usize, bool)>, Failure> {
    if output.is_json() {
        print_json(found, output)?;
        return Ok(None);
    }
    for entity in &found.list {
        known::print_entity(entity, output)?;
    }
    Ok(Some((found.list.len(), found.more)))
}

/// The same for entities that fit a text.
fn print_found(
    found: Listed<FoundEntity>,
    output: &mut Output,
) -> Result<Option<(usize, bool)>, Failure> {
    if output.is_json() {
        print_json(&found, output)?;
        return Ok(None);
    }
    let list = found.list.into_iter().map(|found| found.entity).collect();
    let more = found.more;
    print(&Listed { list, more }, output)
}

/// Serialised directly, so that a 32-bit 0.8 stays 0.8.
fn print_json<One: Serialize>(found: &Listed<One>, output: &mut Output) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Entities<'a, One> {
        entities: &'a [One],
        more: bool,
    }
    output.json(&Entities {
        entities: &found.list,
        more: found.more,
    })
}
