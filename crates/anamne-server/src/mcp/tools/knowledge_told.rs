//! What `memory_knowledge` asserts, depending on which arguments are given.

use anamne::{
    Assertion, EntityType, FrameWord, InvalidValue, MemoryId, Perspective, ToldEntity,
    ToldProperty, ToldRelation,
};

use super::knowledge::{Knowledge, needed};
use crate::mcp::call_context::{CallContext, End};
use crate::mcp::reply::Failure;

impl Knowledge {
    /// The assertion of the actions assert and deny.
    pub(super) fn assertion(&self, call: &CallContext) -> Result<Assertion, Failure> {
        let action = self.action.as_str();
        let subject = needed("name", self.name.as_deref(), action)?.to_owned();
        if action == "deny" {
            return Ok(Assertion::Denial {
                subject,
                relation: self.relation.clone(),
                object: self.object.clone().or_else(|| self.value.clone()),
            });
        }
        let is_entity = self.entity_parts().any(|(_, is_given)| is_given);
        match (is_entity, &self.relation, &self.object, &self.value) {
            (true, None, None, None) => {
                check_absent(
                    self.relation_parts().chain(self.value_parts()),
                    "a relation",
                )?;
                self.entity(subject, call)
            }
            (_, Some(relation), Some(object), None) => {
                check_absent(self.entity_parts(), "an entity alone")?;
                check_absent(self.value_parts(), "a value")?;
                self.relation(subject, relation, object, call)
            }
            (_, Some(property), None, Some(value)) => {
                check_absent(self.entity_parts(), "an entity alone")?;
                check_absent(self.relation_parts(), "a relation to an object")?;
                self.property(subject, property, value)
            }
            _ => Err(InvalidValue::new(
                "assert",
                "given a type, tags or attributes, or a relation with an object or a value",
                "something else",
            )
            .into()),
        }
    }

    /// Arguments about an entity, and whether each is given.
    fn entity_parts(&self) -> impl Iterator<Item = (&'static str, bool)> {
        [
            ("type", self.sort.is_some()),
            ("custom_type", self.custom_type.is_some()),
            ("aliases", self.aliases.is_some()),
            ("tags", self.tags.is_some()),
            ("scope", self.scope.is_some()),
            ("attributes", self.attributes.is_some()),
        ]
        .into_iter()
    }

    /// Arguments about a relation between entities.
    fn relation_parts(&self) -> impl Iterator<Item = (&'static str, bool)> {
        [
            ("both_ways", self.both_ways.is_some()),
            ("weight", self.weight.is_some()),
            ("confidence", self.confidence.is_some()),
            ("evidence", self.evidence.is_some()),
            ("since", self.since.is_some()),
            ("until", self.until.is_some()),
        ]
        .into_iter()
    }

    fn value_parts(&self) -> impl Iterator<Item = (&'static str, bool)> {
        std::iter::once(("frame", self.frame.is_some()))
    }

    fn entity(&self, name: String, call: &CallContext) -> Result<Assertion, Failure> {
        let entity_type = self.sort.as_deref().map(str::parse).transpose()?;
        let (entity_type, custom_type) = match (entity_type, &self.custom_type) {
            (None, None) => self.known_type(&name, call)?,
            (given, custom) => (given.unwrap_or_default(), custom.clone()),
        };
        Ok(Assertion::Entity(ToldEntity {
            name,
            entity_type,
            custom_type,
            aliases: self.aliases.clone().unwrap_or_default(),
            tags: self.tags.clone(),
            scope: self.scope.as_deref().map(str::parse).transpose()?,
            attributes: self.attributes.clone().unwrap_or_default(),
        }))
    }

    /// The type of a known entity.
    fn known_type(
        &self,
        name: &str,
        call: &CallContext,
    ) -> Result<(EntityType, Option<String>), Failure> {
        let (_, graph) = self.extracted(call)?;
        let Ok(known) = graph.entity(name) else {
            let accepts = "given for an entity that is not known yet";
            return Err(InvalidValue::new("type", accepts, "missing").into());
        };
        Ok((known.entity_type, known.custom_type))
    }

    fn relation(
        &self,
        subject: String,
        relation: &str,
        object: &str,
        call: &CallContext,
    ) -> Result<Assertion, Failure> {
        let now = call.now();
        Ok(Assertion::Relation(ToldRelation {
            subject,
            relation: relation.to_owned(),
            object: object.to_owned(),
            both_ways: self.both_ways.unwrap_or(false),
            weight: self.weight,
            confidence: self.confidence,
            evidence: self.evidence(call)?,
            valid_from: call.instant("since", self.since.as_deref(), End::Start, now)?,
            valid_to: call.instant("until", self.until.as_deref(), End::Close, now)?,
        }))
    }

    fn evidence(&self, call: &CallContext) -> Result<Vec<MemoryId>, Failure> {
        let named = self.evidence.as_deref().unwrap_or_default();
        let mut named = named
            .split([' ', ','])
            .filter(|id| !id.is_empty())
            .peekable();
        if named.peek().is_none() {
            return Ok(Vec::new());
        }
        let space = call.space(self.space.as_deref())?;
        let ids = named
            .map(|id| space.resolve(id))
            .collect::<Result<_, _>>()?;
        Ok(ids)
    }

    fn property(&self, entity: String, property: &str, value: &str) -> Result<Assertion, Failure> {
        let frame = self.frame.as_deref().map(str::parse::<FrameWord>);
        let FrameWord { frame, name } = frame.transpose()?.unwrap_or(FrameWord {
            frame: Perspective::Custom,
            name: None,
        });
        Ok(Assertion::Property(ToldProperty {
            entity,
            frame,
            frame_name: name,
            property: property.to_owned(),
            value: value.to_owned(),
        }))
    }
}

/// Rejects an argument that would be ignored.
fn check_absent(
    mut parts: impl Iterator<Item = (&'static str, bool)>,
    of: &str,
) -> Result<(), InvalidValue> {
    match parts.find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((field, _)) => {
            let accepts = format!("left out here: it belongs to {of}");
            Err(InvalidValue::new(field, accepts, "given"))
        }
    }
}
