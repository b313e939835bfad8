//! `memory_knowledge`: entities, relations and contradictions. Offered only on request.

use std::time::{Duration, Instant};

use anamne::{
    Assertion, Attributes, ConflictKind, ConsistencyRequest, ContradictionQuery, EntityQuery,
    EntityScope, EntityType, Error, GraphError, InvalidValue, Knowledge as Graph, Space,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Value, json};

use super::knowledge_text as text;
use super::{Effect, MemoryTool};
use crate::mcp::arguments::bounded;
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply, plain};
use crate::mcp::schema;

/// Time limit of extraction; the answer notes what is missing.
const EXTRACTION_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum mentions, and co-mentioned entities, of one entity.
const MAX_MENTIONS: usize = 10;

/// The actions.
const ACTIONS: [&str; 8] = [
    "list",
    "entity",
    "neighbours",
    "contradictions",
    "check",
    "resolve",
    "assert",
    "deny",
];

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Knowledge {
    /// list if not given
    #[serde(default = "list")]
    #[schemars(schema_with = "actions")]
    pub(super) action: String,
    /// An entity; in list a part of its name, in check a topic
    pub(super) name: Option<String>,
    /// list: by meaning
    find: Option<String>,
    #[serde(default, rename = "type")]
    #[schemars(schema_with = "types")]
    pub(super) sort: Option<String>,
    /// A type in your own word
    pub(super) custom_type: Option<String>,
    pub(super) aliases: Option<Vec<String>>,
    pub(super) tags: Option<Vec<String>>,
    #[serde(default)]
    #[schemars(schema_with = "scopes")]
    pub(super) scope: Option<String>,
    /// null removes one
    pub(super) attributes: Option<Attributes>,
    /// works_at
    pub(super) relation: Option<String>,
    pub(super) object: Option<String>,
    /// Relation in both directions
    pub(super) both_ways: Option<bool>,
    pub(super) weight: Option<f64>,
    pub(super) confidence: Option<f64>,
    /// Of a relation: m3 m7
    pub(super) evidence: Option<String>,
    /// In place of object
    pub(super) value: Option<String>,
    /// Of a value: procedural, custom:NAME
    pub(super) frame: Option<String>,
    pub(super) since: Option<String>,
    pub(super) until: Option<String>,
    /// When it stops counting
    expires_at: Option<String>,
    /// Of a contradiction; in check: m3 m7
    id: Option<String>,
    /// The memory that holds
    keep: Option<String>,
    steps: Option<i64>,
    limit: Option<i64>,
    pub(super) space: Option<String>,
}

fn list() -> String {
    "list".to_owned()
}

fn actions(_: &mut SchemaGenerator) -> Schema {
    schema::one_of(ACTIONS.into_iter())
}

fn scopes(_: &mut SchemaGenerator) -> Schema {
    schema::one_of(EntityScope::ALL.iter().map(|word| word.as_str()))
}

fn types(_: &mut SchemaGenerator) -> Schema {
    schema::one_of(EntityType::ALL.iter().map(|word| word.as_str()))
}

impl MemoryTool for Knowledge {
    const NAME: &'static str = "memory_knowledge";
    const TITLE: &'static str = "Query and edit the knowledge graph";
    const DESCRIPTION: &'static str = "Entities and relations. entity: what is known about one; assert: add \
a type, relation or value, which outranks extracted ones; deny: mark as false; contradictions, check, resolve: statements that \
can't both hold.";
    const EFFECT: Effect = Effect::Changes;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        // Checked before a space is opened or created.
        let limit = bounded("limit", self.limit, 1..=200, 20)?;
        match self.action.as_str() {
            "assert" | "deny" => self.write(call),
            "list" => self.list(limit, call),
            "entity" => self.show(limit, call),
            "neighbours" => self.neighbours(limit, call),
            "check" => self.check(limit, call),
            "resolve" => self.resolve(call),
            _ => self.contradictions(limit, call),
        }
    }
}

/// A field that an action requires.
pub(super) fn needed<'a>(
    field: &str,
    given: Option<&'a str>,
    action: &str,
) -> Result<&'a str, InvalidValue> {
    match given.map(str::trim).filter(|given| !given.is_empty()) {
        Some(given) => Ok(given),
        None => Err(InvalidValue::new(
            field,
            format!("given with the action {action}"),
            "missing",
        )),
    }
}

impl Knowledge {
    fn list(&self, limit: usize, call: &CallContext) -> Result<Reply, Failure> {
        let attributes = self.attributes.iter().flatten();
        let query = EntityQuery {
            entity_type: self.sort.as_deref().map(str::parse).transpose()?,
            custom_type: self.custom_type.clone(),
            name: self.name.clone(),
            tags: self.tags.clone().unwrap_or_default(),
            attributes: attributes
                .map(|(name, value)| (name.clone(), text::value(value)))
                .collect(),
            scope: self.scope.as_deref().map(str::parse).transpose()?,
            limit,
            ..EntityQuery::default()
        };
        let (space, graph) = self.extracted(call)?;
        if let Some(find) = &self.find {
            let found = graph.find(find, &query)?;
            let entities: Vec<_> = found.iter().map(|found| found.entity.clone()).collect();
            let text = text::list(space.name(), "most similar", &entities) + &behind(&graph)?;
            return Ok(Reply::new(
                call,
                text,
                || json!({ "entities": plain(&found) }),
            ));
        }
        let entities = graph.entities(&query)?;
        let text = text::list(space.name(), "most mentioned", &entities) + &behind(&graph)?;
        Ok(Reply::new(
            call,
            text,
            || json!({ "entities": plain(&entities) }),
        ))
    }

    fn show(&self, limit: usize, call: &CallContext) -> Result<Reply, Failure> {
        let name = needed("name", self.name.as_deref(), "entity")?;
        let (space, graph) = self.extracted(call)?;
        let id = entity_id(&graph, name)?;
        let (entity, mut frames) = graph.frames(&id)?;
        for frame in &mut frames {
            frame.relations.truncate(limit);
        }
        let mentions = graph.mentions(&id, MAX_MENTIONS)?;
        let together = graph.named_together(&id, MAX_MENTIONS)?;
        let shown = text::entity(space.name(), &entity, &frames, &mentions, &together);
        let text = shown + &behind(&graph)?;
        Ok(Reply::new(call, text, || {
            let together: Vec<Value> = together
                .iter()
                .map(|(memories, entity)| json!({ "memories": memories, "name": entity.name }))
                .collect();
            json!({
                "entity": plain(&entity),
                "frames": plain(&frames),
                "mentions": plain(&mentions),
                "named_together": together,
            })
        }))
    }

    fn neighbours(&self, limit: usize, call: &CallContext) -> Result<Reply, Failure> {
        let name = needed("name", self.name.as_deref(), "neighbours")?;
        let steps = bounded("steps", self.steps, 1..=6, 1)?;
        let (space, graph) = self.extracted(call)?;
        let id = entity_id(&graph, name)?;
        let around = graph.neighbourhood(&id, u32::try_from(steps).unwrap_or(1), limit)?;
        let text = text::neighbours(space.name(), &around) + &behind(&graph)?;
        Ok(Reply::new(call, text, || plain(&around)))
    }

    fn contradictions(&self, limit: usize, call: &CallContext) -> Result<Reply, Failure> {
        let query = ContradictionQuery {
            kind: Some(ConflictKind::Contested),
            open: true,
            limit,
            ..ContradictionQuery::default()
        };
        let (space, graph) = self.extracted(call)?;
        let found = graph.contradictions(&query)?;
        let text = text::contradictions(space.name(), &found, &call.zone) + &behind(&graph)?;
        Ok(Reply::new(
            call,
            text,
            || json!({ "contradictions": plain(&found) }),
        ))
    }

    fn check(&self, limit: usize, call: &CallContext) -> Result<Reply, Failure> {
        let named = self.id.as_deref().unwrap_or_default().trim();
        if named.is_empty() {
            needed("name or id", self.name.as_deref(), "check")?;
        }
        let space = call.space(self.space.as_deref())?;
        let memories = named
            .split([' ', ','])
            .filter(|id| !id.is_empty())
            .map(|id| space.resolve(id))
            .collect::<Result<Vec<_>, _>>()?;
        let report = space.check_consistency(&ConsistencyRequest {
            memories,
            topic: self.name.clone(),
            limit,
        })?;
        let text = text::checked(space.name(), &report, &call.zone);
        Ok(Reply::new(call, text, || plain(&report)))
    }

    fn resolve(&self, call: &CallContext) -> Result<Reply, Failure> {
        let id = needed("id", self.id.as_deref(), "resolve")?;
        let keep = needed("keep", self.keep.as_deref(), "resolve")?;
        let (space, graph) = self.extracted(call)?;
        graph.contradiction(id).map_err(adapt_error)?;
        let stored = space.assert(&space.resolution(id, space.resolve(keep)?)?, None)?;
        let decided = space.knowledge()?.contradiction(id)?;
        let citation = space.read(stored.id)?.citation();
        let text = text::decided(&decided, &citation);
        Ok(Reply::new(
            call,
            text,
            || json!({ "contradiction": plain(&decided), "decision": plain(&stored) }),
        ))
    }

    fn write(&self, call: &CallContext) -> Result<Reply, Failure> {
        let now = call.now();
        let assertion = self.assertion(call)?;
        assertion.check()?;
        let expires = call.future_instant("expires_at", self.expires_at.as_deref(), now)?;
        let space = match &assertion {
            Assertion::Denial { subject, .. } => {
                let (space, graph) = self.extracted(call)?;
                // A misspelt name would silently deny nothing.
                entity_id(&graph, subject)?;
                space
            }
            _ => call.space_to_write(self.space.as_deref())?,
        };
        let stored = space.assert(&assertion, expires)?;
        let memory = space.read(stored.id)?;
        let citation = memory.citation();
        // As it is stored: the guard may have redacted a value.
        let assertion = Assertion::of(&memory).unwrap_or(assertion);
        let text = text::stored(&assertion, &citation, &stored);
        Ok(Reply::new(
            call,
            text,
            || json!({ "stored": plain(&stored), "citation": citation, "knowledge": plain(&assertion) }),
        ))
    }

    /// The space and its knowledge, after a few seconds of extraction at most.
    pub(super) fn extracted(&self, call: &CallContext) -> Result<(Space, Graph), Error> {
        let space = call.space(self.space.as_deref())?;
        let begun = Instant::now();
        // Who may only read gets what is extracted.
        if call.store.scope().may_write(space.name()) {
            space.extract(&mut |_| begun.elapsed() < EXTRACTION_TIMEOUT)?;
        }
        let graph = space.knowledge()?;
        Ok((space, graph))
    }
}

/// The id of the entity with this name; the error lists similar names.
fn entity_id(graph: &Graph, name: &str) -> Result<String, Failure> {
    match graph.entity(name) {
        Err(Error::Knowledge(GraphError::NoEntity { name })) => {
            let like = graph.nearest_names(&name, 3)?;
            Err(Failure::Unknown(text::unknown(&name, &like)))
        }
        found => Ok(found?.id.to_string()),
    }
}

/// Adapts an error to this tool.
fn adapt_error(error: Error) -> Failure {
    match error {
        Error::Knowledge(GraphError::NoContradiction { id }) => Failure::Unknown(format!(
            "no contradiction {}; list open ones with the action contradictions",
            anamne::text::quote::quote_name(&id)
        )),
        error => error.into(),
    }
}

/// A note for answers from incomplete knowledge.
fn behind(graph: &Graph) -> Result<String, Error> {
    Ok(match graph.behind()? {
        0 => String::new(),
        events => format!("\n\nIncomplete for now: {events} later events are not extracted yet."),
    })
}
