//! Diversification of results: maximal marginal relevance (Carbonell and Goldstein 1998).

use anamne_embed::TokenTable;

use crate::ranked::{Ranked, range_of_scores};
use crate::views::Columns;

/// The pool has this many times the requested results,
const POOL_FACTOR: usize = 3;

/// but at least this many.
const MIN_POOL: usize = 30;

/// Pairwise similarity of the results of a pool.
pub(crate) enum ResultSimilarity {
    /// Concatenated unit vectors with this number of dimensions: cosine similarity.
    Vectors(usize, Vec<f32>),
    /// The distinct wordpieces of each result, ascending: Jaccard similarity.
    Pieces(Vec<Vec<u16>>),
}

impl ResultSimilarity {
    /// Uses vectors if `table` is the model of the memories, else wordpieces.
    pub(crate) fn of(
        ranked: &[Ranked],
        columns: &dyn Columns,
        table: Option<(&dyn TokenTable, usize)>,
    ) -> Self {
        let tokens = |ranked: &Ranked| columns.tokens(ranked.candidate.row).unwrap_or_default();
        let Some((table, dimensions)) = table else {
            return Self::Pieces(
                ranked
                    .iter()
                    .map(|ranked| distinct(tokens(ranked)))
                    .collect(),
            );
        };
        let mut vectors = vec![0.0; ranked.len() * dimensions];
        for (ranked, vector) in ranked
            .iter()
            .zip(vectors.chunks_exact_mut(dimensions.max(1)))
        {
            table.vector_of(tokens(ranked), vector);
        }
        Self::Vectors(dimensions, vectors)
    }

    /// The similarity of two results: 0 to 1.
    fn between(&self, one: usize, other: usize) -> f32 {
        match self {
            Self::Vectors(dimensions, vectors) => {
                let vector = |at: usize| &vectors[at * dimensions..(at + 1) * dimensions];
                let products = vector(one).iter().zip(vector(other)).map(|(a, b)| a * b);
                products.sum::<f32>().clamp(0.0, 1.0)
            }
            Self::Pieces(pieces) => jaccard(&pieces[one], &pieces[other]),
        }
    }
}

/// The distinct tokens, ascending.
fn distinct(tokens: &[u16]) -> Vec<u16> {
    let mut distinct = tokens.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// The Jaccard similarity of two ascending lists; 0 if both are empty.
fn jaccard(one: &[u16], other: &[u16]) -> f32 {
    let shared = one
        .iter()
        .filter(|token| other.binary_search(token).is_ok())
        .count();
    let all = one.len() + other.len() - shared;
    shared as f32 / all.max(1) as f32
}

/// The pool size for `limit` results.
pub(crate) fn pool(limit: usize) -> usize {
    limit.saturating_mul(POOL_FACTOR).max(MIN_POOL)
}

/// Greedily chooses `limit` results of the pool, each time the one with the highest `(1 − diversity) · relevance −
/// diversity · similarity`, where relevance is its score normalised to the range of scores, and similarity the maximum
/// to any result chosen before. The others follow in their order. O(limit × pool).
pub(crate) fn diversify(
    ranked: Vec<Ranked>,
    limit: usize,
    diversity: f32,
    similarity: impl FnOnce(&[Ranked]) -> ResultSimilarity,
) -> Vec<Ranked> {
    let mut pool = ranked;
    let rest = pool.split_off(self::pool(limit).min(pool.len()));
    let similarity = similarity(&pool);
    let relevance = relevance(&pool);
    let mut max_similarity = vec![0.0_f32; pool.len()];
    let mut order: Vec<usize> = Vec::with_capacity(pool.len());
    let mut open: Vec<usize> = (0..pool.len()).collect();
    while order.len() < limit && !open.is_empty() {
        let gain = |at: usize| (1.0 - diversity) * relevance[at] - diversity * max_similarity[at];
        // The first of equals has the highest score.
        let best = (1..open.len()).fold(0, |best, next| {
            if gain(open[next]) > gain(open[best]) {
                next
            } else {
                best
            }
        });
        let chosen = open.remove(best);
        order.push(chosen);
        for &other in &open {
            max_similarity[other] = max_similarity[other].max(similarity.between(chosen, other));
        }
    }
    order.append(&mut open);
    let mut pool: Vec<Option<Ranked>> = pool.into_iter().map(Some).collect();
    let mut selected: Vec<Ranked> = Vec::with_capacity(pool.len() + rest.len());
    for at in order {
        if let Some(mut ranked) = pool[at].take() {
            ranked.overrides_mut().similarity = Some(max_similarity[at]);
            selected.push(ranked);
        }
    }
    selected.extend(rest);
    selected
}

/// Scores normalised to 0 to 1; all 1 if they are equal.
fn relevance(pool: &[Ranked]) -> Vec<f32> {
    let (least, range) = range_of_scores(pool);
    let share = |ranked: &Ranked| match range {
        range if range > 0.0 => (ranked.score - least) / range,
        _ => 1.0,
    };
    pool.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Features;

    /// Rows with these scores, best first, and vectors at these angles (degrees).
    fn results(given: &[(f32, f32)]) -> (Vec<Ranked>, Vec<f32>) {
        let ranked = (0..).zip(given).map(|(row, (score, _))| {
            let mut ranked = Ranked::sample(row, Features::default());
            ranked.score = *score;
            ranked
        });
        let vectors = given.iter().flat_map(|(_, degrees)| {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            [cosine, sine]
        });
        (ranked.collect(), vectors.collect())
    }

    #[track_caller]
    fn check(given: &[(f32, f32)], limit: usize, diversity: f32, expected: &[u32]) {
        let (ranked, vectors) = results(given);
        let all = ranked.len();
        let diversified = diversify(ranked, limit, diversity, |_| {
            ResultSimilarity::Vectors(2, vectors)
        });
        assert_eq!(diversified.len(), all, "all results are kept");
        let rows = diversified.iter().map(|ranked| ranked.candidate.row.0);
        assert_eq!(rows.take(expected.len()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn similar_results_are_demoted_according_to_diversity() {
        // The second is nearly identical to the first; the third differs and scores a little lower.
        let given = [(10.0, 0.0), (9.5, 5.0), (8.0, 80.0), (2.0, 85.0)];
        check(&given, 4, 0.05, &[0, 1, 2, 3]);
        check(&given, 4, 0.4, &[0, 2, 1, 3]);
        // Also with full diversity the best comes first.
        check(&given, 2, 1.0, &[0, 3]);
    }

    #[test]
    fn ties_and_results_past_the_limit_keep_their_order() {
        check(&[(1.0, 0.0), (1.0, 0.0), (1.0, 0.0)], 3, 0.5, &[0, 1, 2]);
        check(
            &[(4.0, 0.0), (3.0, 0.0), (2.0, 90.0), (1.0, 0.0)],
            2,
            0.5,
            &[0, 2, 1, 3],
        );
        check(&[], 3, 0.5, &[]);
    }

    #[test]
    fn results_outside_the_pool_are_not_chosen() {
        let mut given = vec![(10.0, 0.0); MIN_POOL];
        given.push((9.9, 90.0));
        check(&given, 2, 1.0, &[0, 1]);
    }

    #[test]
    fn wordpieces_give_the_jaccard_similarity() {
        let pieces = vec![vec![1, 2, 3, 4], vec![1, 2, 3, 5], vec![], vec![7]];
        let similarity = ResultSimilarity::Pieces(pieces);
        for (one, other, expected) in [
            (0, 1, 0.6),
            (0, 0, 1.0),
            (0, 2, 0.0),
            (2, 2, 0.0),
            (0, 3, 0.0),
        ] {
            let found = similarity.between(one, other);
            assert!((found - expected).abs() < 1e-6, "{one} {other} {found}");
        }
    }
}
