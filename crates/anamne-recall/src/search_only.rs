//! Ranking by search scores only.

use rustc_hash::FxHashMap;

use crate::candidates::{Candidate, Searched};
use crate::model::{self, Features};
use crate::ranked::{Ranked, sort};
use crate::views::{Columns, SearchHit};

/// Ranks by search scores only; ties by row.
pub(crate) fn rank(
    columns: Option<&dyn Columns>,
    max_lexical_score: f32,
    searched: &Searched,
) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = Vec::new();
    let mut places = FxHashMap::default();
    let mut add = |found: &SearchHit, take: &dyn Fn(&mut Ranked)| {
        let place = *places.entry(found.row).or_insert_with(|| {
            let attributes = columns
                .and_then(|columns| columns.attributes(found.row))
                .unwrap_or_default();
            let candidate = Candidate::unfound(found.row, attributes);
            ranked.push(Ranked::new(candidate, Features::default(), 0.0));
            ranked.len() - 1
        });
        take(&mut ranked[place]);
    };
    for (rank, found) in (0..).zip(&searched.lexical) {
        add(found, &|ranked| {
            ranked.candidate.lexical = Some(found.score);
            ranked.candidate.lexical_rank = Some(rank);
            ranked.features.lexical =
                (found.score / max_lexical_score.max(f32::MIN_POSITIVE)).min(1.0);
        });
    }
    for (rank, found) in (0..).zip(&searched.vectors) {
        add(found, &|ranked| {
            ranked.candidate.vector_rank = Some(rank);
            ranked.features.semantic = found.score;
        });
    }
    let [lexical, semantic] = model::SEARCH_ONLY_WEIGHTS;
    for ranked in &mut ranked {
        let features = ranked.features;
        ranked.score = lexical * features.lexical + semantic * features.semantic;
        ranked.overrides_mut().formula = vec![
            ("lexical", features.lexical, lexical),
            ("semantic", features.semantic, semantic),
        ];
    }
    sort(&mut ranked);
    ranked
}
