//! The neighbourhood of an entity in the knowledge graph.

use anamne::{Entity, InvalidValue, Limits, Relation};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{Named, Routes};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

/// Maximum distance from the entity.
const MOST_STEPS: u32 = 6;

pub(super) fn routes() -> Routes {
    OpenApiRouter::new().routes(routes!(around))
}

/// How far to look.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Reach {
    /// Maximum distance in relations, 1 to 6.
    #[serde(default = "one")]
    #[param(default = 1, minimum = 1, maximum = 6)]
    steps: u32,
    /// Maximum number of entities, 1 to 1000.
    #[serde(default = "forty")]
    #[param(default = 40, minimum = 1, maximum = 1000)]
    limit: usize,
    /// Leave out personal entities and their relations.
    #[serde(default)]
    shared: bool,
}

fn one() -> u32 {
    1
}

fn forty() -> usize {
    40
}

impl Reach {
    fn check(&self) -> Result<(), InvalidValue> {
        if !(1..=MOST_STEPS).contains(&self.steps) {
            let accepts = format!("a whole number from 1 to {MOST_STEPS}");
            return Err(InvalidValue::new("steps", accepts, self.steps));
        }
        Limits::check_results(self.limit)
    }
}

/// The entities around one.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Graph {
    /// The entities, nearest first; the first is the one in the middle.
    entities: Vec<Near>,
    /// The relations between them.
    relations: Vec<Relation>,
    /// Whether the limit was reached.
    cut: bool,
}

/// An entity at a distance.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Near {
    /// The distance in relations.
    steps: u32,
    /// The entity.
    entity: Entity,
}

/// The entities and relations around an entity
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/knowledge/entities/{name}/graph",
    tag = "knowledge",
    operation_id = "entity_graph",
    params(Named, Reach),
    responses((status = 200, body = Graph), (status = "default", body = Problem))
)]
async fn around(
    caller: Caller,
    Path(Named { space, name }): Path<Named>,
    Query(reach): Query<Reach>,
) -> Result<Json<Graph>, Problem> {
    reach.check()?;
    let drawn = caller.with_space(space, move |space| {
        let knowledge = space.knowledge()?;
        let mut around = knowledge.neighbourhood(&name, reach.steps, reach.limit)?;
        if reach.shared {
            around.leave_out_personal();
        }
        let entities = around.entities.into_iter();
        Ok(Graph {
            entities: entities
                .map(|(steps, entity)| Near { steps, entity })
                .collect(),
            relations: around.relations,
            cut: around.cut,
        })
    });
    drawn.await.map(Json)
}
