//! Consistency checks between memories, and of a claim with the memories about it.

use anamne_knowledge::graph::holder;
use anamne_types::{
    Body, ConsistencyReport, ConsistencyRequest, Contradiction, Inconsistency, Memory, MemoryId,
    Metadata, Recall, Row, Seq,
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
    /// In the report the claim is cited as `claim`, said now by nobody. `holds` is only there where someone decided
    /// between such statements before. As [`Space::check_consistency`] otherwise.
    pub fn check_claim(&self, claim: &str, limit: usize) -> Result<ConsistencyReport, Error> {
        let answer = self.recall(&Recall::new(claim).limit(limit))?;
        let found: Vec<Memory> = answer.results.into_iter().map(|hit| hit.memory).collect();
        let mut report = self.compare(&found, Some(&claimed(claim, self.name(), self.now())))?;
        for found in &mut report.contradictions {
            found.holds = found.contradiction.kept;
        }
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
