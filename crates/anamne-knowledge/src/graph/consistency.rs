//! Contradictions among given memories, extracted or not.

use std::collections::BTreeMap;

use anamne_types::{Assertion, ConflictKind, Contradiction, Evidence, Memory, MemoryId, Side};
use rusqlite::{Connection, OptionalExtension};

use super::attribution::contradiction_rule;
use super::contradictions::{claim_digest, claims_in, identity};
use super::reading_writer::reading_of;
use super::{Graph, GraphError};
use crate::conflicts::{Claim, ClaimId, Conflicts, Link};

impl Graph {
    /// Contradictions between these memories, and of them with denials, by their texts as in extraction, with denials and
    /// decisions as far as extracted. The `updated_at` of a memory is when its text last changed.
    ///
    /// Writes nothing. Ordered by the earlier memory's time.
    ///
    /// O(claims · the claims about the same things).
    pub fn contradictions_among(
        &self,
        memories: &[Memory],
    ) -> Result<Vec<Contradiction>, GraphError> {
        let mut conflicts = Conflicts::new();
        let by_row: BTreeMap<u32, &Memory> = memories
            .iter()
            .filter(|memory| !memory.metadata.contains_key(Assertion::KEY))
            .map(|memory| (memory.row.0, memory))
            .collect();
        for (row, memory) in &by_row {
            let reading = reading_of(self.readings.as_deref(), memory)?;
            conflicts.insert(*row, claims_in(memory, &reading));
        }
        let reader = self.reader();
        let mut found = Vec::new();
        for link in conflicts.links() {
            let side = |id: ClaimId| Some((*by_row.get(&id.row)?, conflicts.claim(id)?, id));
            let (Some(earlier), Some(later)) = (side(link.earlier), side(link.later)) else {
                continue;
            };
            found.extend(self.decided(&reader, &link, earlier, later)?);
        }
        for memory in by_row.values() {
            found.extend(self.denials_of(&reader, memory)?);
        }
        found.sort_by(|one, other| {
            let key = |found: &Contradiction| (found.earlier.evidence.at, found.later.evidence.at);
            key(one)
                .cmp(&key(other))
                .then_with(|| one.id.cmp(&other.id))
        });
        Ok(found)
    }

    /// The contradiction with its decision; `None` if a model rejected it.
    fn decided(
        &self,
        reader: &Connection,
        link: &Link,
        earlier: (&Memory, &Claim, ClaimId),
        later: (&Memory, &Claim, ClaimId),
    ) -> Result<Option<Contradiction>, GraphError> {
        let id = identity(
            [earlier, later]
                .map(|(memory, _, claim)| (*memory.id.as_bytes(), i64::from(claim.place))),
        );
        let verdict = match &self.readings {
            Some(readings) => readings.verdict(&id)?,
            None => None,
        };
        let (kind, reason) = match verdict {
            None => (link.conflict.kind, link.conflict.reason.clone()),
            Some(verdict) => match verdict.kind {
                None => return Ok(None),
                Some(kind) if verdict.reason.is_empty() => (kind, link.conflict.reason.clone()),
                Some(kind) => (kind, verdict.reason),
            },
        };
        let kept = match resolved(reader, &id)? {
            Some(kept) => Some(kept),
            None => match (is_lost(reader, earlier.1)?, is_lost(reader, later.1)?) {
                (true, false) => Some(later.0.id),
                (false, true) => Some(earlier.0.id),
                _ => None,
            },
        };
        let contradiction = Contradiction {
            id,
            kind,
            earlier: side(earlier.0, earlier.1),
            later: side(later.0, later.1),
            reason,
            confidence: (link.conflict.confidence * 100.0).round() / 100.0,
            made_by: contradiction_rule(),
            kept,
        };
        self.judged(contradiction).map(Some)
    }
}

/// Which memory holds, if known.
pub fn holder(contradiction: &Contradiction) -> Option<MemoryId> {
    match (contradiction.kept, contradiction.kind) {
        (Some(kept), _) => Some(kept),
        (None, ConflictKind::Superseded) => Some(contradiction.later.evidence.memory),
        (None, ConflictKind::Contested) => None,
    }
}

fn side(memory: &Memory, claim: &Claim) -> Side {
    Side {
        evidence: Evidence {
            memory: memory.id,
            citation: memory.citation(),
            at: memory.occurred_at,
        },
        author: memory.author.clone(),
        quote: claim.quote.clone(),
    }
}

/// The memory that was decided for.
fn resolved(reader: &Connection, id: &str) -> Result<Option<MemoryId>, GraphError> {
    let kept: Option<[u8; 16]> = reader
        .prepare_cached(
            "SELECT kept FROM resolutions WHERE contradiction = ?1 ORDER BY row DESC LIMIT 1",
        )?
        .query_row([id], |row| row.get(0))
        .optional()?;
    Ok(kept.map(MemoryId::from_bytes))
}

/// Whether the claim was decided to be wrong, whoever states it.
fn is_lost(reader: &Connection, claim: &Claim) -> Result<bool, GraphError> {
    Ok(reader
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM tombstones WHERE says = ?1)")?
        .query_row([claim_digest(claim)], |row| row.get(0))?)
}
