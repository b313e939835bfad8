//! Signals of a memory from its context: novelty, consistency with its chain, utility.
//!
//! Pure functions and their results. [`crate::summaries::Summaries`] stores them, because its file already has what they
//! need of each memory: thread, position, time.
//!
//! ```
//! use anamne_knowledge::signals::{Utility, consistency, novelty};
//!
//! let (north, east) = ([1.0, 0.0], [0.0, 1.0]);
//! assert_eq!(novelty(&north, [&east[..]]), 1.0);
//! assert_eq!(novelty(&north, [&east[..], &north[..]]), 0.0);
//! assert_eq!(consistency(3, 4, 0), 0.75);
//! assert!(consistency(3, 4, 2) < 0.75);
//! let at = jiff::Timestamp::UNIX_EPOCH;
//! let useful = Utility::default().after(1.0, at).after(1.0, at);
//! assert!(useful.value > 0.7 && useful.events == 2);
//! ```

use anamne_types::Row;
use jiff::Timestamp;

use crate::vectors::dot;

/// Number of earlier memories that a memory is compared with.
pub const RECENT: usize = 50;

/// Neighbours of a thought on each side in its chain.
pub const NEIGHBOURS_EACH_WAY: usize = 2;

/// Minimum cosine of neighbours that agree.
pub const AGREES: f32 = 0.3;

/// Weight of a new event in the moving average of utility.
pub const LEARNING: f32 = 0.3;

/// Novelty: 1 minus the maximum cosine with earlier memories, 0 to 1; 1 if there are none.
///
/// Vectors have unit length or are zero. O(vectors · dimensions).
pub fn novelty<'vector>(vector: &[f32], before: impl IntoIterator<Item = &'vector [f32]>) -> f32 {
    let nearest = before
        .into_iter()
        .map(|other| dot(vector, other))
        .fold(0.0f32, f32::max);
    (1.0 - nearest).clamp(0.0, 1.0)
}

/// Consistency of a thought with its chain, 0 to 1: the share of neighbours with which it agrees, where each contradiction
/// counts as one more neighbour that disagrees. 1 without neighbours and contradictions.
pub fn consistency(agreeing: u32, neighbours: u32, conflicts: u32) -> f32 {
    let heard = neighbours.saturating_add(conflicts);
    if heard == 0 {
        return 1.0;
    }
    agreeing.min(neighbours) as f32 / heard as f32
}

/// Feedback on whether a memory helped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// The memory's row.
    pub row: Row,
    /// How helpful it was: 0 not at all, 1 fully.
    pub score: f32,
    /// Time of the feedback.
    pub at: Timestamp,
}

/// Utility of a memory: an exponential moving average of its feedback.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Utility {
    /// The average, 0 to 1; 0.5 without feedback.
    pub value: f32,
    /// Number of events.
    pub events: u32,
    /// Time of the last event.
    pub at: Timestamp,
}

impl Default for Utility {
    fn default() -> Self {
        Self {
            value: 0.5,
            events: 0,
            at: Timestamp::MIN,
        }
    }
}

impl Utility {
    /// The utility after another event: `value + 0.3 · (score − value)`, starting at 0.5.
    ///
    /// The score is clamped to 0 to 1; NaN counts as 0.5.
    #[must_use]
    pub fn after(self, score: f32, at: Timestamp) -> Self {
        let score = if score.is_nan() {
            0.5
        } else {
            score.clamp(0.0, 1.0)
        };
        Self {
            value: self.value + LEARNING * (score - self.value),
            events: self.events.saturating_add(1),
            at: self.at.max(at),
        }
    }
}

/// The signals of a memory.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Signals {
    /// 1 minus the maximum cosine with the [`RECENT`] memories before it in its thread, or among those without a thread.
    pub novelty: f32,
    /// Number of neighbours with which a thought agrees.
    pub agreeing: u32,
    /// Number of neighbours; 0 if it is not a thought.
    pub neighbours: u32,
    /// Utility from feedback.
    pub utility: Utility,
}

impl Signals {
    /// Consistency with its chain, given the number of other memories that contradict it.
    pub fn consistency(&self, conflicts: u32) -> f32 {
        consistency(self.agreeing, self.neighbours, conflicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn consistency_is_a_share_that_contradictions_lower() {
        for (agreeing, neighbours, conflicts, expected) in [
            (0, 0, 0, 1.0),
            (4, 4, 0, 1.0),
            (2, 4, 0, 0.5),
            (2, 4, 4, 0.25),
            (0, 0, 3, 0.0),
            (9, 4, 0, 1.0),
        ] {
            let found = consistency(agreeing, neighbours, conflicts);
            assert!(
                (found - expected).abs() < 1e-6,
                "{agreeing} of {neighbours}, {conflicts}: {found}"
            );
        }
    }

    proptest! {
        #[test]
        fn utility_stays_between_nothing_and_all(scores in prop::collection::vec(any::<f32>(), 0..40)) {
            let utility = scores.iter().fold(Utility::default(), |utility, score| utility.after(*score, Timestamp::MIN));
            prop_assert!((0.0..=1.0).contains(&utility.value));
            prop_assert_eq!(utility.events as usize, scores.len());
        }

        #[test]
        fn novelty_never_rises_with_what_came_before(
            vector in prop::collection::vec(-1.0f32..1.0, 4),
            others in prop::collection::vec(prop::collection::vec(-1.0f32..1.0, 4), 0..8),
        ) {
            let mut last = 1.0;
            for count in 0..=others.len() {
                let found = novelty(&vector, others[..count].iter().map(Vec::as_slice));
                prop_assert!((0.0..=last).contains(&found));
                last = found;
            }
        }
    }
}
