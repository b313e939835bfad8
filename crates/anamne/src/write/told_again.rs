//! A known text that is told again although it no longer holds: it holds again from now on.

use anamne_types::{ConflictKind, Dispute, Draft, MemoryId, Relation, Remembered};

use crate::Error;
use crate::space::Space;

/// Entities of a known memory whose relations are compared.
const MOST_ENTITIES: usize = 8;

/// Memories that may name such an entity. Relations of one that is named more often cost too much for a write.
const MOST_MENTIONS: u64 = 256;

impl Space {
    /// Stores a told text as a new memory if the known one with the same words is outdated; under the id `planned`, if
    /// there is one. A failure leaves the known memory as the answer, and is reported.
    pub(crate) fn anew_if_outdated(
        &self,
        told: Remembered,
        draft: &Draft,
        planned: Option<MemoryId>,
    ) -> Remembered {
        if !told.duplicate || draft.external_id.is_some() {
            return told;
        }
        let stored = self.is_outdated(told.id).and_then(|is_outdated| {
            let source = &self.inner.source;
            let anew = || source.remember_anew(self.actor(), draft, planned);
            Ok(is_outdated.then(anew).transpose()?)
        });
        match stored {
            Ok(Some(anew)) => anew,
            Ok(None) => told,
            Err(error) => {
                let problem = format!("not compared with later statements: {error}");
                self.inner.site.problems.note(Some(problem));
                told
            }
        }
    }

    /// Whether a memory was superseded, but not by one that says the same, or a later statement replaces what it says, as
    /// far as the graph is extracted. O(relations of the entities that it names), of which those that many memories name are
    /// not compared.
    fn is_outdated(&self, id: MemoryId) -> Result<bool, Error> {
        let memory = self.inner.source.get(id)?;
        if memory.superseded_by.is_some() {
            return Ok(!self.inner.was_merged(id)?);
        }
        let knowledge = self.knowledge()?;
        // What a person decided to be wrong stays wrong, however often it is told.
        let is_replaced = |dispute: &Dispute| {
            dispute.kind == ConflictKind::Superseded && dispute.holds == Some(false)
        };
        if self.disputes(&memory)?.iter().any(is_replaced) {
            return Ok(true);
        }
        let mut entities = knowledge.named_in(id)?;
        entities.retain(|entity| entity.mentions <= MOST_MENTIONS);
        for entity in entities.iter().take(MOST_ENTITIES) {
            let relations = knowledge.relations(&entity.name)?;
            let mut told = relations
                .iter()
                .filter(|relation| is_evidence(id, relation));
            if told.any(|told| relations.iter().any(|later| replaces(later, told, id))) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn is_evidence(memory: MemoryId, relation: &Relation) -> bool {
    relation.evidence.iter().any(|one| one.memory == memory)
}

/// Whether a relation holds that was told after the memory `of`, in place of one that ended.
fn replaces(later: &Relation, ended: &Relation, of: MemoryId) -> bool {
    let is_same_property = later.subject == ended.subject && later.relation == ended.relation;
    is_same_property
        && ended.valid_to.is_some()
        && later.valid_to.is_none()
        && later.evidence.iter().any(|one| one.memory > of)
}
