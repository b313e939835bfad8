//! Latencies of repeated calls.

use std::time::Instant;

use crate::failure::Failure;

/// Milliseconds per call.
#[derive(Default)]
pub(crate) struct Latencies(Vec<f64>);

impl Latencies {
    /// Measures each question, after a warm-up with the first ones.
    pub(crate) fn warmed<Question: AsRef<str>>(
        questions: &[Question],
        warm_up: usize,
        mut ask: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        for question in questions.iter().take(warm_up) {
            ask(question.as_ref())?;
        }
        let mut latencies = Self::default();
        for question in questions {
            latencies.time(|| ask(question.as_ref()))?;
        }
        Ok(latencies)
    }

    /// Runs `work` and records its duration, even on failure.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let outcome = work();
        self.note(started.elapsed().as_secs_f64() * 1_000.0);
        outcome
    }

    /// Records a duration in milliseconds.
    pub(crate) fn note(&mut self, milliseconds: f64) {
        self.0.push(milliseconds);
    }

    /// Adds those of another run.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether nothing was recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The 10th percentile: the least disturbed calls.
    pub(crate) fn p10(&self) -> f64 {
        self.quantile(0.10)
    }

    /// The median.
    pub(crate) fn p50(&self) -> f64 {
        self.quantile(0.50)
    }

    /// The 95th percentile.
    pub(crate) fn p95(&self) -> f64 {
        self.quantile(0.95)
    }

    /// Calls per second, one after the other.
    pub(crate) fn per_second(&self) -> f64 {
        self.0.len() as f64 / self.0.iter().sum::<f64>() * 1_000.0
    }

    /// The quantile by nearest rank; NaN if empty.
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

impl FromIterator<f64> for Latencies {
    fn from_iter<Milliseconds: IntoIterator<Item = f64>>(milliseconds: Milliseconds) -> Self {
        Self(milliseconds.into_iter().collect())
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
