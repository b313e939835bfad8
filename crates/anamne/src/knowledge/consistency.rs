//! Consistency checks between memories.

use anamne_knowledge::graph::holder;
use anamne_types::{
    ConsistencyReport, ConsistencyRequest, Inconsistency, Memory, MemoryId, Recall,
};

use crate::Error;
use crate::space::Space;

impl Space {
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
        let graph = self.inner.derived.knowledge.open()?;
        let extracted = graph.position()?;
        let contradictions = graph
            .contradictions_among(&memories)?
            .into_iter()
            .map(|contradiction| Inconsistency {
                holds: holder(&contradiction),
                contradiction,
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
