//! Results of many threads first, for a block that only gives hints.

/// The first results, which stay in place.
const KEPT: usize = 3;

/// After the first three results, makes every other one the best of a thread that has none yet, as long as there is one;
/// a result without a thread counts as its own. A conversation often comes back to a topic, and its best results may all
/// stand in the wrong thread. O(n²) for the few results of a prompt.
pub(crate) fn alternate_threads<Found>(
    results: &mut [Found],
    thread_of: impl Fn(&Found) -> Option<&str>,
) {
    for place in (KEPT..results.len()).step_by(2) {
        let (before, rest) = results.split_at_mut(place);
        let is_new = |found: &Found| {
            let thread = thread_of(found);
            thread.is_none() || before.iter().all(|earlier| thread_of(earlier) != thread)
        };
        if let Some(next) = rest.iter().position(is_new) {
            rest[..=next].rotate_right(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results as `thread` and rank, `-` for none: `a1 a2 b3`.
    #[track_caller]
    fn check(given: &str, expected: &str) {
        let mut results: Vec<&str> = given.split(' ').collect();
        alternate_threads(&mut results, |found| {
            Some(&found[..1]).filter(|thread| *thread != "-")
        });
        assert_eq!(results.join(" "), expected, "{given}");
    }

    #[test]
    fn every_other_result_after_the_third_is_of_a_new_thread() {
        check("a1 a2 a3 a4 a5 b6 a7 c8", "a1 a2 a3 b6 a4 c8 a5 a7");
        check("a1 a2 a3 b4 b5 c6", "a1 a2 a3 b4 b5 c6");
    }

    #[test]
    fn without_new_threads_the_order_stays() {
        check("a1 a2 a3 a4 a5 a6", "a1 a2 a3 a4 a5 a6");
        check("a1 b2", "a1 b2");
    }

    #[test]
    fn results_without_a_thread_are_threads_of_their_own() {
        check("-1 -2 -3 -4 -5", "-1 -2 -3 -4 -5");
        check("a1 a2 a3 a4 -5 -6", "a1 a2 a3 -5 a4 -6");
    }
}
