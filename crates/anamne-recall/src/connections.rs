//! What recall reads of the connections between memories, as a narrow trait.

use anamne_store::view::ViewError;
use anamne_types::{EntityId, RelationType, Row};

pub use anamne_store::Linked;

/// An entity that memories name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedEntity {
    /// Its id.
    pub entity: EntityId,
    /// Its most frequent name.
    pub name: String,
    /// Number of memories that name it, in all tiers.
    pub memories: u64,
}

/// A relation between two entities.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedEntity {
    /// The entity that was queried.
    pub from: EntityId,
    /// The other entity.
    pub to: NamedEntity,
    /// The relation type: `works_at`.
    pub relation: RelationType,
    /// Whether the other entity is the relation's subject.
    pub backwards: bool,
    /// The row of its evidence.
    pub evidence: Row,
    /// Confidence in the relation, 0 to 1.
    pub confidence: f32,
}

/// Connections between memories: links, entity names, relations.
///
/// Every method handles all nodes of a hop at once, reads a bounded number of edges per node, and is deterministic for
/// an unchanged store. Results may contain rows that were forgotten meanwhile.
pub trait Connections {
    /// Whether there is a knowledge graph; without one there are only links.
    fn has_names(&self) -> bool;

    /// The links and contradictions that start or end at each of `rows`, about `most` per row.
    fn links(&self, rows: &[Row], most: usize) -> Result<Vec<Linked>, ViewError>;

    /// The entities that each of `rows` names, rarest first, at most `most` per row; without dates.
    fn names(&self, rows: &[Row], most: usize) -> Result<Vec<(Row, NamedEntity)>, ViewError>;

    /// The rows that name each of `entities`, latest first, at most `most` per entity.
    fn mentions(
        &self,
        entities: &[EntityId],
        most: usize,
    ) -> Result<Vec<(EntityId, Row)>, ViewError>;

    /// The relations of each of `entities` with other entities, about `most` per entity.
    fn relations(
        &self,
        entities: &[EntityId],
        most: usize,
    ) -> Result<Vec<RelatedEntity>, ViewError>;

    /// The entities that a query names, in its order, at most `most`.
    fn named_in(&self, query: &str, most: usize) -> Result<Vec<NamedEntity>, ViewError>;
}
