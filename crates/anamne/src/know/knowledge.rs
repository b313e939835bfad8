//! The knowledge graph of a space: extraction, queries and assertions.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anamne_embed::{Embedder, StaticModel};
use anamne_knowledge::graph::{
    Association, ContradictionQuery, EntityQuery, ExtractionReport, GraphError,
};
use anamne_store::Listing;
use anamne_store::view::MemoryFeed;
use anamne_types::{
    Assertion, Body, Category, Contradiction, Dispute, Draft, Entity, EntityType, Evidence, Filter,
    Frame, InvalidValue, Kind, Limits, LinkType, Memory, MemoryId, Neighbourhood, Relation,
    Remembered, Right, Row, Seq, Skipped, SuggestedMerge,
};
use jiff::Timestamp;

use crate::Error;
use crate::core::Inner;
use crate::derived::graph::{BATCH, FOLLOWED_AT_ONCE, LOOKED_AT, OpenGraph, SMALL_BATCH};
use crate::likeness::nearest;
use crate::space::Space;

/// Memories that share names with one whose meanings are compared with it.
const WEIGHED: usize = 60;

/// Of the time in which others ask, extraction takes so small a part.
const BUSY_PART: u32 = 6;

/// So many contradictions are looked at for those whose ids begin alike.
const MOST_CONTRADICTIONS: usize = 1_000_000;

/// The knowledge graph of a space, as far as it is extracted. It may be asked from several threads.
pub struct Knowledge {
    space: Space,
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

    /// Sleeps after some work where somebody asked meanwhile, the longer the longer the work took.
    pub(crate) fn rest(&mut self) {
        let asked = self.inner.jobs.asked.load(Ordering::Relaxed);
        if asked != self.asked {
            std::thread::sleep(self.began.elapsed() * (BUSY_PART - 1));
        }
        self.asked = asked;
        self.began = Instant::now();
    }
}

impl Space {
    /// Extracts what was written since into the knowledge graph: to the log's end, or until `go_on`, which is asked after
    /// every few hundred memories with the event reached, says no. Some 0.5 ms a memory. The background does this while
    /// nobody asks.
    ///
    /// Memories that are damaged in both copies count as forgotten, and each is named once, by the call that passes it over. What a
    /// repair brings back is extracted with everything else, for it throws the graph away.
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

    /// Extracts to the log's end and gives way to whoever asks meanwhile: then it works for a small part of the time.
    pub fn extract_in_background(&self) -> Result<(ExtractionReport, Skipped), Error> {
        self.require_write()?;
        let mut pace = Pace::new(&self.inner);
        self.inner.derived.knowledge.extract(SMALL_BATCH, &mut |_| {
            pace.rest();
            true
        })
    }

    /// The knowledge graph. It has followed the log to its end where no more than a few dozen events were left;
    /// [`Knowledge::behind`] says how many it lacks else.
    pub fn knowledge(&self) -> Result<Knowledge, Error> {
        let knowledge = Knowledge {
            graph: self.inner.derived.knowledge.open()?,
            space: self.clone(),
        };
        if (1..=FOLLOWED_AT_ONCE).contains(&knowledge.behind()?) {
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

    /// The memories that have to do with one though nobody said so, as far as knowledge is extracted; none where it never was.
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

    /// The memories that say otherwise than one, as far as knowledge is extracted; none where it never was.
    pub fn disputes(&self, memory: &Memory) -> Result<Vec<Dispute>, Error> {
        let Some(graph) = self.inner.derived.knowledge.if_extracted() else {
            return Ok(Vec::new());
        };
        Ok(graph.disputes(&[memory.row])?.pop().unwrap_or_default())
    }

    /// Tells something about the graph itself, as a fact whose sentence any recall finds. It counts until it is
    /// forgotten, or until `expires`.
    ///
    /// What was written before changes nothing while it is the last word about the graph. Else it is told again in the place
    /// of the former fact, which is put away, so that it outranks what was written in between.
    pub fn assert(
        &self,
        assertion: &Assertion,
        expires: Option<Timestamp>,
    ) -> Result<Remembered, Error> {
        self.require_write()?;
        assertion.check()?;
        let told = serde_json::to_value(assertion).map_err(anamne_store::StoreError::from)?;
        let mut draft = Draft::new(assertion.sentence()).body(Body::Fact {
            category: Some(Category::Entity),
        });
        draft.metadata.insert(Assertion::KEY.to_owned(), told);
        draft.expires_at = expires;
        let mut remembered = self.tell(&draft)?;
        if !remembered.duplicate {
            return Ok(remembered);
        }
        let mut known = self.get(remembered.id)?;
        if !known.metadata.contains_key(Assertion::KEY) {
            // Someone said the very sentence: that memory stays, and the assertion is told beside it.
            draft.external_id = Some(format!("knowledge beside {}", known.id));
            remembered = self.tell(&draft)?;
            if !remembered.duplicate {
                return Ok(remembered);
            }
            known = self.get(remembered.id)?;
        }
        let is_live = known.deleted_at.is_none();
        let is_the_same = known.metadata == draft.metadata && known.expires_at == expires;
        if is_live && is_the_same && self.is_last_word(&known)? {
            return Ok(remembered);
        }
        if is_live {
            self.forget(known.id)?;
        }
        draft.external_id = Some(format!("knowledge after {} at {}", known.id, self.now()));
        self.tell(&draft)
    }

    /// Whether nothing was told of the graph after this memory.
    fn is_last_word(&self, memory: &Memory) -> Result<bool, Error> {
        let listing = Listing {
            filter: Filter {
                kinds: vec![Kind::Fact],
                categories: vec![Category::Entity],
                since: Some(memory.occurred_at),
                ..Filter::default()
            },
            limit: 1_000,
            ..Listing::default()
        };
        let since = self.list(&listing)?;
        let is_later =
            |other: &Memory| other.row > memory.row && other.metadata.contains_key(Assertion::KEY);
        Ok(!since.iter().any(is_later))
    }

    /// What decides a contradiction for the memory `kept`, which must be one of its sides; [`Space::assert`] tells it.
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
                let given = self.get(kept)?.citation();
                return Err(InvalidValue::new("keep", accepted, given).into());
            }
        };
        Ok(Assertion::Resolution {
            contradiction: contradiction.id,
            kept,
            lost,
        })
    }

    /// Decides a contradiction for the memory `kept`. The other side stays in the store, is marked wrong wherever it
    /// is recalled, and what it says counts for nothing any more.
    pub fn resolve_contradiction(&self, id: &str, kept: MemoryId) -> Result<Contradiction, Error> {
        self.require_write()?;
        let resolution = self.resolution(id, kept)?;
        self.assert(&resolution, None)?;
        self.knowledge()?.contradiction(id)
    }
}

impl Knowledge {
    /// How many events of the log are not extracted yet.
    pub fn behind(&self) -> Result<u64, Error> {
        self.space.inner.derived.knowledge.behind(&self.graph)
    }

    /// Up to which event the log is extracted.
    pub fn position(&self) -> Result<Seq, Error> {
        Ok(self.graph.position()?)
    }

    /// Known names that are like one that is not known, the likest first, at most `limit`. O(entities).
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

    /// Entities, those that most memories name first.
    pub fn entities(&self, query: &EntityQuery) -> Result<Vec<Entity>, Error> {
        Ok(self.graph.entities(query, self.space.now())?)
    }

    /// How many entities there are of each type.
    pub fn counts(&self) -> Result<Vec<(EntityType, u64)>, Error> {
        Ok(self.graph.entity_counts(self.space.now())?)
    }

    /// The entity of this name, one of its other names, or this id.
    pub fn entity(&self, name: &str) -> Result<Entity, Error> {
        Ok(self.graph.entity(name)?)
    }

    /// An entity from all sides.
    pub fn frames(&self, name: &str) -> Result<(Entity, Vec<Frame>), Error> {
        Ok(self.graph.frames(name, self.space.now())?)
    }

    /// What is said of an entity and what leads to it, surest first.
    pub fn relations(&self, name: &str) -> Result<Vec<Relation>, Error> {
        Ok(self.graph.relations(name, self.space.now())?)
    }

    /// The memories that name an entity, the latest first.
    pub fn mentions(&self, name: &str, limit: usize) -> Result<Vec<Evidence>, Error> {
        Limits::check_results(limit)?;
        Ok(self.graph.mentions(name, limit)?)
    }

    /// The entities that a memory names.
    pub fn named_in(&self, memory: MemoryId) -> Result<Vec<Entity>, Error> {
        Ok(self.graph.named_in(memory)?)
    }

    /// The entities that are named in the same memories as one, with in how many.
    pub fn named_together(&self, name: &str, limit: usize) -> Result<Vec<(u64, Entity)>, Error> {
        Limits::check_results(limit)?;
        Ok(self.graph.named_together(name, limit)?)
    }

    /// The memories that have to do with one though nobody said so, strongest first: what contradicts it or took its
    /// place, and what names the same and means something near.
    pub fn associations(&self, memory: MemoryId, limit: usize) -> Result<Vec<Association>, Error> {
        let mut found = self.graph.associations(memory, WEIGHED)?;
        let own = self.space.get(memory)?;
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
            .neighbourhood(name, steps, limit, self.space.now())?)
    }

    /// Entities that may be the same; nobody joins them but a person.
    pub fn suggested_merges(&self, limit: usize) -> Result<Vec<SuggestedMerge>, Error> {
        Limits::check_results(limit)?;
        Ok(self.graph.suggested_merges(limit, self.space.now())?)
    }

    /// Statements that can't both hold, the latest first.
    pub fn contradictions(&self, query: &ContradictionQuery) -> Result<Vec<Contradiction>, Error> {
        Ok(self.graph.contradictions(query)?)
    }

    /// The contradiction with this id, or with an id that begins so; refused where several do.
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
