//! Types of the knowledge graph: entities, relations and contradictions.

use std::collections::BTreeSet;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::body::string_enum;
use crate::identity::display_as_inner;
use crate::told::last_moment;
use crate::{Attributes, InvalidValue, MadeBy, MemoryId, RelationType};

string_enum! {
    /// The type of an entity.
    EntityType as "entity type" {
        /// A person, or an animal with a name.
        Person = 1 "person",
        /// A company, association, authority, school, team or band.
        Organisation = 2 "organisation",
        /// A product, repository, campaign or other named undertaking.
        Project = 3 "project",
        /// A program, library, language, service, device or instrument that is used.
        Tool = 4 "tool",
        /// A file or folder, by its path or name.
        File = 5 "file",
        /// A name in code: a function, type, table, option, variable, command.
        Symbol = 6 "symbol",
        /// An address on the web or of a person's mail.
        Url = 7 "url",
        /// A day, month, year or time of day.
        Date = 8 "date",
        /// A release of something: `v2.1.0`, `PostgreSQL 16`.
        Version = 9 "version",
        /// A country, town, street, building, room, mountain, river.
        Place = 10 "place",
        /// A named idea, method, standard, event, work, illness or thing that is none of the others.
        Concept = 11 "concept",
    }
}

impl Default for EntityType {
    /// What is none of the others.
    fn default() -> Self {
        Self::Concept
    }
}

string_enum! {
    /// Whom an entity concerns.
    EntityScope as "scope" {
        /// Everyone who reads the space.
        Shared = 1 "shared",
        /// The owner of the store: exports leave out what was told about it, and models on other machines don't get
        /// it.
        Personal = 2 "personal",
    }
}

impl Default for EntityScope {
    /// Without a word about it.
    fn default() -> Self {
        Self::Shared
    }
}

impl EntityScope {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    fn is_shared(&self) -> bool {
        *self == Self::Shared
    }
}

string_enum! {
    /// How well a statement or entity is established.
    KnowledgeState as "state" {
        /// From one memory only; ignored after thirty days unless confirmed.
        Inferred = 1 "inferred",
        /// Confirmed by a second memory, or asserted by someone.
        Active = 2 "active",
        /// Confirmed by ten memories.
        Stable = 3 "stable",
        /// Contradicted by another statement.
        Contested = 4 "contested",
    }
}

string_enum! {
    /// The perspective of a frame.
    Perspective as "frame" {
        /// What it is and has.
        Semantic = 1 "semantic",
        /// What happened to it, and when.
        Episodic = 2 "episodic",
        /// How to handle it.
        Procedural = 3 "procedural",
        /// Custom properties.
        Custom = 4 "custom",
    }
}

impl Default for Perspective {
    /// The frame of a told property.
    fn default() -> Self {
        Self::Custom
    }
}

string_enum! {
    /// The kind of contradiction between two statements.
    ConflictKind as "kind of contradiction" {
        /// The later one supersedes the earlier one: something changed.
        Superseded = 1 "superseded",
        /// The texts don't tell which one holds.
        Contested = 2 "contested",
    }
}

/// The id of an entity, derived from its name, so that extracting again gives the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct EntityId(pub Uuid);

display_as_inner!(EntityId);

impl FromStr for EntityId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        Uuid::try_parse(text.trim())
            .map(Self)
            .map_err(|_| InvalidValue::new("entity", "the name or id of an entity", text))
    }
}

/// A memory that supports a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evidence {
    /// The memory.
    pub memory: MemoryId,
    /// Its citation: `m12`.
    pub citation: String,
    /// When it happened.
    pub at: Timestamp,
}

/// An entity that memories mention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Entity {
    /// Its identity.
    pub id: EntityId,
    /// Its most frequent name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub entity_type: EntityType,
    /// Its type in another word, as told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_type: Option<String>,
    /// How well it is established.
    pub state: KnowledgeState,
    /// Confidence that this is an entity of that type, 0 to 1.
    pub confidence: f32,
    /// Number of memories that mention it.
    pub mentions: u64,
    /// First mention.
    pub first_seen: Timestamp,
    /// Latest mention.
    pub last_seen: Timestamp,
    /// Its aliases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Whom it concerns, as told.
    #[serde(default, skip_serializing_if = "EntityScope::is_shared")]
    pub scope: EntityScope,
    /// Its tags, as told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Its attributes, as told.
    #[serde(default, skip_serializing_if = "Attributes::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub attributes: Attributes,
}

impl Entity {
    /// Its custom type, or else its type.
    pub fn type_word(&self) -> &str {
        self.custom_type
            .as_deref()
            .unwrap_or(self.entity_type.as_str())
    }
}

/// An entity found by meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FoundEntity {
    /// How well it fits what was looked for, 0 to 1.
    pub similarity: f32,
    /// The entity.
    #[serde(flatten)]
    pub entity: Entity,
}

/// The object of a relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Object {
    /// Another entity.
    Entity {
        /// Its identity.
        id: EntityId,
        /// Its name.
        name: String,
    },
    /// A literal value.
    Value(String),
}

impl Object {
    /// The entity's name or the value.
    pub fn text(&self) -> &str {
        match self {
            Self::Entity { name, .. } | Self::Value(name) => name,
        }
    }
}

/// A relation of an entity, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Relation {
    /// Its id, derived from subject, relation and object.
    pub id: String,
    /// The subject.
    pub subject: EntityId,
    /// The subject's name.
    pub subject_name: String,
    /// The relation: `works_at`.
    pub relation: RelationType,
    /// The object.
    pub object: Object,
    /// The frame.
    pub frame: Perspective,
    /// The name of the custom frame, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_name: Option<String>,
    /// Whether it also holds from the object to the subject.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_ways: bool,
    /// How well it is established.
    pub state: KnowledgeState,
    /// Confidence times told weight, summed over its evidence, in memories.
    pub weight: f32,
    /// How strong it is, as told last, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_weight: Option<f32>,
    /// The highest confidence among its evidence, 0 to 1; the one told last if someone asserted it.
    pub confidence: f32,
    /// Valid from, if stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Valid until: stated, or superseded at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    /// When it was stored.
    pub recorded_at: Timestamp,
    /// Whether it was asserted by someone, not extracted.
    #[serde(alias = "told")]
    pub asserted: bool,
    /// What made it; a language model if one read any of the listed evidence.
    #[serde(default)]
    pub made_by: MadeBy,
    /// Its evidence, latest first, at most ten.
    pub evidence: Vec<Evidence>,
    /// Number of evidence memories.
    pub mentions: u64,
}

impl Relation {
    /// The last moment at which it holds, if it ends: `valid_to` is the first at which it doesn't.
    pub fn holds_through(&self) -> Option<Timestamp> {
        self.valid_to.map(last_moment)
    }
}

/// One perspective on an entity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Frame {
    /// The perspective.
    pub frame: Perspective,
    /// The name of a custom frame, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The relations, highest confidence first; in the episodic frame latest first.
    pub relations: Vec<Relation>,
    /// The memories of this perspective: episodes or skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<Evidence>,
}

/// One side of a contradiction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Side {
    /// The memory that states it.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// The author, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The statement, word for word.
    pub quote: String,
}

/// Two contradicting statements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Contradiction {
    /// Its id, derived from both memories and positions.
    pub id: String,
    /// The kind of contradiction.
    pub kind: ConflictKind,
    /// The earlier statement.
    pub earlier: Side,
    /// The later statement.
    pub later: Side,
    /// The reason, as a sentence.
    pub reason: String,
    /// Confidence, 0 to 1.
    pub confidence: f32,
    /// What found it; a language model if one judged what a rule found.
    #[serde(default)]
    pub made_by: MadeBy,
    /// The memory that holds, if resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<MemoryId>,
}

/// Two entities that may be the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SuggestedMerge {
    /// The one mentioned more often.
    pub into: Entity,
    /// The other one.
    pub from: Entity,
    /// Why they may be the same.
    pub reason: String,
}

/// The neighbourhood of an entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Neighbourhood {
    /// The entities with their distance in steps, nearest first.
    pub entities: Vec<(u32, Entity)>,
    /// The relations between them.
    pub relations: Vec<Relation>,
    /// Whether the limit was reached.
    pub cut: bool,
}

impl Neighbourhood {
    /// Removes personal entities and their relations.
    pub fn leave_out_personal(&mut self) {
        self.entities
            .retain(|(_, entity)| entity.scope == EntityScope::Shared);
        let shown: BTreeSet<EntityId> = self.entities.iter().map(|(_, entity)| entity.id).collect();
        self.relations.retain(|relation| {
            let object = match &relation.object {
                Object::Entity { id, .. } => Some(id),
                Object::Value(_) => None,
            };
            shown.contains(&relation.subject) && object.is_none_or(|id| shown.contains(id))
        });
    }
}
