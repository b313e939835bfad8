//! `anamne knowledge entity`.

use anamne::{Assertion, EntityScope, ToldEntity, TypeWord};
use serde_json::Value;

use super::asserting::{Counting, tell};
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::{arguments, extraction};

/// Add an entity, or change what was told about it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of the type, the scope, the tags and each attribute the last word counts.
`--attribute port=null` removes one. Former words stay in the history.

A personal entity concerns you alone: exports leave out what you told about it,
and language models on other machines don't get it. Memories that mention it are
not affected.

Examples:
  anamne knowledge entity \"Mara Lind\" --type person --alias Mara
  anamne knowledge entity Kestrel --type custom:vessel --attribute port=Emden
  anamne knowledge entity \"Dr. Rao\" --type person --scope personal
  anamne knowledge entity Kestrel --type project --expires \"in 3 months\"

With --json: {\"id\", \"citation\", \"seq\", \"space\", \"duplicate\", \"knowledge\": {…}}")]
pub(crate) struct Entity {
    /// Its name
    name: String,
    /// What it is, or custom:WORD; a known entity keeps its type
    #[arg(long = "type", value_name = "TYPE", value_parser = arguments::type_word())]
    sort: Option<TypeWord>,
    /// Another name; repeatable
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    /// A tag, in place of those told before; repeatable
    #[arg(long, value_name = "NAME")]
    tag: Vec<String>,
    /// Remove its tags
    #[arg(long, conflicts_with = "tag")]
    no_tags: bool,
    /// Whom it concerns [default: shared]
    #[arg(long, value_name = "SCOPE", value_parser = arguments::entity_scope())]
    scope: Option<EntityScope>,
    /// An attribute; the value is JSON if it is valid JSON, else text; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = arguments::metadata)]
    attribute: Vec<(String, Value)>,
    #[command(flatten)]
    counting: Counting,
}

impl Entity {
    pub(crate) fn run(mut self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let expires = self.counting.read(output)?;
        let TypeWord {
            entity_type,
            custom,
        } = match self.sort.take() {
            Some(sort) => sort,
            None => self.known_type(place, output)?,
        };
        let is_told = self.no_tags || !self.tag.is_empty();
        let assertion = Assertion::Entity(ToldEntity {
            name: self.name,
            entity_type,
            custom_type: custom,
            aliases: self.alias,
            tags: is_told.then_some(self.tag),
            scope: self.scope,
            attributes: self.attribute.into_iter().collect(),
        });
        assertion.check()?;
        tell(&place.reached()?, &assertion, expires, output)
    }

    fn known_type(&self, place: &Place, output: &Output) -> Result<TypeWord, Failure> {
        let knowledge = extraction::knowledge(&place.reached_existing()?, output)?;
        let Some(entity) = knowledge.entity(&self.name)? else {
            let message = "a new entity needs a type: --type person, or --type custom:WORD";
            return Err(Failure::refused("type", message));
        };
        Ok(TypeWord {
            entity_type: entity.entity_type,
            custom: entity.custom_type,
        })
    }
}
