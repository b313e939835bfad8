//! The words of the knowledge graph: entities, relations between them, and what is held to be true of them.

use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::body::words;
use crate::identity::shown_as_held;
use crate::{InvalidValue, MemoryId};

words! {
    /// What an entity is.
    EntityType as "entity type" {
        /// Someone, or an animal that is called by name.
        Person = 1 "person",
        /// A company, association, authority, school, team or band.
        Organisation = 2 "organisation",
        /// Something undertaken or made under a name: a product, a repository, a campaign.
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

words! {
    /// How far something of the knowledge graph is established.
    KnowledgeState as "state" {
        /// Read from one memory alone; passed over thirty days after we learned it, unless another one confirms it.
        Inferred = 1 "inferred",
        /// Confirmed by a second memory, or told by someone.
        Active = 2 "active",
        /// Confirmed by ten memories.
        Stable = 3 "stable",
        /// Something else that was said can't be true beside it.
        Contested = 4 "contested",
    }
}

words! {
    /// From which side an entity is looked at.
    Perspective as "frame" {
        /// What it is and has.
        Semantic = 1 "semantic",
        /// What happened to it, and when.
        Episodic = 2 "episodic",
        /// How to go about it.
        Procedural = 3 "procedural",
        /// What people chose to keep of it.
        Custom = 4 "custom",
    }
}

words! {
    /// What two statements that can't both hold are to each other.
    ConflictKind as "kind of contradiction" {
        /// The later one took the place of the earlier one: something changed.
        Superseded = 1 "superseded",
        /// Nobody can tell from the texts which one holds.
        Contested = 2 "contested",
    }
}

/// The identity of an entity: made from its name alone, so that extraction again gives the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntityId(pub Uuid);

shown_as_held!(EntityId);

impl FromStr for EntityId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        Uuid::try_parse(text.trim())
            .map(Self)
            .map_err(|_| InvalidValue::new("entity", "the name or id of an entity", text))
    }
}

/// A memory that bears something out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The memory.
    pub memory: MemoryId,
    /// How people cite it: `m12`.
    pub citation: String,
    /// When it happened.
    pub at: Timestamp,
}

/// Someone or something that memories name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    /// Its identity.
    pub id: EntityId,
    /// Its name, as it is written most often.
    pub name: String,
    /// What it is.
    #[serde(rename = "type")]
    pub entity_type: EntityType,
    /// How far it is established.
    pub state: KnowledgeState,
    /// How sure it is that this is an entity of that type, 0 to 1.
    pub confidence: f32,
    /// Memories that name it.
    pub mentions: u64,
    /// When it was first named.
    pub first_seen: Timestamp,
    /// When it was last named.
    pub last_seen: Timestamp,
    /// Its other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// What a relation leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Object {
    /// Another entity.
    Entity {
        /// Its identity.
        id: EntityId,
        /// Its name.
        name: String,
    },
    /// A value in words.
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

/// Something that is said of an entity, with everything that bears it out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// Its identity, made from both ends and what is said.
    pub id: String,
    /// The entity that it is about.
    pub subject: EntityId,
    /// That entity's name.
    pub subject_name: String,
    /// What is said: `works_at`.
    pub relation: String,
    /// The other end.
    pub object: Object,
    /// The frame in which it stands.
    pub frame: Perspective,
    /// How far it is established.
    pub state: KnowledgeState,
    /// Confidence summed over its evidence, in memories.
    pub weight: f32,
    /// How sure the best of its evidence is, 0 to 1.
    pub confidence: f32,
    /// Since when it is so, as far as that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Until when it was so: said, or the moment at which something else took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    /// When we learned it.
    pub recorded_at: Timestamp,
    /// Whether someone told it as knowledge, rather than that it was read from a text.
    pub told: bool,
    /// The memories that say so, the latest first, at most ten.
    pub evidence: Vec<Evidence>,
    /// How many there are.
    pub mentions: u64,
}

/// What is held of an entity from one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Which side.
    pub frame: Perspective,
    /// What is held, surest first; in the episodic frame the latest first.
    pub relations: Vec<Relation>,
    /// The memories that belong to this side as a whole: episodes, or skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<Evidence>,
}

/// One of two statements that can't both hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The memory that makes it.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// Who made it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The statement, word for word.
    pub quote: String,
}

/// Two statements that can't both hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// Its identity, made from both memories and the places in them.
    pub id: String,
    /// What the two are to each other.
    pub kind: ConflictKind,
    /// The earlier statement.
    pub earlier: Side,
    /// The later statement.
    pub later: Side,
    /// Why they can't both hold, for a person.
    pub reason: String,
    /// How sure that is, 0 to 1.
    pub confidence: f32,
    /// The memory that holds, where someone has decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<MemoryId>,
}

/// Two entities that may be the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuggestedMerge {
    /// The one that is named more often.
    pub into: Entity,
    /// The other one.
    pub from: Entity,
    /// Why they may be the same.
    pub reason: String,
}

/// What surrounds an entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Neighbourhood {
    /// The entities with how many steps each is away, nearest first.
    pub entities: Vec<(u32, Entity)>,
    /// The relations between them.
    pub relations: Vec<Relation>,
    /// Whether there is more that the limit left out.
    pub cut: bool,
}
