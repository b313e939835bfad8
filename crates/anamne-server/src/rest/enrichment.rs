//! Enrichment: what rules note beside memories.

use anamne::{
    Category, EnrichedPart, Enrichment, EnrichmentState, InvalidValue, Limits, Memory, MemoryId,
    Seq, Skipped, Space,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, OneOf, Routes, check_small, conceal_skipped, cut, twenty};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(state, set, run))
        .routes(routes!(list))
        .routes(routes!(show_each))
        .routes(routes!(show))
        .routes(routes!(remove))
        .routes(routes!(restore))
}

/// The enrichment of a space.
#[derive(Debug, Serialize, ToSchema)]
struct State {
    /// Whether it is on.
    on: bool,
    /// How far it is; null while it is off.
    state: Option<EnrichmentState>,
}

fn state_of(space: &Space) -> Result<State, anamne::Error> {
    let state = space.enrichment_state()?;
    Ok(State {
        on: state.is_some(),
        state,
    })
}

/// Say whether enrichment is on, and how far it is
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/enrichment",
    tag = "enrichment",
    operation_id = "enrichment_state",
    params(InSpace),
    responses((status = 200, body = State), (status = "default", body = Problem))
)]
async fn state(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<State>, Problem> {
    caller.with_space(space, state_of).await.map(Json)
}

/// Whether to enrich.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Switch {
    /// Whether rules enrich; off hides what was enriched.
    on: bool,
    /// Whether the configured language model enriches too, within its budgets.
    #[serde(default)]
    by_model: bool,
}

/// Turn enrichment on or off; needs the right to configure
#[utoipa::path(
    put,
    path = "/v1/spaces/{space}/enrichment",
    tag = "enrichment",
    operation_id = "switch_enrichment",
    request_body = Switch,
    params(InSpace),
    responses((status = 200, body = State), (status = "default", body = Problem))
)]
async fn set(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(switch): Json<Switch>,
) -> Result<Json<State>, Problem> {
    let set = caller.with_space(space, move |space| {
        space.set_enrichment(switch.on, switch.by_model)?;
        state_of(space)
    });
    set.await.map(Json)
}

/// What was enriched.
#[derive(Debug, Serialize, ToSchema)]
struct Ran {
    /// Number of memories enriched now.
    memories: u64,
    /// The event up to which memories were enriched.
    events: Seq,
    /// Memories that were skipped because they are damaged.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    skipped: Skipped,
}

/// Enrich what was written since; the background does the same
///
/// Refused for a space of more than 200 000 events, which only the background enriches.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/enrichment",
    tag = "enrichment",
    operation_id = "run_enrichment",
    params(InSpace),
    responses((status = 200, body = Ran), (status = "default", body = Problem))
)]
async fn run(caller: Caller, Path(InSpace { space }): Path<InSpace>) -> Result<Json<Ran>, Problem> {
    let ran = caller.with_space(space, |space| {
        check_small(space)?;
        let (report, mut skipped) = space.enrich(&mut |_| {})?;
        conceal_skipped(space, &mut skipped);
        Ok(Ran {
            memories: report.memories,
            events: report.reached,
            skipped,
        })
    });
    ran.await.map(Json)
}

/// Which memories to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Which {
    /// The category that the rules found.
    category: Category,
    /// Maximum number, 1 to 999.
    #[serde(default = "twenty")]
    #[param(default = 20, minimum = 1, maximum = 999)]
    limit: usize,
}

/// Memories of an enriched category.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Enriched {
    /// The memories, newest first.
    memories: Vec<Memory>,
    /// Whether there are more.
    more: bool,
}

/// List the memories that the rules put into a category
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/enrichment/memories",
    tag = "enrichment",
    operation_id = "list_enriched",
    params(InSpace, Which),
    responses((status = 200, body = Enriched), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(which): Query<Which>,
) -> Result<Json<Enriched>, Problem> {
    let wanted = which.limit.saturating_add(1);
    Limits::check_results(which.limit)?;
    Limits::check_results(wanted)?;
    let listed = caller.with_space(space, move |space| {
        let mut memories = space.enriched(which.category, wanted)?;
        let more = cut(&mut memories, which.limit);
        Ok(Enriched { memories, more })
    });
    listed.await.map(Json)
}

/// What is noted beside a memory.
#[derive(Debug, Serialize, ToSchema)]
struct Noted {
    /// The memory.
    memory: MemoryId,
    /// Its citation.
    citation: String,
    /// What is noted; null if nothing.
    enrichment: Option<Enrichment>,
    /// The parts that were removed for good.
    removed: Vec<String>,
}

impl Noted {
    fn of(memory: &Memory, enrichment: Option<Enrichment>) -> Self {
        let removed = EnrichedPart::removed_from(&memory.metadata);
        Self {
            memory: memory.id,
            citation: memory.citation(),
            enrichment,
            removed: removed.iter().map(ToString::to_string).collect(),
        }
    }
}

fn noted(space: &Space, memory: &Memory) -> Result<Noted, anamne::Error> {
    let enrichment = space.enrichments(&[memory])?.pop().flatten();
    Ok(Noted::of(memory, enrichment))
}

/// Show what is noted beside a memory
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/memories/{id}/enrichment",
    tag = "enrichment",
    operation_id = "show_enrichment",
    params(OneOf),
    responses((status = 200, body = Noted), (status = "default", body = Problem))
)]
async fn show(
    caller: Caller,
    Path(OneOf { space, id }): Path<OneOf>,
) -> Result<Json<Noted>, Problem> {
    let shown = caller.with_space(space, move |space| {
        noted(space, &space.read(space.resolve(&id)?)?)
    });
    shown.await.map(Json)
}

/// Whose enrichment to show.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Ids of memories, at most 1000.
    ids: Vec<MemoryId>,
}

/// What is noted beside several memories.
#[derive(Debug, Serialize, ToSchema)]
struct NotedEach {
    /// One entry for each memory that exists, in the order asked for.
    memories: Vec<Noted>,
}

/// Show what is noted beside each of several memories
///
/// Memories that don't exist, or were erased, are left out. Nothing counts as opened.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories/enrichment",
    tag = "enrichment",
    request_body = Wanted,
    params(InSpace),
    responses((status = 200, body = NotedEach), (status = "default", body = Problem))
)]
async fn show_each(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(wanted): Json<Wanted>,
) -> Result<Json<NotedEach>, Problem> {
    if wanted.ids.len() > Limits::RESULTS {
        let accepts = format!("at most {} memories", Limits::RESULTS);
        return Err(InvalidValue::new("ids", accepts, wanted.ids.len()).into());
    }
    let shown = caller.with_space(space, move |space| {
        let memories = space.get_each(&wanted.ids)?;
        let each: Vec<&Memory> = memories.iter().collect();
        let enriched = space.enrichments(&each)?;
        let noted = memories.iter().zip(enriched);
        Ok(NotedEach {
            memories: noted
                .map(|(memory, enrichment)| Noted::of(memory, enrichment))
                .collect(),
        })
    });
    shown.await.map(Json)
}

/// What to remove.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Removal {
    /// `all`, `category`, `importance`, `keywords`, `tags`, `language`, `summary`, `links`, `keyword:WORD`, `tag:TAG`, `link:ID`.
    parts: Vec<String>,
}

/// Remove parts of an enrichment for good
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/memories/{id}/enrichment/removals",
    tag = "enrichment",
    operation_id = "remove_enrichment",
    request_body = Removal,
    params(OneOf),
    responses((status = 200, body = Noted), (status = "default", body = Problem))
)]
async fn remove(
    caller: Caller,
    Path(OneOf { space, id }): Path<OneOf>,
    Json(removal): Json<Removal>,
) -> Result<Json<Noted>, Problem> {
    let removed = caller.with_space(space, move |space| {
        if removal.parts.len() > EnrichedPart::MOST {
            let accepts = format!("at most {} parts", EnrichedPart::MOST);
            return Err(InvalidValue::new("parts", accepts, removal.parts.len()).into());
        }
        let parts = removal.parts.iter().map(|part| part_of(part, space));
        let parts: Vec<EnrichedPart> = parts.collect::<Result<_, _>>()?;
        let memory = space.remove_enrichment(space.resolve(&id)?, &parts)?;
        noted(space, &memory)
    });
    removed.await.map(Json)
}

/// A part; the memory of a link may be a citation.
fn part_of(text: &str, space: &Space) -> Result<EnrichedPart, anamne::Error> {
    match text.trim().strip_prefix("link:") {
        Some(id) => Ok(EnrichedPart::Link(space.resolve(id.trim())?)),
        None => Ok(text.parse()?),
    }
}

/// Let what was removed be made again
#[utoipa::path(
    delete,
    path = "/v1/spaces/{space}/memories/{id}/enrichment/removals",
    tag = "enrichment",
    operation_id = "restore_enrichment",
    params(OneOf),
    responses((status = 200, body = Noted), (status = "default", body = Problem))
)]
async fn restore(
    caller: Caller,
    Path(OneOf { space, id }): Path<OneOf>,
) -> Result<Json<Noted>, Problem> {
    let restored = caller.with_space(space, move |space| {
        let memory = space.restore_enrichment(space.resolve(&id)?)?;
        noted(space, &memory)
    });
    restored.await.map(Json)
}
