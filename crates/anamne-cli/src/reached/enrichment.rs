//! Enrichment of a space in either place: what rules note beside memories.

use std::collections::BTreeMap;

use anamne::{
    Category, EnrichedPart, Enrichment, EnrichmentState, Limits, Memory, MemoryId, Seq, Skipped,
    Space,
};
use anamne_client::{ClientError, Method, Query, RemoteSpace};
use serde::Deserialize;
use serde_json::json;

use super::{Reached, is_denied, is_missing};
use crate::enriched;
use crate::failure::Failure;

/// What was enriched.
#[derive(Debug, Deserialize)]
pub(crate) struct Enriched {
    /// Number of memories enriched now.
    pub(crate) memories: u64,
    /// The event up to which memories were enriched.
    pub(crate) events: Seq,
    /// Memories that were skipped.
    #[serde(default)]
    pub(crate) skipped: Skipped,
}

/// Whether enrichment is on.
#[derive(Deserialize)]
struct State {
    state: Option<EnrichmentState>,
}

impl Reached {
    /// Enriches what was written since.
    pub(crate) fn enrich(&self) -> Result<Enriched, Failure> {
        self.ask(
            |space| {
                let (report, skipped) = space.enrich(&mut |_| {})?;
                Ok(Enriched {
                    memories: report.memories,
                    events: report.reached,
                    skipped,
                })
            },
            |space| space.call(Method::Post, &["enrichment"], None::<&()>),
        )
    }

    /// The same before a list: on a server that won't do it now, because the space is large or the key may only read, the
    /// background does it.
    pub(crate) fn enrich_for_list(&self) -> Result<Skipped, Failure> {
        let Self::There(space) = self else {
            return Ok(self.enrich()?.skipped);
        };
        match space.call::<Enriched>(Method::Post, &["enrichment"], None::<&()>) {
            Err(error) if is_denied(&error) || is_too_large(&error) => Ok(Skipped::default()),
            enriched => Ok(enriched?.skipped),
        }
    }

    /// How far enrichment is; `None` if it is off.
    pub(crate) fn enrichment_state(&self) -> Result<Option<EnrichmentState>, Failure> {
        self.ask(Space::enrichment_state, |space| {
            let state: State = space.read(&["enrichment"], &Query::new())?;
            Ok(state.state)
        })
    }

    /// Turns enrichment on or off.
    pub(crate) fn set_enrichment(&self, on: bool, by_model: bool) -> Result<(), Failure> {
        self.ask(
            |space| space.set_enrichment(on, by_model).map(drop),
            |space| {
                let switch = json!({ "on": on, "by_model": by_model });
                let set = space.call::<State>(Method::Put, &["enrichment"], Some(&switch));
                set.map(drop)
            },
        )
    }

    /// The memories that the rules put into a category, newest first.
    pub(crate) fn enriched(
        &self,
        category: Category,
        limit: usize,
    ) -> Result<(Vec<Memory>, bool), Failure> {
        match self {
            Self::Here(space) => {
                let mut found = space.enriched(category, limit + 1)?;
                let more = found.len() > limit;
                found.truncate(limit);
                Ok((found, more))
            }
            Self::There(space) => {
                #[derive(Deserialize)]
                struct Found {
                    memories: Vec<Memory>,
                    more: bool,
                }
                let query = Query::new().with("category", category).with("limit", limit);
                let found: Found = space.read(&["enrichment", "memories"], &query)?;
                Ok((found.memories, found.more))
            }
        }
    }

    /// The enrichment of a memory.
    pub(crate) fn enrichment(&self, memory: &Memory) -> Result<Option<Enrichment>, Failure> {
        self.ask(
            |space| Ok(space.enrichments(&[memory])?.pop().flatten()),
            |space| enrichment_there(space, memory.id),
        )
    }

    /// The enrichment of memories, by id.
    pub(crate) fn enrichment_by_id(
        &self,
        memories: &[&Memory],
    ) -> Result<BTreeMap<MemoryId, Enrichment>, Failure> {
        match self {
            Self::Here(space) => enriched::by_id(space, memories),
            Self::There(space) => {
                let mut by_id = BTreeMap::new();
                for some in memories.chunks(Limits::RESULTS) {
                    by_id.extend(enrichment_of_each(space, some)?);
                }
                Ok(by_id)
            }
        }
    }

    /// Removes parts of a memory's enrichment for good.
    pub(crate) fn remove_enrichment(
        &self,
        id: MemoryId,
        parts: &[EnrichedPart],
    ) -> Result<(), Failure> {
        self.ask(
            |space| space.remove_enrichment(id, parts).map(drop),
            |space| {
                let parts: Vec<_> = parts.iter().map(ToString::to_string).collect();
                let route = ["memories", &id.to_string(), "enrichment", "removals"];
                let removed = space.post::<serde_json::Value>(&route, &json!({ "parts": parts }));
                removed.map(drop)
            },
        )
    }

    /// Lets what was removed be made again.
    pub(crate) fn restore_enrichment(&self, id: MemoryId) -> Result<(), Failure> {
        self.ask(
            |space| space.restore_enrichment(id).map(drop),
            |space| {
                let route = ["memories", &id.to_string(), "enrichment", "removals"];
                let restored = space.call::<serde_json::Value>(Method::Delete, &route, None::<&()>);
                restored.map(drop)
            },
        )
    }
}

/// Whether the space is too large to be worked through within a request.
fn is_too_large(error: &ClientError) -> bool {
    let problem = error.problem();
    problem.is_some_and(|problem| problem.field.as_deref() == Some("space"))
}

fn enrichment_there(space: &RemoteSpace, id: MemoryId) -> Result<Option<Enrichment>, ClientError> {
    let route = ["memories", &id.to_string(), "enrichment"];
    space.read_field(&route, &Query::new(), "enrichment")
}

/// The enrichment of memories, in one request; one that was erased since is left out. An older server is asked for each.
fn enrichment_of_each(
    space: &RemoteSpace,
    memories: &[&Memory],
) -> Result<impl Iterator<Item = (MemoryId, Enrichment)> + use<>, ClientError> {
    #[derive(Deserialize)]
    struct NotedEach {
        memories: Vec<Noted>,
    }
    #[derive(Deserialize)]
    struct Noted {
        memory: MemoryId,
        enrichment: Option<Enrichment>,
    }
    let ids: Vec<_> = memories.iter().map(|memory| memory.id).collect();
    let asked = space.post::<NotedEach>(&["memories", "enrichment"], &json!({ "ids": ids }));
    let noted = match asked {
        Err(error) if error.is_missing_route() => {
            let of_each = ids.into_iter().map(|memory| {
                let enrichment = match enrichment_there(space, memory) {
                    Err(error) if is_missing(&error) => None,
                    enrichment => enrichment?,
                };
                Ok(Noted { memory, enrichment })
            });
            of_each.collect::<Result<Vec<_>, ClientError>>()?
        }
        each => each?.memories,
    };
    let noted = noted.into_iter();
    Ok(noted.filter_map(|one| Some((one.memory, one.enrichment?))))
}
