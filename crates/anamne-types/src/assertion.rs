//! Statements that people add to the knowledge graph.

use std::fmt::Write;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::limits::{accept, check_name, check_names, check_some, check_text};
use crate::{EntityType, InvalidValue, Limits, MemoryId, Perspective};

/// A statement about the knowledge graph. It is stored as a fact, outranks extracted statements, and ends when that
/// fact is forgotten or expires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "asserts", rename_all = "snake_case", deny_unknown_fields)]
pub enum Assertion {
    /// An entity exists.
    Entity {
        /// Its name.
        name: String,
        /// Its type.
        #[serde(rename = "type")]
        entity_type: EntityType,
        /// Its aliases.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        aliases: Vec<String>,
    },
    /// A relation between two entities.
    Relation {
        /// The subject.
        subject: String,
        /// The relation: words joined by `_`, such as `works_at`.
        relation: String,
        /// The object.
        object: String,
        /// Valid from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        valid_from: Option<Timestamp>,
        /// Valid until.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        valid_to: Option<Timestamp>,
    },
    /// A property of an entity.
    Property {
        /// The entity.
        entity: String,
        /// The frame.
        frame: Perspective,
        /// The property's name.
        property: String,
        /// Its value.
        value: String,
    },
    /// A denial: extracted statements about it no longer count.
    Denial {
        /// The entity.
        subject: String,
        /// The denied relation or property; `None` denies the entity.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        relation: Option<String>,
        /// The denied object; `None` denies all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        object: Option<String>,
    },
    /// Two similar names mean different entities.
    Distinct {
        /// One name.
        one: String,
        /// The other name.
        other: String,
    },
    /// Which side of a contradiction holds.
    Resolution {
        /// The contradiction's id.
        contradiction: String,
        /// The memory that holds.
        kept: MemoryId,
        /// The memory that does not.
        lost: MemoryId,
    },
}

impl Assertion {
    /// Its key in the metadata of its fact.
    pub const KEY: &'static str = "knowledge";

    /// Checks every name.
    pub fn check(&self) -> Result<(), InvalidValue> {
        match self {
            Self::Entity { name, aliases, .. } => {
                check_name("name", name)?;
                check_names("alias", aliases)
            }
            Self::Relation {
                subject,
                relation,
                object,
                valid_from,
                valid_to,
            } => {
                check_name("subject", subject)?;
                check_relation(relation)?;
                check_name("object", object)?;
                check_some(valid_from.zip(*valid_to), |(from, to)| {
                    accept(from < to, "valid_to", "a time after valid_from", to)
                })
            }
            Self::Property {
                entity,
                property,
                value,
                ..
            } => {
                check_name("entity", entity)?;
                check_relation(property)?;
                check_text("value", value, Limits::REASON_BYTES)
            }
            Self::Denial {
                subject,
                relation,
                object,
            } => {
                check_name("subject", subject)?;
                check_some(relation.as_deref(), check_relation)?;
                let is_told = relation.is_some() || object.is_none();
                accept(is_told, "relation", "the denied relation", "")?;
                check_names("object", object)
            }
            Self::Distinct { one, other } => {
                check_name("one", one)?;
                check_name("other", other)
            }
            Self::Resolution {
                contradiction,
                kept,
                lost,
            } => {
                accept(kept != lost, "keep", "one of the two memories", kept)?;
                check_name("contradiction", contradiction)
            }
        }
    }

    /// The sentence that is stored.
    pub fn sentence(&self) -> String {
        match self {
            Self::Entity {
                name,
                entity_type,
                aliases,
            } => {
                let also = if aliases.is_empty() {
                    ""
                } else {
                    ", also called "
                };
                let (what, aliases) = (with_article(*entity_type), aliases.join(", "));
                format!("{name} is {what}{also}{aliases}.")
            }
            Self::Relation {
                subject,
                relation,
                object,
                valid_from,
                valid_to,
            } => {
                let mut sentence = format!("{subject} {} {object}", relation.replace('_', " "));
                if let Some(from) = valid_from {
                    let _ = write!(sentence, ", from {}", from.strftime("%Y-%m-%d"));
                }
                if let Some(to) = valid_to {
                    let _ = write!(sentence, ", until {}", to.strftime("%Y-%m-%d"));
                }
                sentence + "."
            }
            Self::Property {
                entity,
                property,
                value,
                ..
            } => {
                format!("{entity}: {} is {value}.", property.replace('_', " "))
            }
            Self::Denial {
                subject,
                relation: None,
                ..
            } => {
                format!("{subject} is not an entity of its own.")
            }
            Self::Denial {
                subject,
                relation: Some(relation),
                object,
            } => {
                let relation = relation.replace('_', " ");
                let object = object.as_deref().unwrap_or("anything");
                format!("It is not so that {subject} {relation} {object}.")
            }
            Self::Distinct { one, other } => format!("{one} and {other} are not the same."),
            Self::Resolution {
                contradiction,
                kept,
                lost,
            } => {
                format!("Of contradiction {contradiction}, {kept} holds and {lost} does not.")
            }
        }
    }
}

fn with_article(entity_type: EntityType) -> String {
    let word = entity_type.as_str();
    let n = if word.starts_with(['a', 'e', 'i', 'o']) {
        "n"
    } else {
        ""
    };
    format!("a{n} {word}")
}

fn check_relation(relation: &str) -> Result<(), InvalidValue> {
    check_name("relation", relation)?;
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let accepts = "words joined by _, such as works_at";
    accept(relation.chars().all(is_word), "relation", accepts, relation)
}
