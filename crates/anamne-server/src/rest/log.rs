//! The log of changes: what, when, and by whom.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use anamne::{
    ActorKind, Error, EventKind, GuardNote, InvalidValue, LogEntry, LogQuery, Memory, MemoryId,
    Space,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Routes, twenty};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

/// Most words of a list in the URL.
const MOST_WORDS: usize = 32;

pub(super) fn routes() -> Routes {
    OpenApiRouter::new().routes(routes!(list))
}

/// Which events to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Which {
    /// At or after this time.
    since: Option<Timestamp>,
    /// Before this time.
    until: Option<Timestamp>,
    /// By actors of these kinds, separated by commas: `user`, `agent`, `tool`, `system`.
    actor_kinds: Option<String>,
    /// By the actor with this name.
    actor: Option<String>,
    /// Of these kinds, separated by commas: `erased,forgotten`.
    kinds: Option<String>,
    /// About this memory: an id, the beginning of one, or a citation.
    memory: Option<String>,
    /// Oldest first instead of newest first.
    #[serde(default)]
    oldest_first: bool,
    /// Number of events to skip.
    #[serde(default)]
    #[param(default = 0)]
    offset: usize,
    /// Maximum number, 1 to 1000.
    #[serde(default = "twenty")]
    #[param(default = 20, minimum = 1, maximum = 1000)]
    limit: usize,
}

/// The words of a list in the URL.
fn words<T: FromStr<Err = InvalidValue>>(
    field: &str,
    list: Option<&str>,
) -> Result<Vec<T>, InvalidValue> {
    let words: Vec<&str> = list.into_iter().flat_map(|list| list.split(',')).collect();
    if words.len() > MOST_WORDS {
        let accepts = format!("at most {MOST_WORDS} words");
        return Err(InvalidValue::new(field, accepts, words.len()));
    }
    words.into_iter().map(str::parse).collect()
}

impl Which {
    /// The query, without the memory.
    fn query(&self) -> Result<LogQuery, InvalidValue> {
        let query = LogQuery {
            since: self.since,
            until: self.until,
            actor_kinds: words::<ActorKind>("actor_kinds", self.actor_kinds.as_deref())?,
            actor_names: self.actor.iter().cloned().collect(),
            kinds: words::<EventKind>("kinds", self.kinds.as_deref())?,
            memory: None,
            oldest_first: self.oldest_first,
            limit: self.limit,
            offset: self.offset,
            after: None,
        };
        query.check()?;
        Ok(query)
    }
}

/// Events.
#[derive(Debug, Serialize, ToSchema)]
struct LoggedEvents {
    /// The events.
    events: Vec<LogEntry>,
    /// Whether there are more.
    more: bool,
    /// The kinds that the guard found in the memories of these events, by their ids.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, BTreeSet<String>>)]
    guard: GuardedKinds,
}

/// The kinds that the guard found in memories, by their ids.
pub type GuardedKinds = BTreeMap<MemoryId, BTreeSet<String>>;

/// The kinds that the guard found in the memories of these events.
pub fn guarded_kinds(space: &Space, events: &[LogEntry]) -> Result<GuardedKinds, Error> {
    let mut ids: Vec<_> = events.iter().map(|entry| entry.event.memory).collect();
    ids.sort_unstable();
    ids.dedup();
    let memories = space.get_each(&ids)?.into_iter();
    let kinds = |memory: &Memory| -> BTreeSet<String> {
        let notes = GuardNote::of(&memory.metadata).into_iter();
        notes.map(|note| note.kind).collect()
    };
    let found = memories.map(|memory| (memory.id, kinds(&memory)));
    Ok(found.filter(|(_, kinds)| !kinds.is_empty()).collect())
}

/// List the changes: what, when, and by whom
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/log",
    tag = "log",
    operation_id = "list_log",
    params(InSpace, Which),
    responses((status = 200, body = LoggedEvents), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(which): Query<Which>,
) -> Result<Json<LoggedEvents>, Problem> {
    let mut query = which.query()?;
    let listed = caller.with_space(space, move |space| {
        if let Some(memory) = &which.memory {
            query.memory = Some(space.resolve(memory)?);
        }
        let events = space.log(&query)?;
        let is_full = events.len() == query.limit;
        let next = LogQuery {
            offset: query.offset + events.len(),
            limit: 1,
            ..query
        };
        let more = is_full && next.check().is_ok() && !space.log(&next)?.is_empty();
        let guard = guarded_kinds(space, &events)?;
        Ok(LoggedEvents {
            events,
            more,
            guard,
        })
    });
    listed.await.map(Json)
}
