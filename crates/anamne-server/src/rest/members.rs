//! Members: memories of one space that another shows too.

use anamne::{AddedMember, MemberTerms, MemoryId, Metadata};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::memories::resolved;
use super::shared::{InSpace, Routes};
use super::storing::bounded;
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(add))
        .routes(routes!(remove))
}

/// Memories that become members.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewMembers {
    /// The space that has them.
    from: String,
    /// 1 to 1 000 ids, beginnings of ids, or citations in that space.
    #[serde(deserialize_with = "bounded")]
    ids: Vec<String>,
    /// How relevant they are here, 0 to 1; absent keeps the former value, 1 for a new member.
    relevance: Option<f32>,
    /// Tags to add here.
    #[serde(default)]
    tags: Vec<String>,
    /// Metadata to set here; null removes a name.
    #[serde(default)]
    #[schema(value_type = Object)]
    metadata: Metadata,
}

/// The members.
#[derive(Debug, Serialize, ToSchema)]
struct Added {
    /// The members, in the order of their homes.
    members: Vec<AddedMember>,
}

/// Make memories of another space members of this one, which is created if it is missing
///
/// The text stays in its home. Needs permission to read every home and to write this space. Private memories are refused,
/// those of a private space such as `~ada` except for another space of the same principal, and what this space does not accept.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/members",
    tag = "spaces",
    operation_id = "add_members",
    request_body = NewMembers,
    params(InSpace),
    responses((status = 200, body = Added), (status = "default", body = Problem))
)]
async fn add(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(new): Json<NewMembers>,
) -> Result<Json<Added>, Problem> {
    let terms = MemberTerms {
        relevance: new.relevance,
        tags: new.tags,
        metadata: new.metadata,
    };
    let added = caller.with_store(move |store| {
        let ids = resolved(&store.existing_space(&new.from)?, &new.ids)?;
        let members = store.add_members(&new.from, &ids, &space, &terms)?;
        Ok(Added { members })
    });
    added.await.map(Json)
}

/// Members to remove.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Leaving {
    /// 1 to 1 000 ids, beginnings of ids, or citations in this space.
    #[serde(deserialize_with = "bounded")]
    ids: Vec<String>,
}

/// Members that were removed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RemovedMembers)]
struct Removed {
    /// The members.
    removed: Vec<MemoryId>,
}

/// Remove members from this space, all or none; their homes keep them
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/members/removals",
    tag = "spaces",
    operation_id = "remove_members",
    request_body = Leaving,
    params(InSpace),
    responses((status = 200, body = Removed), (status = "default", body = Problem))
)]
async fn remove(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(leaving): Json<Leaving>,
) -> Result<Json<Removed>, Problem> {
    let removed = caller.with_space(space, move |space| {
        let removed = resolved(space, &leaving.ids)?;
        space.remove_members(&removed)?;
        Ok(Removed { removed })
    });
    removed.await.map(Json)
}
