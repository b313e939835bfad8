//! The way to a goal that its runs speak for.

use std::collections::BTreeSet;

use anamne_experience::{Case, CaseFilter, ExperienceView, RunSummary};

use crate::Error;

/// The newest runs that are compared.
const COMPARED_RUNS: usize = 16;

/// Calls that are read of each.
const MOST_CALLS: usize = 64;

/// A run, or several that made the same calls.
struct Way {
    /// The calls that succeeded, in order, of the newest such run.
    done: Vec<Case>,
    successes: usize,
}

impl Way {
    fn calls(&self) -> BTreeSet<&str> {
        self.done.iter().map(|step| step.call.as_str()).collect()
    }
}

/// The calls of the way that succeeded most often, as far as runs that failed did not go it: by Laplace's rule of succession.
/// Of equal ones the newest. A run that failed went a way if it made a call that not every way has. Empty if no run succeeded.
/// O(calls of the runs).
pub(super) fn best_way(
    view: &ExperienceView,
    runs: &[(f32, RunSummary)],
) -> Result<Vec<Case>, Error> {
    let mut ways: Vec<Way> = Vec::new();
    let mut failed: Vec<BTreeSet<String>> = Vec::new();
    let named = runs.iter().filter(|(_, run)| !run.run.is_empty());
    for (_, run) in named.take(COMPARED_RUNS) {
        let steps = view.cases(CaseFilter::Run(&run.run), MOST_CALLS)?;
        let steps = steps.into_iter().filter(|step| !step.ends_run);
        if !run.outcome.succeeded {
            failed.push(steps.map(|step| step.call).collect());
            continue;
        }
        let done: Vec<Case> = steps.filter(|step| step.succeeded).collect();
        let is_same = |way: &&mut Way| {
            let calls = way.done.iter().map(|step| &step.call);
            calls.eq(done.iter().map(|step| &step.call))
        };
        match ways.iter_mut().find(is_same) {
            Some(way) => way.successes += 1,
            None => ways.push(Way { done, successes: 1 }),
        }
    }
    let of_all = shared_calls(&ways);
    let chance = |way: &Way| {
        let calls = way.calls();
        let is_own = |call: &&str| ways.len() == 1 || !of_all.contains(*call);
        let own: Vec<&str> = calls.into_iter().filter(is_own).collect();
        let went_it = failed
            .iter()
            .filter(|made| own.iter().any(|call| made.contains(*call)));
        let (successes, failures) = (way.successes as f64, went_it.count() as f64);
        (successes + 1.0) / (successes + failures + 2.0)
    };
    let chances: Vec<f64> = ways.iter().map(chance).collect();
    let best = (0..ways.len())
        .rev()
        .max_by(|one, other| chances[*one].total_cmp(&chances[*other]));
    Ok(best.map_or_else(Vec::new, |best| ways.swap_remove(best).done))
}

/// The calls that every way has.
fn shared_calls(ways: &[Way]) -> BTreeSet<String> {
    let mut ways = ways.iter();
    let Some(first) = ways.next() else {
        return BTreeSet::new();
    };
    let shared = ways.fold(first.calls(), |shared, way| {
        shared.intersection(&way.calls()).copied().collect()
    });
    shared.into_iter().map(str::to_owned).collect()
}
