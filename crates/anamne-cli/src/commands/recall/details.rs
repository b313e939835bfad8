//! How much of an answer is shown.

use anamne::{Answer, ShownResults};

/// Below this confidence a result is shown as 0 %.
const ZERO: f32 = 0.005;

/// Results of 0 % that are shown if there are no better ones.
const LEAST_SHOWN: usize = 3;

/// What is shown of each result besides its text and origin.
#[derive(Clone, Copy)]
pub(super) struct Details {
    pub(super) explanation: bool,
    pub(super) related: bool,
    /// Whether results of 0 % are shown beside better ones.
    pub(super) unlikely: bool,
}

impl Details {
    /// The number of results that are shown; those left out are the last ones, of 0 %.
    pub(super) fn shown(self, answer: &Answer) -> usize {
        self.shown_results().count(answer)
    }

    /// Which results are shown.
    pub(super) fn shown_results(self) -> ShownResults {
        if self.unlikely {
            return ShownResults::default();
        }
        ShownResults {
            min_confidence: ZERO,
            at_least: LEAST_SHOWN,
        }
    }
}
