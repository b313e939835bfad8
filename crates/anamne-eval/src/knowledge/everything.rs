//! The complete content of a knowledge graph, for comparison with another one.

use std::fmt::Write;

use anamne::{ContradictionQuery, EntityQuery, Error, Space};

/// Number of entities whose relations are compared.
const COMPARED: usize = 500;

/// The entities, their relations, and all contradictions, as text.
pub(crate) fn everything(space: &Space) -> Result<String, Error> {
    let knowledge = space.knowledge()?;
    let all = EntityQuery {
        unconfirmed: true,
        limit: usize::MAX >> 1,
        ..EntityQuery::default()
    };
    let entities = knowledge.entities(&all)?;
    let mut said = format!("{entities:?}");
    for entity in entities.iter().take(COMPARED) {
        let relations = knowledge.relations(&entity.id.to_string())?;
        let _ = write!(said, "{relations:?}");
    }
    let contradictions = ContradictionQuery {
        limit: 10_000,
        ..ContradictionQuery::default()
    };
    Ok(said + &format!("{:?}", knowledge.contradictions(&contradictions)?))
}
