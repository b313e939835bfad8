//! The chance of success, from earlier cases.

use jiff::Timestamp;

/// Days after which a case counts half.
const HALF_LIFE_DAYS: f64 = 90.0;

/// Weight of what was expected before, in cases.
const PRIOR_CASES: f64 = 2.0;

/// The shares that are told apart: no number of cases makes anything certain.
const LEAST: f64 = 0.01;

const MICROSECONDS_PER_DAY: f64 = 86_400e6;

/// One earlier case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// When, microseconds since 1970.
    pub at: i64,
    /// Whether it succeeded.
    pub succeeded: bool,
    /// How likely that was, judged by whoever acted: their share of successes elsewhere.
    pub expected: f64,
    /// How much it has to do with what is asked, 0 to 1.
    pub relevance: f64,
}

/// How likely success is for somebody who succeeds in a share `own` of all situations.
///
/// The cases are compared with what was expected of those who acted: a success of somebody who mostly fails says more
/// than another one. The odds of `own` change as much as the odds of the cases' share of successes, the mean of a Beta
/// posterior, differ from those expected. If the same one always acted, the chance is that mean, with `own` as the prior and the
/// weight of two cases. A case counts half after 90 days. O(cases).
pub fn chance(own: f64, cases: &[Evidence], now: Timestamp) -> f64 {
    logistic(log_odds(own) + shift(0.0, cases, now))
}

/// The same, from cases of similar situations and of this very one: the similar ones say what is expected before the others count.
pub(crate) fn chance_beside(
    own: f64,
    similar: &[Evidence],
    same: &[Evidence],
    now: Timestamp,
) -> f64 {
    logistic(log_odds(own) + shift(shift(0.0, similar, now), same, now))
}

/// By how much cases move the log odds of success; `before` is by how much others did.
fn shift(before: f64, cases: &[Evidence], now: Timestamp) -> f64 {
    let (mut weight, mut successes, mut expected) = (0.0, 0.0, 0.0);
    for case in cases {
        let counts = case.relevance * freshness(case.at, now);
        weight += counts;
        expected += counts * case.expected;
        successes += if case.succeeded { counts } else { 0.0 };
    }
    if weight <= f64::EPSILON {
        return before;
    }
    let expected = log_odds(expected / weight);
    let found = share(successes, weight, logistic(expected + before), PRIOR_CASES);
    log_odds(found) - expected
}

/// A share of successes with a prior that has the weight of so many cases.
pub fn share(successes: f64, all: f64, prior: f64, cases: f64) -> f64 {
    (successes + cases * prior) / (all + cases)
}

/// The weight of a case by its age. One from the future counts like one of now.
fn freshness(at: i64, now: Timestamp) -> f64 {
    let age = now.as_microsecond().saturating_sub(at).max(0) as f64;
    (-age / MICROSECONDS_PER_DAY / HALF_LIFE_DAYS).exp2()
}

fn log_odds(share: f64) -> f64 {
    let share = share.clamp(LEAST, 1.0 - LEAST);
    (share / (1.0 - share)).ln()
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn case(days_ago: i64, succeeded: bool) -> Evidence {
        Evidence {
            at: -days_ago * 86_400_000_000,
            succeeded,
            expected: 0.5,
            relevance: 1.0,
        }
    }

    #[test]
    fn chance_moves_from_the_own_share_to_that_of_the_cases() {
        assert!((chance(0.3, &[], NOW) - 0.3).abs() < 1e-9);
        let many = vec![case(0, true); 98];
        assert!((chance(0.5, &many, NOW) - 0.99).abs() < 1e-9);
    }

    #[test]
    fn old_cases_and_cases_of_the_future_are_bounded() {
        let turned = [case(0, false), case(360, true), case(360, true)];
        assert!(chance(0.5, &turned, NOW) < 0.5);
        assert!((chance(0.5, &[case(-36_500, true)], NOW) - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn success_of_the_weak_says_more_than_of_the_strong() {
        let by = |expected| Evidence {
            expected,
            ..case(0, true)
        };
        let of = |expected| chance(0.5, &[by(expected)], NOW);
        assert!(of(0.1) > of(0.5) && of(0.5) > of(0.9) && of(0.9) > 0.5);
    }

    #[test]
    fn similar_cases_say_what_is_expected_until_there_are_cases_of_the_same() {
        let similar = vec![case(0, true); 98];
        let beside = |same: &[Evidence]| chance_beside(0.5, &similar, same, NOW);
        assert!((beside(&[]) - chance(0.5, &similar, NOW)).abs() < 1e-9);
        assert!((beside(&[case(0, false)]) - 2.0 * 0.99 / 3.0).abs() < 1e-9);
        assert!(beside(&[case(0, false); 8]) < 0.2);
    }

    #[test]
    fn what_has_nothing_to_do_with_it_changes_nothing() {
        let far = Evidence {
            relevance: 0.0,
            ..case(0, false)
        };
        assert!((chance(0.4, &[far], NOW) - 0.4).abs() < 1e-9);
    }
}
