//! Memories: store one or many, read, edit, forget, restore and erase.

use std::fmt;
use std::sync::Arc;

use anamne::{
    Dispute, Draft, DraftOutcome, DraftRefusal, Edit, Error, Limits, Memory, MemoryId, MemoryUse,
    OutsideErasure, Provenance, Remembered, RequestKey, Space, StoreError, Version,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::conditional;
use crate::http::body::{Json, Path, Query};
use crate::http::{App, Caller, Problem};

/// Memories in one request.
const MOST: usize = Limits::RESULTS;

/// A client's name for a request that it may send again.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Says that an answer is that of an earlier request with the same key.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(store))
        .routes(routes!(store_many))
        .routes(routes!(read, edit, delete))
        .routes(routes!(restore))
        .routes(routes!(history))
        .routes(routes!(origin))
        .routes(routes!(forget_many))
}

/// Store a memory; the space is created if it is missing
///
/// The answer is sent once the memory is durable and found by every query. With `Idempotency-Key`, the same memory sent
/// again with the same key within 24 hours gets the same answer, and nothing is stored; another one with this key is
/// refused (422), and so is one whose first request is still worked on (409).
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories",
    tag = "memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters, chosen by the client for this request")
    ),
    responses(
        (status = 201, body = Remembered),
        (status = 200, description = "It was known before", body = Remembered),
        (status = "default", body = Problem)
    )
)]
async fn store(
    caller: Caller,
    Path(space): Path<String>,
    headers: HeaderMap,
    Json(draft): Json<Draft>,
) -> Result<Response, Problem> {
    let Some(key) = request_key(&caller, &headers)? else {
        let told = caller
            .with_new_space(space, move |space| space.remember(draft))
            .await?;
        return Ok(remembered(told));
    };
    let told = caller
        .with_new_space(space, move |space| {
            space.remember_once(Some(&key), &[draft])
        })
        .await?;
    let response = match told.outcomes.into_iter().next() {
        Some(DraftOutcome::Remembered(told)) => remembered(told),
        Some(DraftOutcome::Refused(refusal)) => Problem::from(refusal).into_response(),
        None => Problem::unexpected().into_response(),
    };
    Ok(marked(response, told.is_repeated))
}

fn remembered(told: Remembered) -> Response {
    let status = if told.duplicate {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    (status, Json(told)).into_response()
}

fn marked(mut response: Response, is_repeated: bool) -> Response {
    if is_repeated {
        let value = HeaderValue::from_static("true");
        response.headers_mut().insert(REPLAYED, value);
    }
    response
}

fn request_key(caller: &Caller, headers: &HeaderMap) -> Result<Option<RequestKey>, Problem> {
    let key = conditional::text(headers, &IDEMPOTENCY_KEY)?;
    Ok(key
        .map(|key| RequestKey::new(caller.identity(), key))
        .transpose()?)
}

impl From<DraftRefusal> for Problem {
    fn from(refusal: DraftRefusal) -> Self {
        Self {
            field: refusal.field,
            accepts: refusal.accepts,
            ..Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "refused",
                "A value was refused",
                refusal.reason,
            )
        }
    }
}

/// Memories to store.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Batch {
    /// 1 to 1 000 memories.
    #[serde(deserialize_with = "bounded")]
    memories: Vec<Draft>,
}

/// A memory to forget or erase: an id, the beginning of one, or a citation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Forgetting {
    /// 1 to 1 000 ids, beginnings of ids, or citations.
    #[serde(deserialize_with = "bounded")]
    ids: Vec<String>,
    /// Erase them permanently, with their earlier versions, from backups too. Needs the right to erase.
    #[serde(default)]
    hard: bool,
}

/// Reads 1 to [`MOST`] values; further ones are not read.
fn bounded<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    struct Bounded<T>(std::marker::PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Bounded<T> {
        type Value = Vec<T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "a list of 1 to {MOST} values")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(value) = values.next_element()? {
                if all.len() == MOST {
                    return Err(serde::de::Error::invalid_length(MOST + 1, &self));
                }
                all.push(value);
            }
            if all.is_empty() {
                return Err(serde::de::Error::invalid_length(0, &self));
            }
            Ok(all)
        }
    }
    from.deserialize_seq(Bounded(std::marker::PhantomData))
}

/// What came of one of many memories.
#[derive(Debug, Serialize, ToSchema)]
struct ItemOutcome {
    /// 201 if it is stored, 200 if it was known before, otherwise that of the problem.
    status: u16,
    /// What is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    remembered: Option<Remembered>,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

impl From<DraftOutcome> for ItemOutcome {
    fn from(outcome: DraftOutcome) -> Self {
        match outcome {
            DraftOutcome::Remembered(told) => Self {
                status: if told.duplicate { 200 } else { 201 },
                remembered: Some(told),
                problem: None,
            },
            DraftOutcome::Refused(refusal) => {
                let problem = Problem::from(refusal);
                Self {
                    status: problem.status,
                    remembered: None,
                    problem: Some(problem),
                }
            }
        }
    }
}

/// What came of many memories.
#[derive(Debug, Serialize, ToSchema)]
struct BatchOutcome {
    /// Of each, in the order of the request.
    outcomes: Vec<ItemOutcome>,
}

/// Store many memories in one transaction
///
/// A memory that is refused concerns no other one. A body that can't be read as memories is refused as a whole. For
/// `Idempotency-Key`, see storing one.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories/batch",
    tag = "memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters, chosen by the client for this request")
    ),
    responses((status = 200, body = BatchOutcome), (status = "default", body = Problem))
)]
async fn store_many(
    caller: Caller,
    Path(space): Path<String>,
    headers: HeaderMap,
    Json(batch): Json<Batch>,
) -> Result<Response, Problem> {
    let key = request_key(&caller, &headers)?;
    let told = caller
        .with_new_space(space, move |space| {
            space.remember_once(key.as_ref(), &batch.memories)
        })
        .await?;
    let outcomes = told.outcomes.into_iter().map(ItemOutcome::from).collect();
    let response = Json(BatchOutcome { outcomes }).into_response();
    Ok(marked(response, told.is_repeated))
}

/// How a memory is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    as_of: Option<Timestamp>,
    #[serde(default)]
    external: bool,
}

/// Get a memory by its id, the beginning of its id, its citation, or its external id
///
/// It counts as opened. `ETag` is its version; with `If-None-Match` a known version is not sent again (304).
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories/{id}",
    tag = "memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12"),
        ("as_of" = Option<String>, Query, description = "Its version at this time, without `ETag`"),
        ("external" = Option<bool>, Query, description = "The id is an external one"),
        ("If-None-Match" = Option<String>, Header, description = "The version that the client has")
    ),
    responses(
        (status = 200, body = Memory),
        (status = 304, description = "The client has this version"),
        (status = "default", body = Problem)
    )
)]
async fn read(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
    Query(reading): Query<Reading>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let as_of = reading.as_of;
    let found = caller.with_store(move |store| {
        let space = store.existing_space(&space)?;
        let id = if reading.external {
            let found = space.find_imported(&id)?;
            found.ok_or_else(|| Problem::not_found("no memory with this external id"))?
        } else {
            space.resolve(&id)?
        };
        let Some(at) = reading.as_of else {
            return Ok(space.get(id)?);
        };
        let version = space.as_of(id, at)?.and_then(|version| version.memory);
        version.ok_or_else(|| Problem::not_found("the memory did not exist at this time"))
    });
    let memory = found.await?;
    if as_of.is_some() {
        return Ok(Json(memory).into_response());
    }
    conditional::tagged_unless_known(memory, &headers)
}

/// Edit a memory; earlier versions stay
///
/// With `If-Match`, only the version that the client knows is edited: otherwise nothing is changed (412).
#[utoipa::path(
    patch,
    path = "/v1/spaces/{space}/memories/{id}",
    tag = "memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12"),
        ("If-Match" = Option<String>, Header, description = "The version to edit, as `ETag` gave it")
    ),
    responses(
        (status = 200, description = "Its new state", body = Memory),
        (status = 412, description = "It has another version", body = Problem),
        (status = "default", body = Problem)
    )
)]
async fn edit(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
    headers: HeaderMap,
    Json(edit): Json<Edit>,
) -> Result<Response, Problem> {
    let expected = conditional::expected(&headers)?;
    let edited = caller.with_space(space, move |space| {
        let id = space.resolve(&id)?;
        match expected {
            Some(version) => space.edit_if(id, version, &edit),
            None => space.edit(id, &edit),
        }
    });
    edited.await.map(conditional::tagged)
}

/// How a memory is deleted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deleting {
    #[serde(default)]
    hard: bool,
}

/// What came of forgetting or erasing.
#[derive(Debug, Serialize, ToSchema)]
struct Forgotten {
    /// The memories.
    ids: Vec<MemoryId>,
    /// Whether their content was erased permanently, not only forgotten.
    erased: bool,
    /// Places that may still have erased content, such as a backup that can't be reached now. The erasure there is
    /// tried again. The store's own reports name them.
    unreached: usize,
}

impl Forgotten {
    fn softly(ids: Vec<MemoryId>) -> Self {
        Self {
            ids,
            erased: false,
            unreached: 0,
        }
    }

    fn erased(ids: Vec<MemoryId>, outside: &OutsideErasure) -> Self {
        Self {
            ids,
            erased: true,
            unreached: outside.unreached().len(),
        }
    }
}

/// Forget a memory, or erase it permanently
///
/// A forgotten memory is in no answer and can be restored. An erased one can't: its content leaves every file and every
/// backup that can be reached.
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}/memories/{id}",
    tag = "memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12"),
        ("hard" = Option<bool>, Query, description = "Erase it; needs the right to erase"),
        ("If-Match" = Option<String>, Header, description = "The version to forget, as `ETag` gave it")
    ),
    responses(
        (status = 200, body = Forgotten),
        (status = 412, description = "It has another version", body = Problem),
        (status = "default", body = Problem)
    )
)]
async fn delete(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
    Query(deleting): Query<Deleting>,
    headers: HeaderMap,
) -> Result<Json<Forgotten>, Problem> {
    if deleting.hard {
        conditional::expect_none(&headers)?;
    }
    let expected = conditional::expected(&headers)?;
    let deleted = caller.with_space(space, move |space| {
        let id = space.resolve(&id)?;
        if deleting.hard {
            return Ok(Forgotten::erased(vec![id], &space.erase(id)?));
        }
        match expected {
            Some(version) => space.forget_if(id, version)?,
            None => space.forget(id)?,
        };
        Ok(Forgotten::softly(vec![id]))
    });
    deleted.await.map(Json)
}

/// Forget or erase many memories: all or none
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories/forget",
    tag = "memories",
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 200, body = Forgotten), (status = "default", body = Problem))
)]
async fn forget_many(
    caller: Caller,
    Path(space): Path<String>,
    Json(request): Json<Forgetting>,
) -> Result<Json<Forgotten>, Problem> {
    let forgotten = caller.with_space(space, move |space| {
        let ids = resolved(space, &request.ids)?;
        if request.hard {
            let outside = space.erase_all(&ids)?;
            return Ok(Forgotten::erased(ids, &outside));
        }
        space.forget_all(&ids)?;
        Ok(Forgotten::softly(ids))
    });
    forgotten.await.map(Json)
}

/// The memories with these ids, each once.
pub(super) fn resolved(space: &Space, ids: &[String]) -> Result<Vec<MemoryId>, Error> {
    let mut resolved = Vec::with_capacity(ids.len());
    let mut seen = std::collections::HashSet::new();
    for id in ids {
        let id = space.resolve(id)?;
        if seen.insert(id) {
            resolved.push(id);
        }
    }
    Ok(resolved)
}

/// Restore a forgotten memory
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories/{id}/restore",
    tag = "memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12")
    ),
    responses((status = 200, body = Memory), (status = "default", body = Problem))
)]
async fn restore(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    conditional::expect_none(&headers)?;
    let restored = caller.with_space(space, move |space| space.restore(space.resolve(&id)?));
    restored.await.map(conditional::tagged)
}

/// The versions of a memory.
#[derive(Debug, Serialize, ToSchema)]
struct Versions {
    /// The current one last.
    versions: Vec<Version>,
}

/// Get all versions of a memory
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories/{id}/history",
    tag = "memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12")
    ),
    responses((status = 200, body = Versions), (status = "default", body = Problem))
)]
async fn history(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
) -> Result<Json<Versions>, Problem> {
    let read = caller.with_space(space, move |space| {
        let versions = space.history(space.resolve(&id)?)?;
        Ok(Versions { versions })
    });
    read.await.map(Json)
}

/// Where a memory comes from, and what speaks against it.
#[derive(Debug, Serialize, ToSchema)]
struct Origin {
    /// Where it comes from.
    provenance: Option<Provenance>,
    /// The memories that contradict it, as far as the graph is extracted.
    disputes: Vec<Dispute>,
    /// How often it was opened by its id (`count`), and when `last`; none if never.
    #[schema(value_type = Option<Object>)]
    opened: Option<MemoryUse>,
}

/// Get the origin of a memory, what contradicts it, and how often it was opened
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories/{id}/origin",
    tag = "memories",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12")
    ),
    responses((status = 200, body = Origin), (status = "default", body = Problem))
)]
async fn origin(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
) -> Result<Json<Origin>, Problem> {
    let read = caller.with_space(space, move |space| {
        let memory = space.read(space.resolve(&id)?)?;
        Ok(Origin {
            provenance: space.provenance(&[&memory])?.pop(),
            disputes: space.disputes(&memory)?,
            opened: space.use_of(memory.id)?,
        })
    });
    read.await.map(Json)
}

/// That a memory is not there, in the words of the engine.
pub(super) fn no_memory(id: MemoryId, space: &Space) -> Error {
    Error::Store(StoreError::NoMemory {
        id,
        space: space.name().to_owned(),
    })
}
