//! What is lost and saved by leaving out results of low confidence.

use std::fmt::Write;

use serde::Serialize;

use super::outcome::{Outcome, PaidResult};

/// The examined thresholds.
const FLOORS: [f32; 7] = [0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05];

/// The effect of one threshold.
#[derive(Serialize)]
pub(crate) struct Effect {
    floor: f32,
    /// recall@10 that is lost.
    lost: f64,
    /// Share of the tokens of the first ten results that is saved, of questions with evidence.
    saved: f64,
    /// The same, of questions that the conversation doesn't answer.
    saved_unanswerable: f64,
}

/// The effect of each threshold.
pub(crate) fn figures(outcomes: &[Outcome]) -> Vec<Effect> {
    let counted: Vec<_> = outcomes.iter().filter(|outcome| outcome.counts).collect();
    let others = outcomes.iter().filter(|outcome| !outcome.answerable);
    let others: Vec<_> = others.collect();
    FLOORS
        .into_iter()
        .map(|floor| Effect {
            floor,
            lost: lost(&counted, floor),
            saved: saved(&counted, floor),
            saved_unanswerable: saved(&others, floor),
        })
        .collect()
}

/// The effects as table lines.
pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let mut text = format!(
        "{:<13}{:>12}{:>14}{:>20}\n",
        "left out", "recall lost", "tokens saved", "where unanswerable"
    );
    for effect in figures(outcomes) {
        let _ = writeln!(
            text,
            "below {:<7.3}{:>12.4}{:>14.3}{:>20.3}",
            effect.floor, effect.lost, effect.saved, effect.saved_unanswerable
        );
    }
    text
}

fn lost(outcomes: &[&Outcome], floor: f32) -> f64 {
    let is_below = |paid: &&PaidResult| paid.confidence < floor;
    let lost = |outcome: &&Outcome| -> f64 {
        let below = outcome.paid.iter().filter(is_below);
        below.map(|paid| paid.worth).sum()
    };
    outcomes.iter().map(lost).sum::<f64>() / outcomes.len().max(1) as f64
}

fn saved(outcomes: &[&Outcome], floor: f32) -> f64 {
    let paid = outcomes.iter().flat_map(|outcome| &outcome.paid);
    let (mut all, mut below) = (0, 0);
    for result in paid {
        all += result.tokens;
        if result.confidence < floor {
            below += result.tokens;
        }
    }
    below as f64 / f64::max(all as f64, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_the_threshold_is_lost_and_saved() {
        let paid = |confidence, tokens, worth| PaidResult {
            confidence,
            tokens,
            worth,
        };
        let outcome = Outcome {
            counts: true,
            answerable: true,
            paid: vec![
                paid(0.5, 10, 0.5),
                paid(0.015, 30, 0.5),
                paid(0.001, 60, 0.0),
            ],
            ..Outcome::default()
        };
        let figures = figures(&[outcome]);
        let of = |floor: f32| {
            let effect = figures
                .iter()
                .find(|effect| (effect.floor - floor).abs() < 1e-6);
            let effect = effect.expect("a threshold");
            (effect.lost, effect.saved)
        };
        assert_eq!(of(0.01), (0.0, 0.6));
        assert_eq!(of(0.02), (0.5, 0.9));
    }
}
