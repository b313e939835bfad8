//! Storing what was said in sessions of agent hosts.

use std::sync::Arc;

use anamne::Draft;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::storing::{BatchOutcome, answered, bounded, request_key};
use crate::http::body::{Json, Path};
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(capture))
}

/// What was said in a session of a host.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Capture {
    /// The name of the host, which stands for its agent and its tools.
    host: String,
    /// 1 to 1 000 messages and episodes, in order.
    #[serde(deserialize_with = "bounded")]
    memories: Vec<Draft>,
}

/// Store what was said in a session of an agent host; the space is created if it is missing
///
/// Messages of the role `user` are told by the caller, those of `assistant` by the agent `host`, everything else by its
/// tool, each with no more trust than its speaker has. A memory that is refused concerns no other one. With
/// `Idempotency-Key`, the same capture sent again with the same key within 24 hours gets the same answer, and nothing is
/// stored.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/captures",
    tag = "memories",
    request_body = Capture,
    params(
        ("space" = String, Path, description = "The space's name"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters, chosen by the client for this request")
    ),
    responses((status = 200, body = BatchOutcome), (status = "default", body = Problem))
)]
async fn capture(
    caller: Caller,
    Path(space): Path<String>,
    headers: HeaderMap,
    Json(capture): Json<Capture>,
) -> Result<Response, Problem> {
    let key = request_key(&caller, &headers)?;
    let told = caller.with_new_space(space, move |space| {
        space.capture(&capture.host, key.as_ref(), &capture.memories)
    });
    told.await.map(answered)
}
