//! Learns from searches with feedback which strategy to use.

use super::inputs::{INPUTS, Inputs, inputs};
use super::linear::{Fit, Sums, dot};
use super::{Situation, Strategy};
use crate::SearchCase;

/// The number of strategies.
const STRATEGIES: usize = Strategy::ALL.len();

/// How strongly the common regression of all strategies is drawn to 0, in cases.
const COMMON_STRENGTH: f64 = 1.0;

/// How strongly the regression of one strategy is drawn to the common one, in cases.
const OWN_STRENGTH: f64 = 10.0;

/// The bounds within which an estimate is tried to learn, in widths.
const CURIOUS: f64 = 0.5;

/// The bounds outside of which one estimate is better than another, in widths.
const BETTER: f64 = 0.1;

/// The least expected success for which another search is made.
const WORTHWHILE: f64 = 0.1;

/// What is known of the success of each strategy: sums over searches with feedback.
///
/// The sums are integers, so the same cases give the same state in any order and in any batches. About 70 KB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    sums: Vec<Sums>,
}

impl Default for Learned {
    fn default() -> Self {
        Self {
            sums: vec![Sums::default(); STRATEGIES],
        }
    }
}

impl<'cases> FromIterator<&'cases SearchCase> for Learned {
    fn from_iter<Cases: IntoIterator<Item = &'cases SearchCase>>(cases: Cases) -> Self {
        let mut learned = Self::default();
        for case in cases {
            if let Some(success) = case.success() {
                learned.add(&case.strategy, case.tried, &case.features, success);
            }
        }
        learned
    }
}

impl Learned {
    /// Adds a search that followed `tried` others for the same question, with the features of its situation
    /// ([`Situation::features`]) and its success from 0 to 1. Returns whether it counts: a search with an unknown
    /// strategy, or with the features of another version, does not. O(1), about half a microsecond.
    pub fn add(&mut self, strategy: &str, tried: usize, features: &[f32], success: f32) -> bool {
        let strategy = Strategy::named(strategy);
        let (Some(strategy), Some(inputs)) = (strategy, inputs(features, tried)) else {
            return false;
        };
        if !success.is_finite() {
            return false;
        }
        self.sums[strategy.number()].add(&inputs, f64::from(success));
        true
    }

    /// Adds all cases of `other`. O(1).
    pub fn merge(&mut self, other: &Self) {
        for (sums, others) in self.sums.iter_mut().zip(&other.sums) {
            sums.merge(others);
        }
    }

    /// Number of cases.
    pub fn cases(&self) -> u64 {
        self.sums.iter().map(|sums| sums.cases).sum()
    }

    /// Number of cases of one strategy, with the sum of their successes.
    pub fn cases_of(&self, strategy: Strategy) -> (u64, f64) {
        let sums = &self.sums[strategy.number()];
        (sums.cases, sums.successes())
    }

    /// Fits the regressions. `exploration`, 0 to 1, is the share of the default's success that trying other strategies may
    /// cost; with 0, another strategy is only used where it is known to be better. O(1), about 100 µs: keep it until there are
    /// more cases.
    pub fn learner(&self, exploration: f64) -> Learner {
        let mut all = Sums::default();
        self.sums.iter().for_each(|sums| all.merge(sums));
        let common = all.fit(&[0.0; INPUTS], COMMON_STRENGTH).weights;
        let fits: Vec<Fit> = self
            .sums
            .iter()
            .map(|sums| sums.fit(&common, OWN_STRENGTH))
            .collect();
        let exploration = if exploration.is_finite() {
            exploration.clamp(0.0, 1.0)
        } else {
            0.0
        };
        Learner {
            credit: credit(&self.sums, &fits, exploration),
            fits,
            cases: self.sums.iter().map(|sums| sums.cases).collect(),
            exploration,
        }
    }
}

/// By how much the searches so far exceeded the promised share of the default's expected success.
fn credit(sums: &[Sums], fits: &[Fit], exploration: f64) -> f64 {
    let (Some((first, others)), Some(default)) = (sums.split_first(), fits.first()) else {
        return 0.0;
    };
    let gained: f64 = others.iter().map(Sums::successes).sum();
    // The regression is linear, so the default's expected success in all those situations is that in their sum.
    let forgone: f64 = others
        .iter()
        .map(|sums| dot(&default.weights, &sums.inputs()).max(0.0))
        .sum();
    gained + first.successes() - (1.0 - exploration) * (forgone + first.successes())
}

/// Chooses strategies from what was learned.
///
/// A linear contextual bandit with upper confidence bounds (Li, Chu, Langford and Schapire 2010) that is conservative
/// (Wu, Shariff, Lattimore and Szepesvári 2016; Kazerouni, Ghavamzadeh, Abbasi-Yadkori and Van Roy 2017): a strategy other
/// than the default is tried only if even its lower bound leaves the sum of successes above the promised share of what the
/// default is expected to reach.
#[derive(Clone, Debug)]
pub struct Learner {
    fits: Vec<Fit>,
    cases: Vec<u64>,
    credit: f64,
    exploration: f64,
}

/// A chosen strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The strategy.
    pub strategy: Strategy,
    /// The expected success, 0 to 1.
    pub expected: f32,
    /// Number of searches with this strategy that it was learned from.
    pub learned_from: u64,
    /// Whether it was chosen to learn, although another is expected to be better.
    pub explores: bool,
    /// The reason, as a phrase.
    pub why: String,
}

impl Learner {
    /// The most searches for one question.
    pub const MOST_SEARCHES: usize = 4;

    /// The strategy for the next search of a question whose `tried` searches did not help; `None` if another search is not
    /// worth its cost. Always a strategy for the first search. O(1), about 10 µs.
    ///
    /// A strategy may be chosen again: since nothing is shown twice, it shows its next results.
    pub fn choose(&self, situation: &Situation, tried: &[Strategy]) -> Option<Choice> {
        if tried.len() >= Self::MOST_SEARCHES {
            return None;
        }
        let inputs = inputs(&situation.features(), tried.len())?;
        let estimates: Vec<Estimate> = Strategy::ALL
            .into_iter()
            .zip(&self.fits)
            .map(|(strategy, fit)| Estimate::of(strategy, fit, &inputs))
            .collect();
        let (chosen, best) = self.decide(&estimates)?;
        // What seems hopeless is tried a little longer while there is something to learn.
        let least = if self.exploration > 0.0 {
            WORTHWHILE / 2.0
        } else {
            WORTHWHILE
        };
        if !tried.is_empty() && best.expected < least {
            return None;
        }
        Some(self.choice(chosen, best))
    }

    /// The chosen estimate, and the one with the highest expected success.
    fn decide<'all>(
        &self,
        estimates: &'all [Estimate],
    ) -> Option<(&'all Estimate, &'all Estimate)> {
        let default = estimates.first()?;
        let best = highest(estimates, |estimate| estimate.expected)?;
        let optimistic = highest(estimates, |estimate| {
            estimate.expected + CURIOUS * estimate.width
        })?;
        let promised = (1.0 - self.exploration) * default.expected;
        let is_affordable = self.credit + optimistic.least() >= promised;
        let uncertainty = BETTER * (best.width + default.width);
        let is_better = best.expected - uncertainty > default.expected;
        let chosen = match () {
            () if self.exploration > 0.0 && is_affordable => optimistic,
            () if is_better => best,
            () => default,
        };
        Some((chosen, best))
    }

    fn choice(&self, chosen: &Estimate, best: &Estimate) -> Choice {
        let learned_from = self.cases[chosen.strategy.number()];
        let percent = (chosen.expected * 100.0).round();
        let explores = chosen.strategy != best.strategy && chosen.strategy != Strategy::DEFAULT;
        let why = match (learned_from, explores) {
            (0, true) => "not tried yet".to_owned(),
            (0, false) => "nothing learned yet".to_owned(),
            (cases, true) => {
                format!("tried to learn more; {percent} % expected from {cases} searches")
            }
            (cases, false) => format!("{percent} % expected from {cases} searches"),
        };
        Choice {
            strategy: chosen.strategy,
            expected: chosen.expected as f32,
            learned_from,
            explores,
            why,
        }
    }
}

/// What is expected of a strategy.
struct Estimate {
    strategy: Strategy,
    expected: f64,
    width: f64,
}

impl Estimate {
    fn of(strategy: Strategy, fit: &Fit, inputs: &Inputs) -> Self {
        Self {
            strategy,
            expected: fit.expected(inputs),
            width: fit.width(inputs),
        }
    }

    /// The lower bound, at least 0.
    fn least(&self) -> f64 {
        (self.expected - CURIOUS * self.width).max(0.0)
    }
}

/// The estimate with the highest value; of equal ones the first.
fn highest(estimates: &[Estimate], value: impl Fn(&Estimate) -> f64) -> Option<&Estimate> {
    estimates.iter().reduce(|best, other| {
        if value(other) > value(best) {
            other
        } else {
            best
        }
    })
}

#[cfg(test)]
mod tests;
