//! What a memory's surroundings say of it: how new it was, how well it fits its chain, how useful it turned out.
//!
//! Pure functions and their results. [`crate::summaries::Summaries`] keeps them in its file: what is noted there of each
//! memory (thread, place, time) is what they need.
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

/// A memory is compared with so many before it.
pub const RECENT: usize = 50;

/// A thought's neighbours are so many before it and as many after it in its chain.
pub const NEIGHBOURS_EACH_WAY: usize = 2;

/// Neighbours whose vectors have this cosine speak of the same thing.
pub const AGREES: f32 = 0.3;

/// How much of the utility a new event makes up.
pub const LEARNING: f32 = 0.3;

/// How new something was: one less its greatest cosine with what came before, 0 to 1; 1 where nothing came before.
///
/// Vectors are of unit length or zero. O(vectors · dimensions).
pub fn novelty<'vector>(vector: &[f32], before: impl IntoIterator<Item = &'vector [f32]>) -> f32 {
    let nearest = before
        .into_iter()
        .map(|other| dot(vector, other))
        .fold(0.0f32, f32::max);
    (1.0 - nearest).clamp(0.0, 1.0)
}

/// How well a thought fits its chain: the share of its neighbours with which it agrees, where each contradiction
/// counts as one more neighbour with which it does not. 0 to 1; 1 where there is neither.
pub fn consistency(agreeing: u32, neighbours: u32, conflicts: u32) -> f32 {
    let heard = neighbours.saturating_add(conflicts);
    if heard == 0 {
        return 1.0;
    }
    agreeing.min(neighbours) as f32 / heard as f32
}

/// A judgement of a memory: that it helped, or did not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// The memory's row.
    pub row: Row,
    /// How much it helped: 0 not at all, 1 as hoped.
    pub score: f32,
    /// When that was said.
    pub at: Timestamp,
}

/// How useful a memory turned out: an exponentially moving average of what was said of it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Utility {
    /// The average, 0 to 1; 0.5 where nothing was said.
    pub value: f32,
    /// How many events it is made of.
    pub events: u32,
    /// The last of them.
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
    /// The utility after another event: `value + 0.3 · (score − value)`, from 0.5 on.
    ///
    /// A score outside 0 to 1 counts as the nearer end, one that is no number as 0.5.
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

/// What is kept of a memory.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Signals {
    /// One less its greatest cosine with the [`RECENT`] memories before it in its thread, or among those without one.
    pub novelty: f32,
    /// With how many neighbours a thought agrees.
    pub agreeing: u32,
    /// How many neighbours it has; 0 for what is no thought.
    pub neighbours: u32,
    /// What feedback says.
    pub utility: Utility,
}

impl Signals {
    /// How well it fits its chain, given how many other memories contradict it.
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
