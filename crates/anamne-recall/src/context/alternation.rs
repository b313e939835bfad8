//! Results of many threads first, for a block that only gives hints.

use anamne_types::Hit;

/// The first results, which stay in place.
const KEPT: usize = 3;

/// After the first three results, makes every other one the best of a thread that has none yet, as long as there is one.
/// A conversation often comes back to a topic, and its best results may all stand in the wrong thread. O(n²) for the
/// few results of a prompt.
pub(crate) fn alternate_threads(results: &mut [Hit]) {
    for place in (KEPT..results.len()).step_by(2) {
        let (before, rest) = results.split_at_mut(place);
        let is_new = |hit: &Hit| {
            let mut threads = before.iter().map(|hit| &hit.memory.thread);
            hit.memory.thread.is_none() || threads.all(|thread| *thread != hit.memory.thread)
        };
        if let Some(found) = rest.iter().position(is_new) {
            rest[..=found].rotate_right(1);
        }
    }
}
