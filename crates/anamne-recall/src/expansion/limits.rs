//! Parameters of graph traversal.
//!
//! The strength of a path is the product of its edge strengths. A link is stronger than a shared name, that is stronger
//! than a second query with words of a result, and that is stronger than adjacency in a thread. Like the weight of the
//! feature `graph`, the values were chosen on conversations with known evidence, in the middle of the range where
//! multi-hop queries gain and no others lose.

/// The best direct hits that paths start from.
pub(super) const SEEDS: usize = 10;

/// The factor from each seed to the next.
pub(super) const SEED_FADE: f32 = 0.96;

/// The factor of each hop.
pub(super) const HOP: f32 = 0.8;

/// Weaker paths are not followed.
pub(super) const MIN_STRENGTH: f32 = 0.005;

/// The nearest memories whose query match is computed, to choose those to expand or to rank.
pub(super) const SCORED: usize = 256;

/// Memories and entities that are expanded per hop, nearest and best-matching first.
pub(super) const FRONTIER: usize = 12;
pub(super) const ENTITIES: usize = 16;

/// Maximum edges read per node: links in each direction, names, rows that name an entity, relations in each direction.
pub(super) const LINKS: usize = 32;
pub(super) const NAMES: usize = 8;
pub(super) const MENTIONS: usize = 48;
pub(super) const RELATIONS: usize = 12;

/// Maximum edges followed per query over all hops; checked before each batch, so one batch may exceed it.
pub(super) const EDGES: usize = 3_000;

/// Maximum names in a query that paths start from.
pub(super) const QUERY_NAMES: usize = 8;

/// The strength of a link of weight 1.
pub(super) const LINK: f32 = 0.9;

/// The strength of a relation of confidence 1.
pub(super) const RELATION: f32 = 0.8;

/// The strength of the edge to a relation's evidence.
pub(super) const EVIDENCE: f32 = 0.9;

/// The strengths of the edges to the next positions of a thread, in either direction: weak, because neighbours already
/// count in the window features.
pub(super) const THREAD_STEPS: [f32; 3] = [0.06, 0.045, 0.03];

/// Names in at least this many memories, and in half of all memories, are not followed.
const COMMON_NAME_MIN: u64 = 8;

/// The strength of an edge over a name that `memories` of `all` memories contain: 1 / (1 + log₂ memories).
pub(super) fn rarity(memories: u64, all: usize) -> f32 {
    if memories >= COMMON_NAME_MIN && 2 * memories >= all as u64 {
        return 0.0;
    }
    1.0 / (1.0 + (memories.max(1) as f32).log2())
}

/// Reached memories that are ranked: the nearest and best-matching.
pub(super) const COMPARED: usize = 128;

/// The best results that second queries are built from.
pub(super) const SECOND_QUERIES: usize = 3;

/// New words that a second query takes from one result.
pub(super) const NEW_WORDS: usize = 4;

/// Rows per search of a second query.
pub(super) const SECOND_QUERY_ROWS: usize = 24;

/// The strength of the edge to the first of these rows; it falls with rank.
pub(super) const SECOND_QUERY_STRENGTH: f32 = 0.17;

/// The share of its proximity that a seed keeps: edges from other results confirm it, but it was already found.
pub(super) const SEED_SHARE: f32 = 0.2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_half_of_all_memories_are_not_followed() {
        assert!(rarity(500, 1_000) <= 0.0);
        assert!(rarity(499, 1_000) > 0.0);
        assert!(rarity(3, 4) > 0.0, "a small number is never common");
        assert!(rarity(2, 1_000) > rarity(20, 1_000));
    }
}
