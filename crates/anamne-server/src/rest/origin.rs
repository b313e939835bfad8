//! Where a memory comes from, and what it is related to.

use anamne::{Dispute, Error, LinkType, MemoryId, MemoryUse, Provenance, QualitySignals, Space};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::Routes;
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

/// Maximum number of related memories.
const RELATED: usize = 5;

pub(super) fn routes() -> Routes {
    OpenApiRouter::new().routes(routes!(origin))
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
    /// Its usefulness and current importance.
    signals: QualitySignals,
    /// At most five memories that are related to it without a link, as far as the graph is extracted.
    related: Vec<Related>,
    /// The other spaces of which it is a member, as far as the caller may read them.
    spaces: Vec<String>,
}

/// A memory that is related to another without a link.
#[derive(Debug, Serialize, ToSchema)]
struct Related {
    /// The memory.
    memory: MemoryId,
    /// Its citation.
    citation: String,
    /// How it is related.
    #[serde(rename = "type")]
    link_type: LinkType,
    /// How strongly, 0 to 1.
    strength: f32,
    /// Why.
    reason: String,
}

fn related(space: &Space, id: MemoryId) -> Result<Vec<Related>, Error> {
    let found = space.associations(id, RELATED)?.into_iter();
    // Other types are disputes.
    let found = found.filter(|one| one.link_type == LinkType::Related);
    Ok(found
        .map(|one| Related {
            memory: one.memory,
            citation: format!("m{}", one.row),
            link_type: one.link_type,
            strength: one.strength,
            reason: one.reason,
        })
        .collect())
}

/// Get the origin of a memory, what contradicts it, how often it was opened, and what it is related to
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories/{id}/origin",
    tag = "memories",
    operation_id = "memory_origin",
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
            signals: space.quality_signals(memory.id)?,
            related: related(space, memory.id)?,
            spaces: space.spaces_with(memory.id)?,
        })
    });
    read.await.map(Json)
}
