//! How long something took, many times.

use std::time::Instant;

use crate::failure::Failure;

/// Milliseconds of each call.
#[derive(Default)]
pub(crate) struct Latencies(Vec<f64>);

impl Latencies {
    /// How long each question takes, once the first of them have warmed everything up.
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

    /// Whether nothing was noted.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
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
