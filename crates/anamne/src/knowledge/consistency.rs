//! Consistency checks between memories, and of a claim with the memories about it.

use std::collections::BTreeMap;

use anamne_knowledge::graph::holder;
use anamne_types::{
    Body, ConflictKind, ConsistencyReport, ConsistencyRequest, Contradiction, Inconsistency,
    Memory, MemoryId, Metadata, Recall, Row, Seq, Side,
};
use jiff::Timestamp;

use super::wording_times::worded_at;
use crate::Error;
use crate::space::Space;

/// Stands for a claim in place of a memory's id, which is never zero.
fn claim_id() -> MemoryId {
    MemoryId::from_bytes([0; 16])
}

impl Space {
    /// Compares a claim, which is not stored, with at most `limit` memories about it, and reports what contradicts it.
    ///
    /// A claim has no date and proves nothing: it is compared as if it were told first and as if it were told last, and it
    /// outdates nothing. Statements that are outdated don't count. In the report the claim is cited as `claim`, said now by
    /// nobody. `holds` is only there where someone decided between such statements before. As
    /// [`Space::check_consistency`] otherwise.
    pub fn check_claim(&self, claim: &str, limit: usize) -> Result<ConsistencyReport, Error> {
        let answer = self.recall(&Recall::new(claim).limit(limit))?;
        let found: Vec<Memory> = answer.results.into_iter().map(|hit| hit.memory).collect();
        let among = self.compare(&found, None)?.contradictions.into_iter();
        let mut known = Stated::default();
        for outdated in among.filter_map(|found| loser(found.contradiction, found.holds?)) {
            known.insert(&outdated);
        }
        let last = claimed(claim, self.name(), self.now());
        let first = Memory {
            updated_at: Timestamp::MIN,
            created_at: last.occurred_at,
            ..last.clone()
        };
        let mut report = self.compare(&found, Some(&last))?;
        let told_first = self.compare(&found, Some(&first))?;
        report.contradictions.extend(told_first.contradictions);
        report.contradictions.retain_mut(|found| {
            open_claim(&mut found.contradiction);
            found.holds = found.contradiction.kept;
            known.insert(&found.contradiction.earlier)
        });
        Ok(report)
    }

    /// Compares memories with each other and reports contradictions, with both statements and which one holds, if
    /// known.
    ///
    /// Compares the texts, whether they are extracted into the graph or not; no language model is called. Forgotten
    /// memories are ignored. A missing memory is an error.
    pub fn check_consistency(
        &self,
        request: &ConsistencyRequest,
    ) -> Result<ConsistencyReport, Error> {
        request.check()?;
        let mut ids: Vec<MemoryId> = request.memories.clone();
        if let Some(topic) = &request.topic {
            let answer = self.recall(&Recall::new(topic).limit(request.limit))?;
            ids.extend(answer.results.iter().map(|hit| hit.memory.id));
        }
        ids.sort_unstable();
        ids.dedup();
        let memories: Vec<Memory> = ids
            .iter()
            .map(|id| self.read(*id))
            .collect::<Result<Vec<_>, Error>>()?
            .into_iter()
            .filter(|memory| memory.deleted_at.is_none())
            .collect();
        self.compare(&memories, None)
    }

    /// The contradictions between memories, or only those with a claim.
    fn compare(
        &self,
        memories: &[Memory],
        claim: Option<&Memory>,
    ) -> Result<ConsistencyReport, Error> {
        let graph = self.inner.derived.knowledge.open()?;
        let extracted = graph.position()?;
        let mut compared = memories.to_vec();
        for memory in &mut compared {
            memory.updated_at = worded_at(&self.inner.source, memory)?;
        }
        compared.extend(claim.cloned());
        let contradictions = graph
            .contradictions_among(&compared)?
            .into_iter()
            .filter_map(|mut contradiction| {
                let concerns = cite_claim(&mut contradiction);
                (concerns || claim.is_none()).then(|| Inconsistency {
                    holds: holder(&contradiction),
                    contradiction,
                })
            })
            .collect();
        let behind = memories.iter().filter(|memory| memory.seq > extracted);
        Ok(ConsistencyReport {
            checked: memories.len() as u64,
            contradictions,
            not_extracted: behind.count() as u64,
        })
    }
}

/// The side of a contradiction that doesn't hold.
fn loser(contradiction: Contradiction, holds: MemoryId) -> Option<Side> {
    let sides = [contradiction.earlier, contradiction.later];
    sides.into_iter().find(|side| side.evidence.memory != holds)
}

/// Statements of memories, by their quotes.
#[derive(Default)]
struct Stated(BTreeMap<MemoryId, Vec<String>>);

impl Stated {
    /// Adds a statement; returns whether it is new. One quote of a statement may have more of it than another.
    fn insert(&mut self, side: &Side) -> bool {
        let known = self.0.entry(side.evidence.memory).or_default();
        let is_part = |quote: &String| {
            quote.contains(side.quote.as_str()) || side.quote.contains(quote.as_str())
        };
        let is_new = !known.iter().any(is_part);
        known.push(side.quote.clone());
        is_new
    }
}

/// Makes a contradiction with a claim an open one between what is stored and the claim.
fn open_claim(contradiction: &mut Contradiction) {
    if contradiction.earlier.evidence.memory == claim_id() {
        std::mem::swap(&mut contradiction.earlier, &mut contradiction.later);
    }
    if contradiction.kept.is_none() {
        let [stated, claim] =
            [&contradiction.earlier, &contradiction.later].map(|side| &side.quote);
        contradiction.reason = format!("“{stated}” against “{claim}”");
        contradiction.kind = ConflictKind::Contested;
    }
}

/// A claim in the form of a memory that was never stored. Its row is beyond all others.
fn claimed(claim: &str, space: &str, now: Timestamp) -> Memory {
    Memory {
        id: claim_id(),
        row: Row(u32::MAX),
        space: space.to_owned(),
        body: Body::Message { role: None },
        content: claim.to_owned(),
        thread: None,
        position: None,
        session: None,
        author: None,
        trust: 1.0,
        importance: 5,
        confidence: 1.0,
        tags: Vec::new(),
        metadata: Metadata::default(),
        external_id: None,
        occurred_at: now,
        created_at: now,
        updated_at: now,
        expires_at: None,
        deleted_at: None,
        superseded_by: None,
        member: None,
        version: 1,
        seq: Seq(0),
    }
}

/// Cites the claim as such; returns whether the contradiction concerns it.
fn cite_claim(contradiction: &mut Contradiction) -> bool {
    let sides = [&mut contradiction.earlier, &mut contradiction.later];
    let mut concerns = false;
    for side in sides
        .into_iter()
        .filter(|side| side.evidence.memory == claim_id())
    {
        "claim".clone_into(&mut side.evidence.citation);
        concerns = true;
    }
    concerns
}
