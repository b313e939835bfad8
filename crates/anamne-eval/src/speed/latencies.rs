//! How long something took, many times.

use std::time::Instant;

/// Milliseconds of each call.
#[derive(Default)]
pub(crate) struct Latencies(Vec<f64>);

impl Latencies {
    /// Runs `work` and notes how long it took, also where it failed.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let outcome = work();
        self.note(started.elapsed().as_secs_f64() * 1_000.0);
        outcome
    }

    /// Notes a duration in milliseconds.
    pub(crate) fn note(&mut self, milliseconds: f64) {
        self.0.push(milliseconds);
    }

    /// What a tenth of the calls stay within: the least disturbed ones.
    pub(crate) fn p10(&self) -> f64 {
        self.quantile(0.10)
    }

    /// The median.
    pub(crate) fn p50(&self) -> f64 {
        self.quantile(0.50)
    }

    /// What nineteen of twenty calls stay within.
    pub(crate) fn p95(&self) -> f64 {
        self.quantile(0.95)
    }

    /// The smallest duration that this share of the calls does not exceed (nearest rank); NaN where there is none.
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::Latencies;

    #[test]
    fn quantiles_are_nearest_ranks() {
        let mut latencies = Latencies::default();
        (1..=100)
            .rev()
            .for_each(|value| latencies.note(f64::from(value)));
        assert_eq!((latencies.p50(), latencies.p95()), (50.0, 95.0));
    }

    #[test]
    fn one_call_is_its_own_median() {
        let mut latencies = Latencies::default();
        latencies.note(3.0);
        assert_eq!((latencies.p50(), latencies.p95()), (3.0, 3.0));
    }
}
