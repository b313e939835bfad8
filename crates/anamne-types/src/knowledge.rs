//! The words of the knowledge graph: entities, relations between them, and what is held to be true of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Refusal;
use crate::body::words;

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
        /// Read from one memory alone; gone after thirty days unless another one confirms it.
        Inferred = 1 "inferred",
        /// Confirmed, or told by someone.
        Active = 2 "active",
        /// Confirmed ten times.
        Stable = 3 "stable",
        /// Something else that was said can't be true beside it.
        Contested = 4 "contested",
    }
}

/// The identity of an entity: made from its name alone, so that weaving again gives the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntityId(pub Uuid);

impl fmt::Display for EntityId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for EntityId {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        Uuid::try_parse(text.trim())
            .map(Self)
            .map_err(|_| Refusal::new("entity", "the name or id of an entity", text))
    }
}
