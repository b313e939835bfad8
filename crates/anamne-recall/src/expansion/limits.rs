//! How far and how strongly connections are followed: every number in one place.
//!
//! A path is as strong as the product of its steps. Strengths below are those of single steps: a link that somebody drew
//! counts more than a name that two memories share, that one more than another question with words of a result, and that
//! one more than a place in a thread. Beside the weight of the feature `graph` they were chosen on conversations with
//! known evidence, in the middle of the range in which questions over several memories gain and no other kind loses.

/// The best of what the question itself finds, from which paths start.
pub(super) const SEEDS: usize = 10;

/// What a path from the next one of them is worth beside one from the one before, were both as good.
pub(super) const SEED_FADE: f32 = 0.96;

/// What each hop leaves of a path.
pub(super) const HOP: f32 = 0.8;

/// Paths fainter than this are not followed, and reach nothing.
pub(super) const MIN_STRENGTH: f32 = 0.005;

/// Memories of which it is read how well they fit the question, to choose those that a hop goes on from, or that are
/// ranked: the nearest.
pub(super) const SCORED: usize = 256;

/// Memories and entities from which one hop goes on: the nearest, those that fit the question first.
pub(super) const FRONTIER: usize = 12;
pub(super) const ENTITIES: usize = 16;

/// Edges of one node that are read: links each way, names, rows that name an entity, relations each way.
pub(super) const LINKS: usize = 32;
pub(super) const NAMES: usize = 8;
pub(super) const MENTIONS: usize = 48;
pub(super) const RELATIONS: usize = 12;

/// Edges that one question follows at most, over all hops; it is looked at before each batch, which may go beyond it once.
pub(super) const EDGES: usize = 3_000;

/// Names of a question from which paths start.
pub(super) const QUESTION_NAMES: usize = 8;

/// The strength of a link of full weight.
pub(super) const LINK: f32 = 0.9;

/// The strength of a relation that is sure.
pub(super) const RELATION: f32 = 0.8;

/// The strength of the step to the memory that says a relation.
pub(super) const EVIDENCE: f32 = 0.9;

/// The strengths of the steps to the next places of a thread, either way: faint, for what a text's neighbours say counts
/// among its own features already.
pub(super) const THREAD_STEPS: [f32; 3] = [0.06, 0.045, 0.03];

/// Names that so many memories hold at least, and that half of all hold, lead nowhere.
const COMMON_NAME_MIN: u64 = 8;

/// The strength of a step over a name that `memories` of `all` hold: one over one and the logarithm of how many share it.
pub(super) fn rarity(memories: u64, all: usize) -> f32 {
    if memories >= COMMON_NAME_MIN && 2 * memories >= all as u64 {
        return 0.0;
    }
    1.0 / (1.0 + (memories.max(1) as f32).log2())
}

/// Reached memories whose meaning is compared with the question: those that are near and fit its words.
pub(super) const COMPARED: usize = 128;

/// The best results of which the second round of questions takes its words, a search each.
pub(super) const SECOND_QUERIES: usize = 3;

/// New words that such a question takes from one result.
pub(super) const NEW_WORDS: usize = 4;

/// Rows that such a question brings up by each search.
pub(super) const SECOND_QUERY_ROWS: usize = 24;

/// The strength of the step to the first of these rows; it falls by rank.
pub(super) const SECOND_QUERY_STRENGTH: f32 = 0.17;

/// The share of its nearness that a seed keeps: that other results lead to it confirms it, but brings nothing new.
pub(super) const SEED_SHARE: f32 = 0.2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_half_of_all_hold_leads_nowhere() {
        assert!(rarity(500, 1_000) <= 0.0);
        assert!(rarity(499, 1_000) > 0.0);
        assert!(rarity(3, 4) > 0.0, "a few are never everybody");
        assert!(rarity(2, 1_000) > rarity(20, 1_000));
    }
}
