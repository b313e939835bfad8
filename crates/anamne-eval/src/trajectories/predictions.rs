//! Predicted chances of success, and how good they are.

use std::collections::BTreeMap;

/// Bins of the calibration error.
const BINS: usize = 10;

/// A prediction of the product and of what it is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prediction<'run> {
    pub(crate) task: &'run str,
    pub(crate) agent: &'run str,
    /// Whether constants were chosen on its task.
    pub(crate) chosen_on: bool,
    pub(crate) success: bool,
    pub(crate) ours: f64,
    pub(crate) plain: f64,
}

/// How likely a success has a higher prediction than a failure, ties counting half (area under the ROC curve).
pub(crate) fn auroc(
    predictions: &[&Prediction<'_>],
    of: impl Fn(&Prediction<'_>) -> f64 + Copy,
) -> f64 {
    let (right, pairs) = ranked(predictions, of);
    right / pairs
}

/// The same among the runs of each agent.
pub(crate) fn auroc_within_agents(
    predictions: &[&Prediction<'_>],
    of: impl Fn(&Prediction<'_>) -> f64 + Copy,
) -> f64 {
    let mut by_agent: BTreeMap<&str, Vec<&Prediction<'_>>> = BTreeMap::new();
    for prediction in predictions {
        by_agent
            .entry(prediction.agent)
            .or_default()
            .push(prediction);
    }
    let (mut right, mut pairs) = (0.0, 0.0);
    for own in by_agent.values() {
        let (own_right, own_pairs) = ranked(own, of);
        right += own_right;
        pairs += own_pairs;
    }
    right / pairs
}

/// The pairs of a success and a failure that are ranked right, and all.
fn ranked(predictions: &[&Prediction<'_>], of: impl Fn(&Prediction<'_>) -> f64) -> (f64, f64) {
    let mut values: Vec<(f64, bool)> = predictions
        .iter()
        .map(|prediction| (of(prediction), prediction.success))
        .collect();
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut right, mut failures, mut successes) = (0.0, 0.0, 0.0);
    for equal in values.chunk_by(|one, next| one.0.total_cmp(&next.0).is_eq()) {
        let won = equal.iter().filter(|(_, success)| *success).count() as f64;
        let lost = equal.len() as f64 - won;
        right += won * (failures + lost / 2.0);
        successes += won;
        failures += lost;
    }
    (right, successes * failures)
}

/// The expected calibration error, in ten bins of equal width.
pub(crate) fn calibration_error(
    predictions: &[&Prediction<'_>],
    of: impl Fn(&Prediction<'_>) -> f64,
) -> f64 {
    let mut surplus = [0.0; BINS];
    for prediction in predictions {
        let chance = of(prediction);
        let bin = ((chance * BINS as f64) as usize).min(BINS - 1);
        surplus[bin] += chance - f64::from(u8::from(prediction.success));
    }
    let sum: f64 = surplus.iter().map(|surplus| surplus.abs()).sum();
    sum / predictions.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prediction(agent: &'static str, ours: f64, success: bool) -> Prediction<'static> {
        Prediction {
            task: "t",
            agent,
            chosen_on: false,
            success,
            ours,
            plain: 0.5,
        }
    }

    #[test]
    fn ranks_are_compared_within_agents_or_among_all() {
        let all = [
            prediction("strong", 0.9, true),
            prediction("strong", 0.8, false),
            prediction("weak", 0.3, true),
            prediction("weak", 0.2, false),
        ];
        let all: Vec<_> = all.iter().collect();
        assert!((auroc_within_agents(&all, |one| one.ours) - 1.0).abs() < 1e-9);
        assert!((auroc(&all, |one| one.ours) - 0.75).abs() < 1e-9);
        assert!((auroc(&all, |one| one.plain) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn calibration_error_is_the_mean_surplus_of_bins() {
        let all = [prediction("a", 0.95, true), prediction("a", 0.95, false)];
        let all: Vec<_> = all.iter().collect();
        assert!((calibration_error(&all, |one| one.ours) - 0.45).abs() < 1e-9);
    }
}
