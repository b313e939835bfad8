//! Figures of many questions, with bootstrap intervals by conversation.

use std::collections::BTreeMap;

use super::recorded::Question;
use super::replay::Played;
use crate::chance::Chance;

/// Bootstrap samples.
const SAMPLES: usize = 1_000;

/// What one question came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    /// Whether evidence was shown: 0 or 1.
    pub(crate) success: f64,
    /// Whether the first search showed it: 0 or 1.
    pub(crate) first: f64,
    /// Number of searches.
    pub(crate) searches: f64,
    /// Number of searches until success, five if there is none.
    pub(crate) until: f64,
    /// Milliseconds.
    pub(crate) milliseconds: f64,
    /// Estimated tokens shown.
    pub(crate) tokens: f64,
}

impl Figures {
    pub(crate) fn of(played: &Played) -> Self {
        Self {
            success: f64::from(u8::from(played.succeeded())),
            first: f64::from(u8::from(played.searches.len() == 1 && played.succeeded())),
            searches: played.searches.len() as f64,
            until: played.until_success() as f64,
            milliseconds: played.milliseconds,
            tokens: f64::from(played.tokens),
        }
    }

    fn add(&mut self, other: &Self) {
        self.success += other.success;
        self.first += other.first;
        self.searches += other.searches;
        self.until += other.until;
        self.milliseconds += other.milliseconds;
        self.tokens += other.tokens;
    }

    fn divided(mut self, count: f64) -> Self {
        for value in [
            &mut self.success,
            &mut self.first,
            &mut self.searches,
            &mut self.until,
            &mut self.milliseconds,
            &mut self.tokens,
        ] {
            *value /= count;
        }
        self
    }
}

/// The figures of questions by set and conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcomes(BTreeMap<(String, String), Vec<Figures>>);

impl Outcomes {
    /// Adds a question.
    pub(crate) fn add(&mut self, question: &Question, figures: Figures) {
        let key = (question.set.clone(), question.corpus.clone());
        self.0.entry(key).or_default().push(figures);
    }

    /// Adds all of `other`.
    pub(crate) fn merge(&mut self, other: Self) {
        for (key, figures) in other.0 {
            self.0.entry(key).or_default().extend(figures);
        }
    }

    /// The sets.
    pub(crate) fn sets(&self) -> Vec<String> {
        let mut sets: Vec<String> = self.0.keys().map(|(set, _)| set.clone()).collect();
        sets.dedup();
        sets
    }

    /// Those of one set.
    pub(crate) fn of_set(&self, set: &str) -> Self {
        let mut outcomes = self.clone();
        outcomes.0.retain(|(of, _), _| of == set);
        outcomes
    }

    /// The mean over all questions.
    pub(crate) fn mean(&self) -> Figures {
        mean(self.0.values())
    }

    /// The 95 % interval of a figure of `self` and `other` (the same conversations, asked otherwise), from samples of
    /// conversations with replacement (Efron 1979).
    pub(crate) fn interval(
        &self,
        other: &Self,
        figure: impl Fn(&Figures, &Figures) -> f64,
    ) -> [f64; 2] {
        let keys: Vec<_> = self.0.keys().collect();
        let mut chance = Chance::new(19);
        let mut figures: Vec<f64> = (0..SAMPLES)
            .map(|_| {
                let sample: Vec<_> = keys
                    .iter()
                    .map(|_| keys[chance.below(keys.len())])
                    .collect();
                let of =
                    |outcomes: &Self| mean(sample.iter().filter_map(|key| outcomes.0.get(*key)));
                figure(&of(self), &of(other))
            })
            .collect();
        figures.sort_by(f64::total_cmp);
        [figures[SAMPLES / 40], figures[SAMPLES - 1 - SAMPLES / 40]]
    }
}

fn mean<'figures>(groups: impl Iterator<Item = &'figures Vec<Figures>>) -> Figures {
    let (mut sum, mut count) = (Figures::default(), 0.0);
    for figures in groups.flatten() {
        sum.add(figures);
        count += 1.0;
    }
    sum.divided(f64::max(count, 1.0))
}
