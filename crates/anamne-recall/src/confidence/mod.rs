//! Calibrated confidence: for each result, the probability that it is relevant; for the answer, the probability that
//! the store contains it.

mod evidence;
mod model;
mod prompt;

use std::borrow::Cow;

use anamne_types::Row;

use crate::ranked::Ranked;
use crate::words::Reader;
use evidence::Evidence;
pub(crate) use model::PromptInputs;
use model::{RelevanceInputs, SearchOnly};

/// The confidence of an answer, with its inputs.
pub(crate) struct AnswerConfidence {
    /// The probability that the store contains the answer.
    pub(crate) answered: f32,
    /// The rows of the results, in the order of `inputs`.
    rows: Vec<Row>,
    inputs: ConfidenceInputs,
}

/// The inputs of the confidence model for each result, best first.
enum ConfidenceInputs {
    Full(Evidence, Vec<RelevanceInputs>),
    SearchOnly(Vec<SearchOnly>),
}

impl AnswerConfidence {
    /// Names and values of the inputs for the result at `row`. O(results).
    pub(crate) fn table(&self, row: Row) -> Vec<(Cow<'static, str>, f32)> {
        let place = self.rows.iter().position(|judged| *judged == row);
        let named = |(name, value)| (Cow::Borrowed(name), value);
        match &self.inputs {
            ConfidenceInputs::Full(evidence, results) => {
                let of_query = evidence.on_topic.table().chain(evidence.answered.table());
                let result = place.and_then(|place| results.get(place));
                let of_result = result.into_iter().flat_map(RelevanceInputs::table);
                of_query.chain(of_result).map(named).collect()
            }
            ConfidenceInputs::SearchOnly(results) => {
                let result = place.and_then(|place| results.get(place));
                let of_result = result.into_iter().flat_map(SearchOnly::table);
                of_result.map(named).collect()
            }
        }
    }
}

/// Sets the confidence of the first `places` results after a full ranking.
pub(crate) fn full_confidence(
    reader: &mut Reader<'_>,
    ranked: &mut [Ranked],
    places: usize,
) -> AnswerConfidence {
    let evidence = Evidence::of(reader, ranked);
    let answered = evidence.probability();
    let results: Vec<RelevanceInputs> = ranked
        .iter()
        .take(places)
        .enumerate()
        .map(|(place, ranked)| evidence.relevance_inputs(reader, place, ranked))
        .collect();
    for (ranked, relevance_inputs) in ranked.iter_mut().zip(&results) {
        ranked.confidence = answered * relevance_inputs.probability();
    }
    AnswerConfidence {
        answered,
        rows: rows(ranked, places),
        inputs: ConfidenceInputs::Full(evidence, results),
    }
}

/// The rows of the first `places` results.
fn rows(ranked: &[Ranked], places: usize) -> Vec<Row> {
    let ranked = ranked.iter().take(places);
    ranked.map(|ranked| ranked.candidate.row).collect()
}

/// Sets the confidence after a ranking by search scores only: each result by its scores, the answer by its best result.
/// A search that took no part counts with usual scores.
pub(crate) fn search_only_confidence(ranked: &mut [Ranked], places: usize) -> AnswerConfidence {
    let found = || ranked.iter().map(|ranked| &ranked.candidate);
    let by_words = found().any(|found| found.lexical_rank.is_some());
    let by_meaning = found().any(|found| found.vector_rank.is_some());
    let judged = ranked.iter_mut().take(places).map(|ranked| {
        let inputs = SearchOnly {
            lexical: if by_words {
                ranked.features.lexical
            } else {
                model::DEFAULT_LEXICAL
            },
            semantic: if by_meaning {
                ranked.features.semantic
            } else {
                model::DEFAULT_SEMANTIC
            },
        };
        ranked.confidence = inputs.probability();
        inputs
    });
    let results: Vec<SearchOnly> = judged.collect();
    AnswerConfidence {
        rows: rows(ranked, places),
        answered: results
            .iter()
            .map(SearchOnly::probability)
            .fold(0.0, f32::max),
        inputs: ConfidenceInputs::SearchOnly(results),
    }
}
