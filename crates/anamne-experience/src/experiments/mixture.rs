//! Evidence about rates of success that stays valid however often it is looked at.
//!
//! Against the hypothesis that an arm's rate is `p`, the mixture of likelihood ratios over a Beta(½, ½) prior,
//! `M(p) = B(½ + s, ½ + n − s) / B(½, ½) / (pˢ (1 − p)ⁿ⁻ˢ)`, is a martingale that starts at 1, so it ever reaches 1/α
//! with a probability of at most α (Ville 1939; Robbins 1970; for confidence sequences Howard, Ramdas, McAuliffe and
//! Sekhon 2021; for experiments Johari, Koomen, Pekelis and Walsh 2017). The product over two arms is one against the pair
//! of their rates; its minimum over all pairs with a given difference tests that difference (as in universal inference,
//! Wasserman, Ramdas and Balakrishnan 2020). No normal approximation is involved, so it holds from the first unit on.
//!
//! Successes between 0 and 1 are allowed: `(q/p)ˣ ((1 − q)/(1 − p))¹⁻ˣ` is convex in x, so its mean is at most that of a
//! Bernoulli variable with the same mean, and `M` becomes a supermartingale, for which the bound holds as well.

/// Units and successes of one arm.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) units: f64,
    pub(super) successes: f64,
}

/// Steps of a search for a minimum or a limit: enough for 1e-9 on [−1, 1].
const STEPS: usize = 60;

/// The least and the greatest rate considered, so that logarithms stay finite.
const LEAST: f64 = 1e-12;

impl Tally {
    /// The share of successes; ½ without units.
    pub(super) fn rate(self) -> f64 {
        if self.units > 0.0 {
            self.successes / self.units
        } else {
            0.5
        }
    }

    /// `ln M(p)` without the part that depends on p. O(1).
    fn ln_marginal(self) -> f64 {
        let failures = self.units - self.successes;
        ln_beta(0.5 + self.successes, 0.5 + failures) - ln_beta(0.5, 0.5)
    }

    /// `ln (pˢ (1 − p)ⁿ⁻ˢ)`. O(1).
    fn ln_likelihood(self, rate: f64) -> f64 {
        let rate = rate.clamp(LEAST, 1.0 - LEAST);
        let failures = self.units - self.successes;
        self.successes * rate.ln() + failures * (-rate).ln_1p()
    }
}

/// The logarithm of the evidence against "the rate of `one` less that of `control` is `difference`". O(1).
pub(super) fn ln_evidence(one: Tally, control: Tally, difference: f64) -> f64 {
    one.ln_marginal() + control.ln_marginal() - most_likely(one, control, difference)
}

/// The greatest `ln` likelihood of both arms with a difference of rates. O(1): the function is concave in the rate.
fn most_likely(one: Tally, control: Tally, difference: f64) -> f64 {
    let likelihood = |rate: f64| control.ln_likelihood(rate) + one.ln_likelihood(rate + difference);
    let (mut low, mut high) = ((-difference).max(0.0), (1.0 - difference).min(1.0));
    for _ in 0..STEPS {
        let third = (high - low) / 3.0;
        if likelihood(low + third) < likelihood(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    likelihood(f64::midpoint(low, high))
}

/// The differences that the evidence does not refute at `alpha`: a confidence sequence with error rate `alpha`. O(1).
pub(super) fn interval(one: Tally, control: Tally, alpha: f64) -> [f64; 2] {
    let enough = -alpha.ln();
    let observed = one.rate() - control.rate();
    [-1.0, 1.0].map(|end| {
        let (mut inside, mut outside) = (observed, end);
        if ln_evidence(one, control, end) < enough {
            return end;
        }
        for _ in 0..STEPS {
            let middle = f64::midpoint(inside, outside);
            if ln_evidence(one, control, middle) < enough {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        outside
    })
}

/// `ln B(x, y)` for x, y > 0.
fn ln_beta(x: f64, y: f64) -> f64 {
    ln_gamma(x) + ln_gamma(y) - ln_gamma(x + y)
}

/// `ln Γ(x)` for x > 0: Stirling's series (Abramowitz and Stegun 6.1.41) from 10 on, to which smaller values are raised by
/// `Γ(x + 1) = x Γ(x)`. Relative error below 1e-12.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut raised) = (x, 1.0);
    while x < 10.0 {
        raised *= x;
        x += 1.0;
    }
    let square = x * x;
    let series = (1.0 / 12.0
        - (1.0 / 360.0 - (1.0 / 1_260.0 - (1.0 / 1_680.0) / square) / square) / square)
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - raised.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(units: u32, successes: f64) -> Tally {
        Tally {
            units: f64::from(units),
            successes,
        }
    }

    #[test]
    fn ln_gamma_is_that_of_factorials_and_of_a_half() {
        assert!(ln_gamma(1.0).abs() < 1e-11);
        assert!((ln_gamma(11.0) - 3_628_800.0_f64.ln()).abs() < 1e-10);
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-11);
    }

    #[test]
    fn the_mixture_is_a_martingale() {
        // The mean over the next outcome of M equals M, for any true rate p.
        let rate: f64 = 0.3;
        let evidence = |tally: Tally| (tally.ln_marginal() - tally.ln_likelihood(rate)).exp();
        let now = tally(7, 3.0);
        let after = rate * evidence(tally(8, 4.0)) + (1.0 - rate) * evidence(tally(8, 3.0));
        assert!((after - evidence(now)).abs() < 1e-9, "{after}");
        // A partial success counts no more than a chance of a whole one.
        let partly = evidence(tally(8, 3.3));
        assert!(partly <= after + 1e-12, "{partly}");
    }

    #[test]
    fn nothing_is_known_without_units() {
        let [low, high] = interval(tally(0, 0.0), tally(0, 0.0), 0.05);
        assert!(low <= -1.0 && 1.0 <= high, "{low} {high}");
    }

    #[test]
    fn the_interval_contains_what_was_observed_and_shrinks() {
        let width = |units: u32| {
            let (one, control) = (
                tally(units, f64::from(units) * 0.6),
                tally(units, f64::from(units) * 0.5),
            );
            let [low, high] = interval(one, control, 0.05);
            assert!(low < 0.1 && 0.1 < high, "{low} {high}");
            high - low
        };
        assert!(width(1_000) < width(100) && width(10_000) < 0.08);
    }

    #[test]
    fn the_interval_excludes_zero_where_the_evidence_does() {
        for successes in 0..=60 {
            let (one, control) = (tally(60, f64::from(successes)), tally(60, 30.0));
            let [low, high] = interval(one, control, 0.05);
            let refutes_zero = ln_evidence(one, control, 0.0) >= -(0.05_f64.ln());
            assert_eq!(
                refutes_zero,
                low >= -1e-9 || high <= 1e-9,
                "{successes}: {low} {high}"
            );
        }
    }
}
