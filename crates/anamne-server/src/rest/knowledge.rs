//! The knowledge graph: entities, relations, what was told about them, and extraction.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anamne::{
    Assertion, ConflictKind, ContradictionQuery, Entity, EntityQuery, EntityScope, EntityType,
    Evidence, FoundEntity, Frame, InvalidValue, KnownElsewhere, Limits, Remembered, Seq, Skipped,
    SuggestedMerge,
};
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Named, Page, Routes, conceal_skipped, cut, twenty};
use crate::http::body::{Json, Path, Query, RepeatableQuery};
use crate::http::{Caller, Problem};

/// Contradictions and pairs are counted up to this number.
const COUNTED: usize = 1_000;

/// Entities shown as named together with one.
const TOGETHER: usize = 12;

/// How long an extraction goes on within a request.
const LONGEST: Duration = Duration::from_secs(5);

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(overview))
        .routes(routes!(list))
        .routes(routes!(show))
        .routes(routes!(suggestions))
        .routes(routes!(assert))
        .routes(routes!(extract))
}

/// What a space knows, in numbers.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Overview {
    /// Number of entities by type.
    entities: BTreeMap<String, u64>,
    /// The event up to which memories were extracted.
    events: Seq,
    /// Number of events that were not extracted yet.
    behind: u64,
    /// Number of open contradictions, at most 1000.
    open_contradictions: u64,
    /// Number of pairs that may be one entity, at most 1000.
    suggested_merges: u64,
}

/// Count entities, open contradictions and suggested merges
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/knowledge",
    tag = "knowledge",
    params(InSpace),
    responses((status = 200, body = Overview), (status = "default", body = Problem))
)]
async fn overview(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Overview>, Problem> {
    let counted = caller.with_space(space, |space| {
        let knowledge = space.knowledge()?;
        let open = ContradictionQuery {
            kind: Some(ConflictKind::Contested),
            open: true,
            limit: COUNTED,
            ..ContradictionQuery::default()
        };
        let counts = knowledge.counts()?.into_iter();
        Ok(Overview {
            entities: counts
                .map(|(sort, count)| (sort.to_string(), count))
                .collect(),
            events: knowledge.position()?,
            behind: knowledge.behind()?,
            open_contradictions: knowledge.contradictions(&open)?.len() as u64,
            suggested_merges: knowledge.suggested_merges(COUNTED)?.len() as u64,
        })
    });
    counted.await.map(Json)
}

/// Most tags, and most attributes, of a list of entities.
const MOST_CONDITIONS: usize = 64;

/// Which entities to list, besides by tags and attributes.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct EntityFilter {
    /// Only those of this type.
    #[serde(rename = "type")]
    entity_type: Option<EntityType>,
    /// Only those of this type of your own.
    custom_type: Option<String>,
    /// Only those that fit this text, most similar first.
    find: Option<String>,
    /// Only names that contain this, ignoring case.
    name: Option<String>,
    /// Only those of this scope.
    scope: Option<EntityScope>,
    /// Also uncertain and faded ones.
    #[serde(default)]
    unconfirmed: bool,
    /// Maximum number, 1 to 1000; with `find` to 999.
    #[serde(default = "twenty")]
    #[param(default = 20, minimum = 1, maximum = 1000)]
    limit: usize,
}

impl EntityFilter {
    /// The filter of a URL: the text to find, and the query with one more than the limit.
    fn of(mut query: RepeatableQuery) -> Result<(Option<String>, EntityQuery), Problem> {
        let (tags, attributes) = (query.take("tag"), query.take("attribute"));
        Ok(query.rest::<Self>()?.with(tags, &attributes)?)
    }

    fn with(
        self,
        tags: Vec<String>,
        attributes: &[String],
    ) -> Result<(Option<String>, EntityQuery), InvalidValue> {
        Limits::check_results(self.limit)?;
        if self
            .name
            .as_deref()
            .is_some_and(|name| name.trim().is_empty())
        {
            return Err(InvalidValue::new("name", "a part of a name", "empty"));
        }
        for (name, given) in [("tag", tags.len()), ("attribute", attributes.len())] {
            if given > MOST_CONDITIONS {
                let accepts = format!("at most {MOST_CONDITIONS}");
                return Err(InvalidValue::new(name, accepts, given));
            }
        }
        let attributes = attributes.iter().map(|text| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            _ => Err(InvalidValue::new("attribute", "name=value", text)),
        });
        let query = EntityQuery {
            entity_type: self.entity_type,
            custom_type: self.custom_type,
            name: self.name,
            tags,
            attributes: attributes.collect::<Result<_, _>>()?,
            scope: self.scope,
            unconfirmed: self.unconfirmed,
            limit: self.limit + 1,
        };
        Ok((self.find, query))
    }
}

/// Entities.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct EntityList {
    /// The entities, most mentioned or most similar first.
    entities: Vec<ListedEntity>,
    /// Whether there are more.
    more: bool,
}

/// An entity of a list.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
enum ListedEntity {
    /// With its similarity to the text.
    Found(FoundEntity),
    /// Without a text.
    Listed(Entity),
}

/// List entities, or find those that fit a text
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/knowledge/entities",
    tag = "knowledge",
    operation_id = "list_entities",
    params(
        InSpace,
        EntityFilter,
        ("tag" = Option<Vec<String>>, Query, description = "Only those with all of these tags, at most 64; repeat the name for several"),
        ("attribute" = Option<Vec<String>>, Query, description = "Only those with all of these attributes, at most 64: `port=Emden`; repeat the name for several")
    ),
    responses((status = 200, body = EntityList), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    query: RepeatableQuery,
) -> Result<Json<EntityList>, Problem> {
    let (find, query) = EntityFilter::of(query)?;
    let limit = query.limit - 1;
    let listed = caller.with_space(space, move |space| {
        let knowledge = space.knowledge()?;
        let mut entities: Vec<ListedEntity> = if let Some(text) = find {
            let found = knowledge.find(&text, &query)?.into_iter();
            found.map(ListedEntity::Found).collect()
        } else {
            let found = knowledge.entities(&query)?.into_iter();
            found.map(ListedEntity::Listed).collect()
        };
        let more = cut(&mut entities, limit);
        Ok(EntityList { entities, more })
    });
    listed.await.map(Json)
}

/// What is known of an entity.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct KnownEntity {
    /// The entity.
    entity: Entity,
    /// Its frames, with relations and their evidence.
    frames: Vec<Frame>,
    /// The latest memories that name it.
    mentions: Vec<Evidence>,
    /// The entities that the same memories name, most often first.
    named_together: Vec<Together>,
    /// The same entity in other spaces that share memories with this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<KnownElsewhere>,
}

/// An entity that is named together with another.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Together {
    /// Number of memories that name both.
    memories: u64,
    /// The entity.
    entity: Entity,
}

/// Show an entity by its name, an alias or its id: frames, relations, evidence
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/knowledge/entities/{name}",
    tag = "knowledge",
    operation_id = "show_entity",
    params(Named, Page),
    responses((status = 200, body = KnownEntity), (status = "default", body = Problem))
)]
async fn show(
    caller: Caller,
    Path(Named { space, name }): Path<Named>,
    Query(page): Query<Page>,
) -> Result<Json<KnownEntity>, Problem> {
    let limit = page.checked()?;
    let shown = caller.with_space(space, move |space| {
        let knowledge = space.knowledge()?;
        let (entity, frames) = knowledge.frames(&name)?;
        let id = entity.id.to_string();
        let together = knowledge.named_together(&id, TOGETHER)?.into_iter();
        Ok(KnownEntity {
            mentions: knowledge.mentions(&id, limit)?,
            named_together: together
                .map(|(memories, entity)| Together { memories, entity })
                .collect(),
            elsewhere: knowledge.elsewhere(&id)?,
            entity,
            frames,
        })
    });
    shown.await.map(Json)
}

/// Pairs of entities that may be one.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct Suggestions {
    /// The pairs.
    suggestions: Vec<SuggestedMerge>,
}

/// List entities that may be the same
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/knowledge/suggestions",
    tag = "knowledge",
    params(InSpace, Page),
    responses((status = 200, body = Suggestions), (status = "default", body = Problem))
)]
async fn suggestions(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(page): Query<Page>,
) -> Result<Json<Suggestions>, Problem> {
    let suggested = caller.with_space(space, move |space| {
        Ok(Suggestions {
            suggestions: space.knowledge()?.suggested_merges(page.limit)?,
        })
    });
    suggested.await.map(Json)
}

/// A statement about the graph.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ToldAssertion {
    /// The statement: an entity, relation, property, denial, merge or distinction.
    assertion: Assertion,
    /// Until when it counts.
    expires_at: Option<Timestamp>,
}

/// State or deny an entity, a relation or a property; merge names, or keep them apart
///
/// It is stored as a fact and counts until that fact is forgotten. The space is created if it is missing.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/knowledge/assertions",
    tag = "knowledge",
    request_body = ToldAssertion,
    params(InSpace),
    responses((status = 201, body = Remembered), (status = "default", body = Problem))
)]
async fn assert(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(told): Json<ToldAssertion>,
) -> Result<(StatusCode, Json<Remembered>), Problem> {
    let stored = caller.with_new_space(space, move |space| {
        space.assert(&told.assertion, told.expires_at)
    });
    Ok((StatusCode::CREATED, Json(stored.await?)))
}

/// What to extract.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct Extraction {
    /// Discard the graph first. Needs the right to configure.
    again: bool,
}

/// How far extraction is.
#[derive(Debug, Serialize, ToSchema)]
struct Extracted {
    /// Number of memories extracted now.
    memories: u64,
    /// The event up to which memories were extracted.
    events: Seq,
    /// Number of events that were not extracted yet; more than 0 after 5 seconds, or if another process extracts.
    behind: u64,
    /// Whether another process is extracting.
    busy: bool,
    /// Memories that were skipped because they are damaged.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    skipped: Skipped,
}

/// Extract new memories into the graph, for at most 5 seconds
///
/// The background does the same. Ask again while `behind` is not 0.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/knowledge/extraction",
    tag = "knowledge",
    request_body = Extraction,
    params(InSpace),
    responses((status = 200, body = Extracted), (status = "default", body = Problem))
)]
async fn extract(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(what): Json<Extraction>,
) -> Result<Json<Extracted>, Problem> {
    let extracted = caller.with_space(space, move |space| {
        if what.again {
            space.discard_graph()?;
        }
        let started = Instant::now();
        let (report, mut skipped) = space.extract(&mut |_| started.elapsed() < LONGEST)?;
        conceal_skipped(space, &mut skipped);
        let knowledge = space.knowledge()?;
        Ok(Extracted {
            memories: report.memories,
            events: knowledge.position()?,
            behind: knowledge.behind()?,
            busy: report.busy,
            skipped,
        })
    });
    extracted.await.map(Json)
}
