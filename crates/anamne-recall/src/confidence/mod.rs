//! How sure the answer is: of each result, a calibrated probability that it bears on the question; of all of them, one
//! that the memory holds an answer.

mod evidence;
mod model;

use std::borrow::Cow;

use anamne_types::Row;

use crate::ranked::Ranked;
use crate::words::Reader;
use evidence::Evidence;
use model::{Bears, Plainly};

/// How sure an answer is, and by what.
pub(crate) struct Verdict {
    /// The probability that the memory holds what is asked.
    pub(crate) answered: f32,
    /// The results that were judged, in the order of `judged`.
    rows: Vec<Row>,
    judged: Judged,
}

/// What the results were judged by, best first.
enum Judged {
    Fully(Evidence, Vec<Bears>),
    Plainly(Vec<Plainly>),
}

impl Verdict {
    /// By what the result at `row` was judged: names and values. O(results).
    pub(crate) fn table(&self, row: Row) -> Vec<(Cow<'static, str>, f32)> {
        let place = self.rows.iter().position(|judged| *judged == row);
        let named = |(name, value)| (Cow::Borrowed(name), value);
        match &self.judged {
            Judged::Fully(evidence, results) => {
                let of_question = evidence.on_topic.table().chain(evidence.answered.table());
                let result = place.and_then(|place| results.get(place));
                let of_result = result.into_iter().flat_map(Bears::table);
                of_question.chain(of_result).map(named).collect()
            }
            Judged::Plainly(results) => {
                let result = place.and_then(|place| results.get(place));
                let of_result = result.into_iter().flat_map(Plainly::table);
                of_result.map(named).collect()
            }
        }
    }
}

/// Judges how sure the answer and each of its first `places` results are, after a full ranking.
pub(crate) fn judge(reader: &mut Reader<'_>, ranked: &mut [Ranked], places: usize) -> Verdict {
    let evidence = Evidence::of(reader, ranked);
    let answered = evidence.probability();
    let results: Vec<Bears> = ranked
        .iter()
        .take(places)
        .enumerate()
        .map(|(place, ranked)| evidence.bears(reader, place, ranked))
        .collect();
    for (ranked, bears) in ranked.iter_mut().zip(&results) {
        ranked.confidence = answered * bears.probability();
    }
    Verdict {
        answered,
        rows: rows(ranked, places),
        judged: Judged::Fully(evidence, results),
    }
}

/// The rows of the first `places` results.
fn rows(ranked: &[Ranked], places: usize) -> Vec<Row> {
    let ranked = ranked.iter().take(places);
    ranked.map(|ranked| ranked.candidate.row).collect()
}

/// Judges where the searches alone have ranked: each result by what they gave, the answer by the best of them. What a
/// search would have given that took no part counts as usual.
pub(crate) fn judge_plainly(ranked: &mut [Ranked], places: usize) -> Verdict {
    let found = || ranked.iter().map(|ranked| &ranked.candidate);
    let by_words = found().any(|found| found.lexical_rank.is_some());
    let by_meaning = found().any(|found| found.vector_rank.is_some());
    let judged = ranked.iter_mut().take(places).map(|ranked| {
        let by = Plainly {
            lexical: if by_words {
                ranked.features.lexical
            } else {
                model::USUAL_LEXICAL
            },
            semantic: if by_meaning {
                ranked.features.semantic
            } else {
                model::USUAL_SEMANTIC
            },
        };
        ranked.confidence = by.probability();
        by
    });
    let results: Vec<Plainly> = judged.collect();
    Verdict {
        rows: rows(ranked, places),
        answered: results.iter().map(Plainly::probability).fold(0.0, f32::max),
        judged: Judged::Plainly(results),
    }
}
