//! What each feature of the ranking is worth: the same questions with its weight at nothing.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use anamne::{Answer, MemoryId, Recall, Space};

use super::Failure;
use super::data::{Query, Record};
use super::metrics::Ranking;
use super::runs::Outcome;

/// The figure that is compared.
const METRIC: &str = "recall@10";

/// recall@10 of a question by the feature that is left out.
pub(crate) type Without = Vec<(String, f64)>;

/// Asks a question again without each of the features that ranked `answer`.
pub(crate) fn measure(
    space: &Space,
    query: &Query,
    recall: &Recall,
    answer: &Answer,
    ids: &HashMap<MemoryId, &Record>,
) -> Result<Without, Failure> {
    let Some(best) = answer.results.first() else {
        return Ok(Vec::new());
    };
    let mut without = Vec::new();
    for (feature, _, _) in &best.explanation.features {
        let recall = Recall {
            weights: [(feature.to_string(), 0.0)].into(),
            ..recall.clone()
        };
        let answer = space.recall(&recall)?;
        let found: Vec<&Record> = answer
            .results
            .iter()
            .filter_map(|hit| ids.get(&hit.memory.id).copied())
            .collect();
        let ranking = Ranking::of(query, &found, 0.0);
        if let Some(figure) = ranking.figures.get(METRIC) {
            without.push((feature.to_string(), *figure));
        }
    }
    Ok(without)
}

/// A table a set: how much recall@10 each category loses without each feature, in hundredths; the feature that the whole set would
/// miss most comes first.
pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let counted: Vec<&Outcome> = outcomes
        .iter()
        .filter(|outcome| outcome.counts && !outcome.without.is_empty())
        .collect();
    let mut by_category: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in &counted {
        by_category
            .entry(&outcome.category)
            .or_default()
            .push(outcome);
    }
    let mut features: Vec<(&str, f64)> = losses(&counted).into_iter().collect();
    features.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    if features.is_empty() {
        return String::new();
    }
    let of_category: Vec<(&str, BTreeMap<&str, f64>)> = by_category
        .iter()
        .map(|(category, outcomes)| (*category, losses(outcomes)))
        .collect();
    let mut text = format!("without a feature, hundredths of {METRIC} lost\n");
    let _ = write!(text, "{:<18}{:>8}", "feature", "ALL");
    for (category, _) in &of_category {
        let _ = write!(text, "{category:>26}");
    }
    text.push('\n');
    for (feature, loss) in features {
        let _ = write!(text, "{feature:<18}{:>8.2}", loss * 100.0);
        for (_, losses) in &of_category {
            let loss = losses.get(feature).copied().unwrap_or(0.0);
            let _ = write!(text, "{:>26.2}", loss * 100.0);
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
