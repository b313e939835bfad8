//! What recall needs to know of how memories hang together, as a narrow trait.

use anamne_store::view::ViewError;
use anamne_types::{EntityId, Row};

pub use anamne_store::Linked;

/// A person, place or thing that memories name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its identity.
    pub entity: EntityId,
    /// Its name, as it is written most often.
    pub name: String,
    /// Memories that name it, in all tiers.
    pub memories: u64,
}

/// A relation as it leads from one entity to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// The entity that was asked about.
    pub from: EntityId,
    /// The other one.
    pub to: Named,
    /// What is said: `works_at`.
    pub relation: String,
    /// Whether it is said of the other one.
    pub backwards: bool,
    /// The row that says so.
    pub evidence: Row,
    /// How sure that is, 0 to 1.
    pub confidence: f32,
}

/// How memories hang together: links, names, relations.
///
/// Every method answers for all of a step at once, reads a bounded number of edges for each node, and gives the same for
/// the same store. Rows that were forgotten since may be among the answers.
pub trait Connections {
    /// Whether there is a knowledge graph; without one there are links alone.
    fn has_names(&self) -> bool;

    /// The links and contradictions that start or end at each of `rows`, about `most` a row.
    fn links(&self, rows: &[Row], most: usize) -> Result<Vec<Linked>, ViewError>;

    /// What each of `rows` names, the rarest first, at most `most` a row; dates are left out.
    fn names(&self, rows: &[Row], most: usize) -> Result<Vec<(Row, Named)>, ViewError>;

    /// The rows that name each of `entities`, the latest first, at most `most` an entity.
    fn mentions(
        &self,
        entities: &[EntityId],
        most: usize,
    ) -> Result<Vec<(EntityId, Row)>, ViewError>;

    /// The relations of each of `entities` with others, about `most` an entity.
    fn relations(&self, entities: &[EntityId], most: usize) -> Result<Vec<Related>, ViewError>;

    /// What a question names, in its order, at most `most`.
    fn named_in(&self, query: &str, most: usize) -> Result<Vec<Named>, ViewError>;
}
