//! The contribution of each ranking feature: the same questions with its weight set to zero.

use std::collections::BTreeMap;
use std::fmt::Write;

use anamne::{Answer, Recall};

use super::metrics::Ranking;
use super::outcome::{FeatureAblation, Outcome};
use crate::corpus::Query;
use crate::failure::Failure;
use crate::sets::by_category;
use crate::writing::WrittenCorpus;

/// The compared metric.
const METRIC: &str = "recall@10";

/// Asks a question again without each of the features that ranked `answer`.
pub(crate) fn measure(
    stored: &WrittenCorpus<'_>,
    query: &Query,
    recall: &Recall,
    answer: &Answer,
) -> Result<FeatureAblation, Failure> {
    let Some(best) = answer.results.first() else {
        return Ok(Vec::new());
    };
    let mut without = Vec::new();
    for (feature, _, _) in &best.explanation.features {
        let recall = Recall {
            weights: [(feature.to_string(), 0.0)].into(),
            ..recall.clone()
        };
        let found = stored.found(&stored.space.recall(&recall)?);
        let ranking = Ranking::of(query, &found, 0.0);
        if let Some(figure) = ranking.figures.get(METRIC) {
            without.push((feature.to_string(), *figure));
        }
    }
    Ok(without)
}

/// A table per set: the recall@10 that each category loses without each feature, in hundredths, ordered by the loss of
/// the whole set.
pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let counted = outcomes
        .iter()
        .filter(|outcome| outcome.counts && !outcome.without.is_empty())
        .collect();
    let columns: Vec<(&str, BTreeMap<&str, f64>)> =
        by_category(counted, |outcome| outcome.category.as_str())
            .into_iter()
            .map(|(category, outcomes)| (category, losses(&outcomes)))
            .collect();
    let mut features: Vec<(&str, f64)> = columns[0].1.clone().into_iter().collect();
    features.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    if features.is_empty() {
        return String::new();
    }
    let mut text = format!("without a feature, hundredths of {METRIC} lost\n");
    let width = |column: usize| if column == 0 { 8 } else { 26 };
    let _ = write!(text, "{:<18}", "feature");
    for (column, (category, _)) in columns.iter().enumerate() {
        let _ = write!(text, "{category:>0$}", width(column));
    }
    text.push('\n');
    for (feature, _) in features {
        let _ = write!(text, "{feature:<18}");
        for (column, (_, losses)) in columns.iter().enumerate() {
            let loss = losses.get(feature).copied().unwrap_or(0.0);
            let _ = write!(text, "{:>1$.2}", loss * 100.0, width(column));
        }
        text.push('\n');
    }
    text
}

/// The mean loss without each feature.
fn losses<'outcomes>(outcomes: &[&'outcomes Outcome]) -> BTreeMap<&'outcomes str, f64> {
    let mut sums: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for outcome in outcomes {
        let full = outcome.figure("full", METRIC).unwrap_or(0.0);
        for (feature, without) in &outcome.without {
            let sum = sums.entry(feature).or_default();
            *sum = (sum.0 + full - without, sum.1 + 1);
        }
    }
    sums.into_iter()
        .map(|(feature, (sum, count))| (feature, sum / count as f64))
        .collect()
}
