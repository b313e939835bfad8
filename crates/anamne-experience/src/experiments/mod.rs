//! Experiments: which of several ways works best, judged while it runs.
//!
//! Units (questions, sessions) are assigned to arms by [`arm_of`], each unit's success is counted, and [`judge`] compares
//! every arm with the first. It may be called after every unit: the error rate holds however often one looks and whenever
//! one stops (see `mixture`).

mod assignment;
mod mixture;

use std::fmt;

use mixture::Tally;
use serde::{Deserialize, Serialize};

pub use assignment::arm_of;

/// The differences of rates that don't matter: an experiment ends when no arm differs from the first by more.
pub const NEGLIGIBLE: f64 = 0.02;

/// The error rate in place of one that is none.
const STRICTEST: f64 = 1e-9;

/// What came of the units of one arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArmCount {
    /// Its name.
    pub arm: String,
    /// Number of units whose outcome is known.
    pub units: u64,
    /// The sum of their successes, each from 0 to 1.
    pub successes: f64,
}

impl ArmCount {
    /// The share of successes; `None` without units.
    pub fn rate(&self) -> Option<f64> {
        (self.units > 0).then(|| self.tally().rate())
    }

    /// Counts that can't be (from a damaged file) are limited to those that can.
    fn tally(&self) -> Tally {
        let units = self.units as f64;
        let successes = if self.successes.is_finite() {
            self.successes.clamp(0.0, units)
        } else {
            0.0
        };
        Tally { units, successes }
    }
}

/// How an arm differs from the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Uplift {
    /// The arm's name.
    pub arm: String,
    /// Its rate less that of the first arm, −1 to 1.
    pub difference: f64,
    /// The least difference that is not refuted.
    pub low: f64,
    /// The greatest difference that is not refuted. With probability 1 − `alpha`, no interval of any arm at any time
    /// misses the true difference.
    pub high: f64,
    /// The p-value of "no difference", valid at any time; 1 if there is no evidence.
    pub p_value: f64,
}

/// Why an experiment ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// This arm is better than the first; of several such arms the one with the highest rate.
    Better(String),
    /// All other arms are worse than the first.
    FirstIsBest,
    /// No arm differs from the first by more than [`NEGLIGIBLE`].
    NoDifference,
}

impl fmt::Display for Conclusion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Better(arm) => write!(formatter, "{arm} is better"),
            Self::FirstIsBest => formatter.write_str("the first arm is best"),
            Self::NoDifference => formatter.write_str("no arm makes a difference that matters"),
        }
    }
}

/// The state of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Every arm but the first, in order. An arm without units is missing; without units of the first, all are.
    pub uplifts: Vec<Uplift>,
    /// Why it may end; `None` if it should go on.
    pub conclusion: Option<Conclusion>,
}

/// Compares every arm with the first, with a total error rate of `alpha` under any number of looks. O(arms).
///
/// `alpha` is divided evenly among the comparisons (Bonferroni). Fewer than two arms give no comparison.
pub fn judge(arms: &[ArmCount], alpha: f64) -> Judgement {
    let Some((first, others)) = arms.split_first() else {
        return Judgement {
            uplifts: Vec::new(),
            conclusion: None,
        };
    };
    let is_rate = alpha > 0.0 && alpha < 1.0;
    let alpha = if is_rate { alpha } else { STRICTEST } / others.len().max(1) as f64;
    let is_comparable = |arm: &&ArmCount| arm.units > 0 && first.units > 0;
    let uplifts: Vec<Uplift> = others
        .iter()
        .filter(is_comparable)
        .map(|arm| uplift(arm, first, alpha, others.len()))
        .collect();
    let conclusion = conclusion(&uplifts, others.len());
    Judgement {
        uplifts,
        conclusion,
    }
}

fn uplift(arm: &ArmCount, first: &ArmCount, alpha: f64, comparisons: usize) -> Uplift {
    let (one, control) = (arm.tally(), first.tally());
    let [low, high] = mixture::interval(one, control, alpha);
    let p_value = (-mixture::ln_evidence(one, control, 0.0)).exp() * comparisons as f64;
    Uplift {
        arm: arm.arm.clone(),
        difference: one.rate() - control.rate(),
        low,
        high,
        p_value: p_value.min(1.0),
    }
}

/// What follows from the comparisons of `others` arms with the first.
fn conclusion(uplifts: &[Uplift], others: usize) -> Option<Conclusion> {
    let better = uplifts.iter().filter(|uplift| uplift.low > 0.0);
    if let Some(best) = better.max_by(|one, other| one.difference.total_cmp(&other.difference)) {
        return Some(Conclusion::Better(best.arm.clone()));
    }
    let is_whole = !uplifts.is_empty() && uplifts.len() == others;
    let all = |holds: fn(&Uplift) -> bool| is_whole && uplifts.iter().all(holds);
    if all(|uplift| uplift.high < 0.0) {
        return Some(Conclusion::FirstIsBest);
    }
    all(|uplift| uplift.low > -NEGLIGIBLE && uplift.high < NEGLIGIBLE)
        .then_some(Conclusion::NoDifference)
}

#[cfg(test)]
mod tests;
