//! The knowledge graph of a space: extraction, queries and assertions.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anamne_embed::{Embedder, StaticModel};
use anamne_knowledge::graph::{
    Association, ContradictionQuery, EntityQuery, ExtractionReport, GraphError, Recency,
};
use anamne_recall::PlannerHistory;
use anamne_store::view::MemoryFeed;
use anamne_types::{
    Assertion, Contradiction, Dispute, Entity, EntityType, Evidence, FoundEntity, Frame,
    InvalidValue, Limits, LinkType, Memory, MemoryId, Neighbourhood, Relation, Right, Row, Seq,
    Skipped, SuggestedMerge,
};

use crate::Error;
use crate::core::Inner;
use crate::derived::graph::{BATCH, FOLLOWED_AT_ONCE, LOOKED_AT, OpenGraph, SMALL_BATCH};
use crate::derived::meta::QueryHistory;
use crate::likeness::nearest;
use crate::space::Space;

/// Maximum number of memories with shared names whose similarity to one is computed.
const MAX_COMPARED: usize = 60;

/// While there are queries, extraction works for one part in this many of the time.
const BUSY_DIVISOR: u32 = 6;

/// Maximum number of contradictions searched for an id prefix.
const MOST_CONTRADICTIONS: usize = 1_000_000;

/// The knowledge graph of a space, as far as it is extracted. It can be queried from several threads.
pub struct Knowledge {
    pub(super) space: Space,
    graph: OpenGraph,
}

/// The pace of background extraction.
pub(crate) struct Pace<'space> {
    inner: &'space Inner,
    asked: u64,
    began: Instant,
}

impl<'space> Pace<'space> {
    pub(crate) fn new(inner: &'space Inner) -> Self {
        Self {
            inner,
            asked: inner.jobs.asked.load(Ordering::Relaxed),
            began: Instant::now(),
        }
    }

    /// Sleeps after some work if there were queries meanwhile, in proportion to the duration of the work.
    pub(crate) fn rest(&mut self) {
        let asked = self.inner.jobs.asked.load(Ordering::Relaxed);
        if asked != self.asked {
            std::thread::sleep(self.began.elapsed() * (BUSY_DIVISOR - 1));
        }
        self.asked = asked;
        self.began = Instant::now();
    }
}

impl Space {
    /// Extracts new events into the knowledge graph: to the end of the log, or until `go_on` returns false; it is
    /// called with the event reached, every few hundred memories. About 0.5 ms per memory. The background does this
    /// when idle.
    ///
    /// Memories damaged in both copies count as forgotten, and each is reported once, by the call that skips it. A
    /// repair discards the graph, so that restored memories are extracted with everything else.
    pub fn extract(
        &self,
        go_on: &mut dyn FnMut(Seq) -> bool,
    ) -> Result<(ExtractionReport, Skipped), Error> {
        self.require_write()?;
        self.inner.derived.knowledge.extract(BATCH, go_on)
    }

    /// Discards the knowledge graph and extracts it again from the beginning of the log. The same log gives the same graph.
    pub fn extract_again(
        &self,
        go_on: &mut dyn FnMut(Seq) -> bool,
    ) -> Result<(ExtractionReport, Skipped), Error> {
        self.require_write()?;
        self.inner.derived.knowledge.empty()?;
        self.extract(go_on)
    }

    /// Extracts to the end of the log; while there are queries, only for a small part of the time.
    pub fn extract_in_background(&self) -> Result<(ExtractionReport, Skipped), Error> {
        self.require_write()?;
        let mut pace = Pace::new(&self.inner);
        self.inner.derived.knowledge.extract(SMALL_BATCH, &mut |_| {
            pace.rest();
            true
        })
    }

    /// The knowledge graph. It is extracted to the end of the log if at most a few dozen events were left; else
    /// [`Knowledge::behind`] returns their number.
    pub fn knowledge(&self) -> Result<Knowledge, Error> {
        let knowledge = Knowledge {
            graph: self.inner.derived.knowledge.open()?,
            space: self.clone(),
        };
        let is_writable = !knowledge.graph.is_read_only();
        if is_writable && (1..=FOLLOWED_AT_ONCE).contains(&knowledge.behind()?) {
            self.extract(&mut |_| true)?;
        }
        Ok(knowledge)
    }

    /// The event up to which the log is extracted, and the number of events left. Extracts nothing.
    pub fn extracted(&self) -> Result<(Seq, u64), Error> {
        let position = self.inner.derived.knowledge.open()?.position()?;
        let head = MemoryFeed::head(self.source())?;
        Ok((position, head.0.saturating_sub(position.0)))
    }

    /// Discards the knowledge graph. [`Space::extract`] restores the same graph.
    pub fn discard_graph(&self) -> Result<(), Error> {
        self.require(Right::Configure)?;
        self.inner.derived.knowledge.empty()
    }

    /// The memories related to one without an explicit link, as far as the graph is extracted; empty without a graph.
    pub fn associations(&self, memory: MemoryId, limit: usize) -> Result<Vec<Association>, Error> {
        let Some(graph) = self.inner.derived.knowledge.if_extracted() else {
            return Ok(Vec::new());
        };
        let knowledge = Knowledge {
            space: self.clone(),
            graph,
        };
        knowledge.associations(memory, limit)
    }

    /// The memories that contradict one, as far as the graph is extracted; empty without a graph.
    pub fn disputes(&self, memory: &Memory) -> Result<Vec<Dispute>, Error> {
        let Some(graph) = self.inner.derived.knowledge.if_extracted() else {
            return Ok(Vec::new());
        };
        Ok(graph.disputes(&[memory.row])?.pop().unwrap_or_default())
    }

    /// The resolution of a contradiction in favour of the memory `kept`, which must be one of its sides; store it with
    /// [`Space::assert`].
    pub fn resolution(&self, id: &str, kept: MemoryId) -> Result<Assertion, Error> {
        let contradiction = self.knowledge()?.contradiction(id)?;
        let sides = [&contradiction.earlier, &contradiction.later].map(|side| side.evidence.memory);
        let lost = match sides {
            [earlier, later] if earlier == kept => later,
            [earlier, later] if later == kept => earlier,
            _ => {
                let accepted = format!(
                    "{} or {}, the sides of contradiction {}",
                    contradiction.earlier.evidence.citation,
                    contradiction.later.evidence.citation,
                    contradiction.id
                );
                let given = self.read(kept)?.citation();
                return Err(InvalidValue::new("keep", accepted, given).into());
            }
        };
        Ok(Assertion::Resolution {
            contradiction: contradiction.id,
            kept,
            lost,
        })
    }

    /// Resolves a contradiction in favour of the memory `kept`. The other side stays in the store, recall marks it as
    /// wrong, and its statement no longer counts.
    pub fn resolve_contradiction(&self, id: &str, kept: MemoryId) -> Result<Contradiction, Error> {
        self.require_write()?;
        let resolution = self.resolution(id, kept)?;
        self.assert(&resolution, None)?;
        self.knowledge()?.contradiction(id)
    }
}

impl Knowledge {
    /// The number of events that are not extracted yet.
    pub fn behind(&self) -> Result<u64, Error> {
        self.space.inner.derived.knowledge.behind(&self.graph)
    }

    /// The event up to which the log is extracted.
    pub fn position(&self) -> Result<Seq, Error> {
        Ok(self.graph.position()?)
    }

    /// Known names similar to an unknown one, most similar first, at most `limit`. O(entities).
    pub fn nearest_names(&self, name: &str, limit: usize) -> Result<Vec<String>, Error> {
        let query = EntityQuery {
            unconfirmed: true,
            limit: LOOKED_AT,
            ..EntityQuery::default()
        };
        let known = self.entities(&query)?.into_iter();
        let names = known.flat_map(|entity| std::iter::once(entity.name).chain(entity.aliases));
        Ok(nearest(name, names, limit))
    }

    /// Entities, those named by most memories first.
    pub fn entities(&self, query: &EntityQuery) -> Result<Vec<Entity>, Error> {
        Ok(self.graph.entities(query, self.recency())?)
    }

    /// The entities that fit a text, most similar first: by meaning, by words, and by what was told about them.
    /// O(entities), at most 100 000.
    pub fn find(&self, text: &str, query: &EntityQuery) -> Result<Vec<FoundEntity>, Error> {
        Limits::check_results(query.limit)?;
        if text.trim().is_empty() {
            return Err(InvalidValue::new("find", "what to look for", "empty").into());
        }
        Ok(self.graph.find(text, query, self.recency())?)
    }

    /// Now, with the memories that were opened lately: what they mention counts as confirmed.
    fn recency(&self) -> Recency {
        let now = self.space.now();
        let opened = QueryHistory(&self.space.inner.derived.meta).access_counts();
        Recency::with_opened(now, opened.opened_since(Recency::since(now)))
    }

    /// The number of entities per type.
    pub fn counts(&self) -> Result<Vec<(EntityType, u64)>, Error> {
        Ok(self.graph.entity_counts(self.recency())?)
    }

    /// The entity with this name, alias or id.
    pub fn entity(&self, name: &str) -> Result<Entity, Error> {
        Ok(self.graph.entity(name)?)
    }

    /// An entity with all its frames.
    pub fn frames(&self, name: &str) -> Result<(Entity, Vec<Frame>), Error> {
        Ok(self.graph.frames(name, self.recency())?)
    }

    /// The relations from and to an entity, highest confidence first.
    pub fn relations(&self, name: &str) -> Result<Vec<Relation>, Error> {
        Ok(self.graph.relations(name, self.recency())?)
    }

    /// The memories that name an entity, latest first.
    pub fn mentions(&self, name: &str, limit: usize) -> Result<Vec<Evidence>, Error> {
        Limits::check_results(limit)?;
        Ok(self.graph.mentions(name, limit)?)
    }

    /// The entities that a memory names.
    pub fn named_in(&self, memory: MemoryId) -> Result<Vec<Entity>, Error> {
        Ok(self.graph.named_in(memory)?)
    }

    /// The entities named in the same memories as one, with the number of these memories.
    pub fn named_together(&self, name: &str, limit: usize) -> Result<Vec<(u64, Entity)>, Error> {
        Limits::check_results(limit)?;
        Ok(self.graph.named_together(name, limit)?)
    }

    /// The memories related to one without an explicit link, strongest first: those that contradict or supersede it,
    /// and similar ones that share names with it.
    pub fn associations(&self, memory: MemoryId, limit: usize) -> Result<Vec<Association>, Error> {
        let mut found = self.graph.associations(memory, MAX_COMPARED)?;
        let own = self.space.read(memory)?;
        let rows: Vec<Row> = found.iter().map(|association| association.row).collect();
        let texts: BTreeMap<Row, String> = self
            .space
            .source()
            .get_rows(&rows)?
            .into_iter()
            .map(|(row, memory)| (row, memory.content))
            .collect();
        found.retain(|association| texts.contains_key(&association.row));
        let own = vector(&own.content)?;
        for association in &mut found {
            if association.link_type == LinkType::Related {
                let near = vector(&texts[&association.row])?;
                let cosine: f32 = own.iter().zip(&near).map(|(one, other)| one * other).sum();
                association.strength = f32::midpoint(association.strength, cosine.max(0.0));
            }
        }
        found.sort_by(|one, other| {
            other
                .strength
                .total_cmp(&one.strength)
                .then_with(|| one.row.cmp(&other.row))
        });
        found.truncate(limit);
        Ok(found)
    }

    /// The entities within `steps` relations of one, at most `limit`.
    pub fn neighbourhood(
        &self,
        name: &str,
        steps: u32,
        limit: usize,
    ) -> Result<Neighbourhood, Error> {
        Limits::check_results(limit)?;
        Ok(self
            .graph
            .neighbourhood(name, steps, limit, self.recency())?)
    }

    /// Entities that may be the same; only a person merges them.
    pub fn suggested_merges(&self, limit: usize) -> Result<Vec<SuggestedMerge>, Error> {
        Limits::check_results(limit)?;
        Ok(self.graph.suggested_merges(limit, self.recency())?)
    }

    /// Statements that can't both hold, latest first.
    pub fn contradictions(&self, query: &ContradictionQuery) -> Result<Vec<Contradiction>, Error> {
        Ok(self.graph.contradictions(query)?)
    }

    /// The contradiction with this id or unique id prefix; an ambiguous prefix is an error.
    pub fn contradiction(&self, id: &str) -> Result<Contradiction, Error> {
        match self.graph.contradiction(id) {
            Err(GraphError::NoContradiction { id }) => {
                self.check_one_begins_so(&id)?;
                Err(GraphError::NoContradiction { id }.into())
            }
            found => Ok(found?),
        }
    }

    fn check_one_begins_so(&self, beginning: &str) -> Result<(), Error> {
        let all = ContradictionQuery {
            limit: MOST_CONTRADICTIONS,
            ..ContradictionQuery::default()
        };
        let beginning = beginning.to_ascii_lowercase();
        let fitting: Vec<String> = self
            .contradictions(&all)?
            .into_iter()
            .map(|contradiction| contradiction.id)
            .filter(|id| id.starts_with(&beginning))
            .collect();
        if fitting.len() < 2 {
            return Ok(());
        }
        let more = if fitting.len() > 4 { ", …" } else { "" };
        let shown = fitting[..fitting.len().min(4)].join(", ");
        let accepted = format!(
            "a unique beginning of an id ({} match: {shown}{more})",
            fitting.len()
        );
        Err(InvalidValue::new("id", accepted, format!("{beginning:?}")).into())
    }
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Store(error) => Self::Store(error),
            GraphError::Feed(error) => Self::View(error),
            error => Self::Knowledge(error),
        }
    }
}

fn vector(text: &str) -> Result<Vec<f32>, Error> {
    let model = StaticModel::builtin();
    let mut vector = vec![0.0; model.dimensions()];
    model.embed_into(text, &mut vector)?;
    Ok(vector)
}
