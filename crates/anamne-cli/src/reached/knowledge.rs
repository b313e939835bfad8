//! The knowledge graph of a space in either place.

use anamne::{
    Assertion, ConflictKind, Contradiction, ContradictionQuery, Entity, EntityQuery, EntityType,
    Error, Evidence, FoundEntity, Frame, GraphError, Knowledge, KnownElsewhere, MemoryId,
    Neighbourhood, Relation, Remembered, Seq, SuggestedMerge,
};
use anamne_client::{Query, RemoteSpace};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Reached, is_missing};
use crate::failure::Failure;

/// Maximum entities shown as mentioned together with one.
const TOGETHER: usize = 12;

/// Contradictions and pairs are counted up to this number.
pub(crate) const COUNTED: usize = 1_000;

/// What a space knows.
pub(crate) enum Known {
    /// On this machine.
    Here(Box<Knowledge>),
    /// On a server.
    There(RemoteSpace),
}

/// What a space knows, in numbers.
pub(crate) struct EntityOverview {
    /// Number of entities by type.
    pub(crate) entities: Vec<(EntityType, u64)>,
    pub(crate) events: Seq,
    pub(crate) behind: u64,
    /// Open contradictions, at most [`COUNTED`].
    pub(crate) contradictions: u64,
    /// Suggested merges, at most [`COUNTED`].
    pub(crate) merges: u64,
}

/// An entity and what is known about it.
#[derive(Debug, Deserialize)]
pub(crate) struct EntityDetails {
    pub(crate) entity: Entity,
    pub(crate) frames: Vec<Frame>,
    pub(crate) mentions: Vec<Evidence>,
    pub(crate) named_together: Vec<Together>,
    #[serde(default)]
    pub(crate) elsewhere: Vec<KnownElsewhere>,
}

/// An entity that the same memories name as another.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Together {
    pub(crate) memories: u64,
    pub(crate) entity: Entity,
}

/// Some of a list.
pub(crate) struct Listed<One> {
    pub(crate) list: Vec<One>,
    /// Whether there are more.
    pub(crate) more: bool,
}

impl<One> Listed<One> {
    /// The first `limit` of a list that was read with one more.
    fn cut(mut list: Vec<One>, limit: usize) -> Self {
        let more = list.len() > limit;
        list.truncate(limit);
        Self { list, more }
    }
}

impl Known {
    /// Its numbers.
    pub(crate) fn overview(&self) -> Result<EntityOverview, Failure> {
        match self {
            Self::Here(knowledge) => Ok(EntityOverview {
                entities: knowledge.counts()?,
                events: knowledge.position()?,
                behind: knowledge.behind()?,
                contradictions: knowledge.contradictions(&open(COUNTED))?.len() as u64,
                merges: knowledge.suggested_merges(COUNTED)?.len() as u64,
            }),
            Self::There(space) => overview_there(space),
        }
    }

    /// The first `limit` entities of a query, whose own limit doesn't count.
    pub(crate) fn entities(
        &self,
        query: EntityQuery,
        limit: usize,
    ) -> Result<Listed<Entity>, Failure> {
        match self {
            Self::Here(knowledge) => {
                let query = EntityQuery {
                    limit: limit + 1,
                    ..query
                };
                Ok(Listed::cut(knowledge.entities(&query)?, limit))
            }
            Self::There(space) => listed_there(space, None, &query, limit),
        }
    }

    /// Those that fit a text, most similar first.
    pub(crate) fn find(
        &self,
        text: &str,
        query: EntityQuery,
        limit: usize,
    ) -> Result<Listed<FoundEntity>, Failure> {
        match self {
            Self::Here(knowledge) => {
                let query = EntityQuery {
                    limit: limit + 1,
                    ..query
                };
                Ok(Listed::cut(knowledge.find(text, &query)?, limit))
            }
            Self::There(space) => listed_there(space, Some(text), &query, limit),
        }
    }

    /// The entity with this name, alias or id, if there is one.
    pub(crate) fn entity(&self, name: &str) -> Result<Option<Entity>, Failure> {
        match self {
            Self::Here(knowledge) => match knowledge.entity(name) {
                Err(Error::Knowledge(GraphError::NoEntity { .. })) => Ok(None),
                found => Ok(Some(found?)),
            },
            Self::There(space) => {
                let query = Query::new().with("limit", 1);
                let route = ["knowledge", "entities", name.trim()];
                match space.read_field(&route, &query, "entity") {
                    Err(error) if is_missing(&error) => Ok(None),
                    found => Ok(Some(found?)),
                }
            }
        }
    }

    /// Names like one that no entity has, most similar first. A server doesn't name any.
    pub(crate) fn nearest_names(&self, name: &str, limit: usize) -> Result<Vec<String>, Failure> {
        match self {
            Self::Here(knowledge) => Ok(knowledge.nearest_names(name, limit)?),
            Self::There(_) => Ok(Vec::new()),
        }
    }

    /// What is known about the entity with this id, with its latest `mentions`.
    pub(crate) fn details(&self, id: &str, mentions: usize) -> Result<EntityDetails, Failure> {
        match self {
            Self::Here(knowledge) => {
                let (entity, frames) = knowledge.frames(id)?;
                let together = knowledge.named_together(id, TOGETHER)?.into_iter();
                Ok(EntityDetails {
                    entity,
                    frames,
                    mentions: knowledge.mentions(id, mentions)?,
                    named_together: together
                        .map(|(memories, entity)| Together { memories, entity })
                        .collect(),
                    elsewhere: knowledge.elsewhere(id)?,
                })
            }
            Self::There(space) => {
                let query = Query::new().with("limit", mentions);
                Ok(space.read(&["knowledge", "entities", id], &query)?)
            }
        }
    }

    /// The entities around the one with this id.
    pub(crate) fn neighbourhood(
        &self,
        id: &str,
        steps: u32,
        limit: usize,
        shared: bool,
    ) -> Result<Neighbourhood, Failure> {
        match self {
            Self::Here(knowledge) => {
                let mut around = knowledge.neighbourhood(id, steps, limit)?;
                if shared {
                    around.leave_out_personal();
                }
                Ok(around)
            }
            Self::There(space) => {
                let query = Query::new()
                    .with("steps", steps)
                    .with("limit", limit)
                    .with("shared", shared);
                let route = ["knowledge", "entities", id, "graph"];
                let around: Around = space.read(&route, &query)?;
                Ok(around.into())
            }
        }
    }

    /// Entities that may be the same.
    pub(crate) fn suggested_merges(&self, limit: usize) -> Result<Vec<SuggestedMerge>, Failure> {
        match self {
            Self::Here(knowledge) => Ok(knowledge.suggested_merges(limit)?),
            Self::There(space) => {
                let query = Query::new().with("limit", limit);
                Ok(space.read_field(&["knowledge", "suggestions"], &query, "suggestions")?)
            }
        }
    }

    /// Open contradictions, or all of them, latest first.
    pub(crate) fn contradictions(
        &self,
        all: bool,
        limit: usize,
    ) -> Result<Listed<Contradiction>, Failure> {
        match self {
            Self::Here(knowledge) => {
                let query = ContradictionQuery {
                    kind: (!all).then_some(ConflictKind::Contested),
                    open: !all,
                    limit: limit + 1,
                    ..ContradictionQuery::default()
                };
                Ok(Listed::cut(knowledge.contradictions(&query)?, limit))
            }
            Self::There(space) => {
                let query = Query::new().with("all", all).with("limit", limit);
                let found: Value = space.read(&["contradictions"], &query)?;
                list_of(found, "contradictions")
            }
        }
    }

    /// The contradiction with this id, or beginning of an id.
    pub(crate) fn contradiction(&self, id: &str) -> Result<Contradiction, Failure> {
        match self {
            Self::Here(knowledge) => Ok(knowledge.contradiction(id)?),
            Self::There(space) => Ok(space.read(&["contradictions", id], &Query::new())?),
        }
    }
}

impl Reached {
    /// Stores a statement about the graph.
    pub(crate) fn assert(
        &self,
        assertion: &Assertion,
        expires_at: Option<Timestamp>,
    ) -> Result<Remembered, Failure> {
        self.ask(
            |space| space.assert(assertion, expires_at),
            |space| {
                let told = json!({ "assertion": assertion, "expires_at": expires_at });
                space.post(&["knowledge", "assertions"], &told)
            },
        )
    }

    /// Decides that `kept` is the side of a contradiction that holds.
    pub(crate) fn decide(&self, id: &str, kept: MemoryId) -> Result<Remembered, Failure> {
        self.ask(
            |space| space.assert(&space.resolution(id, kept)?, None),
            |space| {
                #[derive(Deserialize)]
                struct Decided {
                    decision: Remembered,
                }
                let route = ["contradictions", id, "resolution"];
                let decided: Decided = space.post(&route, &json!({ "keep": kept }))?;
                Ok(decided.decision)
            },
        )
    }
}

fn open(limit: usize) -> ContradictionQuery {
    ContradictionQuery {
        kind: Some(ConflictKind::Contested),
        open: true,
        limit,
        ..ContradictionQuery::default()
    }
}

fn overview_there(space: &RemoteSpace) -> Result<EntityOverview, Failure> {
    #[derive(Deserialize)]
    struct Overview {
        entities: std::collections::BTreeMap<EntityType, u64>,
        events: Seq,
        behind: u64,
        open_contradictions: u64,
        suggested_merges: u64,
    }
    let told: Overview = space.read(&["knowledge"], &Query::new())?;
    Ok(EntityOverview {
        entities: told.entities.into_iter().collect(),
        events: told.events,
        behind: told.behind,
        contradictions: told.open_contradictions,
        merges: told.suggested_merges,
    })
}

fn listed_there<One: DeserializeOwned>(
    space: &RemoteSpace,
    find: Option<&str>,
    query: &EntityQuery,
    limit: usize,
) -> Result<Listed<One>, Failure> {
    let asked = Query::new()
        .maybe("type", query.entity_type)
        .maybe("custom_type", query.custom_type.as_ref())
        .maybe("find", find)
        .maybe("name", query.name.as_ref())
        .maybe("scope", query.scope)
        .with("unconfirmed", query.unconfirmed)
        .with("limit", limit);
    let tags = query.tags.iter();
    let asked = tags.fold(asked, |asked, tag| asked.with("tag", tag));
    let attributes = query.attributes.iter();
    let asked = attributes.fold(asked, |asked, (name, value)| {
        asked.with("attribute", format!("{name}={value}"))
    });
    let found: Value = space.read(&["knowledge", "entities"], &asked)?;
    list_of(found, "entities")
}

/// The list in an answer, under its name.
fn list_of<One: DeserializeOwned>(mut answer: Value, name: &str) -> Result<Listed<One>, Failure> {
    let list = serde_json::from_value(answer[name].take())
        .map_err(|error| Failure::failed(format!("the server's answer can't be read: {error}")))?;
    let more = answer["more"].as_bool().unwrap_or_default();
    Ok(Listed { list, more })
}

/// A neighbourhood as a server answers it.
#[derive(Deserialize)]
struct Around {
    entities: Vec<Near>,
    relations: Vec<Relation>,
    cut: bool,
}

#[derive(Deserialize)]
struct Near {
    steps: u32,
    entity: Entity,
}

impl From<Around> for Neighbourhood {
    fn from(around: Around) -> Self {
        let entities = around.entities.into_iter();
        Self {
            entities: entities.map(|near| (near.steps, near.entity)).collect(),
            relations: around.relations,
            cut: around.cut,
        }
    }
}
