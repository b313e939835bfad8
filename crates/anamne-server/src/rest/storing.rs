//! Storing memories: one or many, once for each key of a request.

use std::fmt;
use std::sync::Arc;

use anamne::{Draft, DraftOutcome, DraftRefusal, Limits, Remembered, RequestKey, ToldOnce};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::conditional;
use crate::http::body::{Json, Path};
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
}

/// Store a memory; the space is created if it is missing
///
/// The answer is sent once the memory is durable and found by every query. With `Idempotency-Key`, the same memory sent
/// again with the same key within 24 hours gets the same answer, and nothing is stored, also after the server was killed
/// in between; another one with this key is refused (422), and so is one whose first request this server still works on
/// (409).
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories",
    tag = "memories",
    operation_id = "store_memory",
    request_body = Draft,
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

pub(super) fn request_key(
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Option<RequestKey>, Problem> {
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

/// Reads 1 to [`MOST`] values; further ones are not read.
pub(super) fn bounded<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
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
pub(super) struct BatchOutcome {
    /// Of each, in the order of the request.
    outcomes: Vec<ItemOutcome>,
}

/// The answer to many memories.
pub(super) fn answered(told: ToldOnce) -> Response {
    let outcomes = told.outcomes.into_iter().map(ItemOutcome::from).collect();
    let response = Json(BatchOutcome { outcomes }).into_response();
    marked(response, told.is_repeated)
}

/// Store many memories in one transaction
///
/// A memory that is refused concerns no other one. A body that can't be read as memories is refused as a whole. For
/// `Idempotency-Key`, see storing one.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories/batch",
    tag = "memories",
    operation_id = "store_memories",
    request_body = Batch,
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
    Ok(answered(told))
}
