//! Links between memories.

use std::sync::Arc;

use anamne::{Link, LinkStrength, LinkType, MemoryId, Seq};
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::memories::no_memory;
use crate::http::body::{Json, Path, Query};
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(create, remove))
        .routes(routes!(of_memory))
}

/// A link to create. Both ends are ids, beginnings of ids, or citations.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewLink {
    /// Where it starts.
    from: String,
    /// Where it ends.
    to: String,
    /// The type: `from` *extends* `to`, and so on.
    #[serde(rename = "type")]
    link_type: LinkType,
    /// Weight, 0 to 1; 1 by default.
    #[serde(default = "whole")]
    weight: f32,
    /// The reason.
    #[serde(default)]
    reason: String,
}

fn whole() -> f32 {
    1.0
}

/// A created link.
#[derive(Debug, Serialize, ToSchema)]
struct Linked {
    /// Where it starts.
    from: MemoryId,
    /// Where it ends.
    to: MemoryId,
    /// The type.
    #[serde(rename = "type")]
    link_type: LinkType,
    /// Weight, 0 to 1.
    weight: f32,
    /// The reason; absent if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    /// When it was created.
    created_at: Timestamp,
    /// The event that created it.
    seq: Seq,
}

impl Linked {
    fn of(link: Link, seq: Seq) -> Self {
        let Link {
            from,
            to,
            link_type,
            weight,
            reason,
            created_at,
        } = link;
        Self {
            from,
            to,
            link_type,
            weight,
            reason,
            created_at,
            seq,
        }
    }
}

/// Link two memories; linking again updates weight and reason
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/links",
    tag = "links",
    operation_id = "create_link",
    request_body = NewLink,
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 201, body = Linked), (status = "default", body = Problem))
)]
async fn create(
    caller: Caller,
    Path(space): Path<String>,
    Json(new): Json<NewLink>,
) -> Result<(StatusCode, Json<Linked>), Problem> {
    let created = caller.with_space(space, move |space| {
        let link = Link {
            from: space.resolve(&new.from)?,
            to: space.resolve(&new.to)?,
            link_type: new.link_type,
            weight: new.weight,
            reason: new.reason,
            created_at: space.now(),
        };
        let seq = space.link(&link)?;
        // As it is stored: the guard may have changed the reason.
        let links = space.links(link.from)?.into_iter();
        let mut stored = links.filter(|stored| {
            stored.from == link.from && stored.to == link.to && stored.link_type == link.link_type
        });
        let link = stored.next().ok_or_else(|| no_memory(link.to, space))?;
        Ok(Linked::of(link, seq))
    });
    let created = created.await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// The link to remove.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Removing {
    from: String,
    to: String,
    #[serde(rename = "type")]
    link_type: LinkType,
}

/// Remove a link
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}/links",
    tag = "links",
    operation_id = "remove_link",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("from" = String, Query, description = "Where it starts: an id, the beginning of one, or a citation"),
        ("to" = String, Query, description = "Where it ends"),
        ("type" = LinkType, Query, description = "Its type")
    ),
    responses(
        (status = 204, description = "It is removed"),
        (status = 404, description = "There was none", body = Problem),
        (status = "default", body = Problem)
    )
)]
async fn remove(
    caller: Caller,
    Path(space): Path<String>,
    Query(removing): Query<Removing>,
) -> Result<StatusCode, Problem> {
    let removed = caller.with_space(space, move |space| {
        let (from, to) = (space.resolve(&removing.from)?, space.resolve(&removing.to)?);
        space.unlink(from, to, removing.link_type)
    });
    if removed.await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Problem::not_found("no such link"))
    }
}

/// The links of a memory.
#[derive(Debug, Serialize, ToSchema)]
struct Links {
    /// Those that start or end at it.
    links: Vec<Link>,
    /// The strength of each, told and current, in the order of `links`.
    strengths: Vec<LinkStrength>,
}

/// List the links that start or end at a memory
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories/{id}/links",
    tag = "links",
    operation_id = "list_links",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("id" = String, Path, description = "An id, the beginning of one, or a citation such as m12")
    ),
    responses((status = 200, body = Links), (status = "default", body = Problem))
)]
async fn of_memory(
    caller: Caller,
    Path((space, id)): Path<(String, String)>,
) -> Result<Json<Links>, Problem> {
    let listed = caller.with_space(space, move |space| {
        let links = space.links(space.resolve(&id)?)?;
        let strengths = space.link_strengths(&links)?;
        Ok(Links { links, strengths })
    });
    listed.await.map(Json)
}
