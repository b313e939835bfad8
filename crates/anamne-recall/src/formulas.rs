//! Alternative ranking formulas, for comparison: each orders the hits of both searches by published weights.
//!
//! - *lexical*: the lexical view's BM25 over the highest in its list; 0 if not listed.
//! - *semantic*: the vector view's cosine, at least 0; 0 if not listed.
//! - *graph*: 1 for a memory next to one of the first sixteen of either list in its thread, or linked with one
//!   (`adjacency.rs`); else the graph proximity.
//! - *importance*: divided by ten. *recency*: `exp(-Δt/τ)`.

use anamne_types::Ranking;

use crate::ranked::{Ranked, ScorePart, sort};

/// The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
const RECIPROCAL: f32 = 60.0;

/// Orders search hits by an alternative formula; removes candidates that no search found.
///
/// `near` returns which results are adjacent to others; only called if the formula needs it.
pub(crate) fn order<E>(
    ranking: Ranking,
    ranked: &mut Vec<Ranked>,
    near: impl FnOnce(&[Ranked]) -> Result<Vec<bool>, E>,
) -> Result<(), E> {
    if ranking == Ranking::Full {
        return Ok(());
    }
    ranked.retain(|ranked| ranked.is_found() || ranked.features.graph > 0.0);
    let near = match ranking {
        Ranking::MeaningFirst | Ranking::WordsFirst => near(ranked)?,
        Ranking::Full | Ranking::ReciprocalRank => vec![false; ranked.len()],
    };
    let by_words = places(ranked, |ranked| ranked.candidate.lexical_rank);
    let by_meaning = places(ranked, |ranked| ranked.candidate.vector_rank);
    let stored = ranked.iter().filter_map(|ranked| ranked.candidate.lexical);
    let most = stored.fold(f32::MIN_POSITIVE, f32::max);
    for (at, ranked) in ranked.iter_mut().enumerate() {
        let lexical = ranked
            .candidate
            .lexical
            .map_or(0.0, |score| (score / most).max(0.0));
        let semantic = match ranked.candidate.vector_rank {
            Some(_) => ranked.features.semantic.clamp(0.0, 1.0),
            None => 0.0,
        };
        let graph = f32::from(u8::from(near[at])).max(ranked.features.graph);
        let importance = f32::from(ranked.candidate.attributes.importance) / 10.0;
        let parts: Vec<ScorePart> = match ranking {
            Ranking::Full => Vec::new(),
            Ranking::ReciprocalRank => vec![
                ("lexical_place", reciprocal(by_words[at]), 1.0),
                ("semantic_place", reciprocal(by_meaning[at]), 1.0),
            ],
            Ranking::MeaningFirst => vec![
                ("semantic", semantic, 0.4),
                ("lexical", lexical, 0.3),
                ("graph", graph, 0.2),
                ("importance", importance, 0.1),
            ],
            Ranking::WordsFirst => vec![
                ("lexical", lexical, 0.5),
                ("graph", graph, 0.2),
                ("importance", importance, 0.2),
                ("recency", ranked.features.recency, 0.1),
            ],
        };
        ranked.score = parts.iter().map(|(_, value, weight)| value * weight).sum();
        ranked.overrides_mut().formula = parts;
    }
    sort(ranked);
    Ok(())
}

/// The rank of each result in a list, from 1, without gaps.
fn places(ranked: &[Ranked], rank: impl Fn(&Ranked) -> Option<u32>) -> Vec<Option<usize>> {
    let listed = ranked.iter().enumerate();
    let mut listed: Vec<_> = listed
        .filter_map(|(at, ranked)| Some((rank(ranked)?, at)))
        .collect();
    listed.sort_unstable();
    let mut places = vec![None; ranked.len()];
    for (place, (_, at)) in (1..).zip(listed) {
        places[at] = Some(place);
    }
    places
}

fn reciprocal(place: Option<usize>) -> f32 {
    place.map_or(0.0, |place| 1.0 / (RECIPROCAL + place as f32))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use anamne_types::Row;

    use super::*;
    use crate::model::Features;

    /// A row with BM25 and rank of the lexical search, and cosine and rank of the vector search.
    fn found(row: u32, by_words: Option<(f32, u32)>, by_meaning: Option<(f32, u32)>) -> Ranked {
        let semantic = by_meaning.map_or(0.3, |(cosine, _)| cosine);
        let mut ranked = Ranked::sample(
            row,
            Features {
                semantic,
                recency: 0.5,
                ..Features::default()
            },
        );
        ranked.candidate.attributes.importance = 5;
        ranked.candidate.lexical = by_words.map(|(score, _)| score);
        ranked.candidate.lexical_rank = by_words.map(|(_, place)| place);
        ranked.candidate.vector_rank = by_meaning.map(|(_, place)| place);
        ranked
    }

    /// Checks the rows and scores of a formula, best first.
    #[track_caller]
    fn check(ranking: Ranking, expected: &[(u32, f32)]) {
        let mut ranked = vec![
            found(1, Some((8.0, 0)), None),
            // Row 9 is gone since the search, so lexical rank 1 is missing.
            found(2, Some((4.0, 2)), Some((0.8, 0))),
            found(3, None, Some((-0.2, 1))),
            found(4, None, None),
        ];
        let near = |ranked: &[Ranked]| {
            let rows = ranked.iter().map(|ranked| ranked.candidate.row);
            Ok::<_, Infallible>(rows.map(|row| row == Row(3)).collect())
        };
        let Ok(()) = order(ranking, &mut ranked, near);
        assert_eq!(ranked.len(), expected.len(), "{ranking:?}");
        for (ranked, (row, score)) in ranked.iter().zip(expected) {
            assert_eq!(ranked.candidate.row, Row(*row), "{ranking:?}");
            assert!(
                (ranked.score - score).abs() < 1e-6,
                "{ranking:?} {ranked:?}"
            );
            let parts = &ranked.overrides.as_ref().expect("parts").formula;
            let sum: f32 = parts.iter().map(|(_, value, weight)| value * weight).sum();
            assert!((ranked.score - sum).abs() < 1e-6, "{ranking:?} {parts:?}");
        }
    }

    #[test]
    fn each_formula_gives_the_published_scores() {
        check(
            Ranking::ReciprocalRank,
            &[
                (2, 1.0 / 62.0 + 1.0 / 61.0),
                (1, 1.0 / 61.0),
                (3, 1.0 / 62.0),
            ],
        );
        check(
            Ranking::MeaningFirst,
            &[
                (2, 0.4 * 0.8 + 0.3 * 0.5 + 0.1 * 0.5),
                (1, 0.3 + 0.1 * 0.5),
                (3, 0.2 + 0.1 * 0.5),
            ],
        );
        check(
            Ranking::WordsFirst,
            &[
                (1, 0.5 + 0.2 * 0.5 + 0.1 * 0.5),
                (2, 0.5 * 0.5 + 0.2 * 0.5 + 0.1 * 0.5),
                (3, 0.2 + 0.2 * 0.5 + 0.1 * 0.5),
            ],
        );
    }
}
