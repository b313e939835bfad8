//! Statements that people add to the knowledge graph.

use serde::{Deserialize, Serialize};

use crate::limits::{accept, check_name, check_names, check_some};
use crate::told::check_word;
use crate::{
    EntityScope, InvalidValue, Memory, MemoryId, Metadata, ToldEntity, ToldProperty, ToldRelation,
};

/// A statement about the knowledge graph. It is stored as a fact, outranks extracted statements, and ends when that
/// fact is forgotten or expires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "asserts", rename_all = "snake_case", deny_unknown_fields)]
pub enum Assertion {
    /// An entity exists.
    Entity(ToldEntity),
    /// A relation between two entities.
    Relation(ToldRelation),
    /// A property of an entity.
    Property(ToldProperty),
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

    /// The assertion of a memory; `None` for an ordinary one, also if it has foreign metadata under the same key.
    pub fn of(memory: &Memory) -> Option<Self> {
        Self::in_metadata(&memory.metadata)
    }

    /// The assertion in a memory's metadata.
    pub fn in_metadata(metadata: &Metadata) -> Option<Self> {
        let stored = metadata.get(Self::KEY)?;
        let assertion = Self::deserialize(stored).ok()?;
        assertion.check().is_ok().then_some(assertion)
    }

    /// Whether it says that an entity is personal.
    pub fn is_personal(&self) -> bool {
        matches!(self, Self::Entity(told) if told.scope == Some(EntityScope::Personal))
    }

    /// The names of the entities that it is about.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Entity(told) => {
                let aliases = told.aliases.iter().map(String::as_str);
                std::iter::once(told.name.as_str()).chain(aliases).collect()
            }
            Self::Relation(told) => vec![&told.subject, &told.object],
            Self::Property(told) => vec![&told.entity],
            Self::Denial {
                subject, object, ..
            } => {
                let object = object.as_deref().into_iter();
                std::iter::once(subject.as_str()).chain(object).collect()
            }
            Self::Distinct { one, other } => vec![one, other],
            Self::Resolution { .. } => Vec::new(),
        }
    }

    /// Checks every name.
    pub fn check(&self) -> Result<(), InvalidValue> {
        match self {
            Self::Entity(told) => told.check(),
            Self::Relation(told) => told.check(),
            Self::Property(told) => told.check(),
            Self::Denial {
                subject,
                relation,
                object,
            } => {
                check_name("subject", subject)?;
                check_some(relation.as_deref(), |word| check_word("relation", word))?;
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
            Self::Entity(told) => told.sentence(),
            Self::Relation(told) => told.sentence(),
            Self::Property(told) => told.sentence(),
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
