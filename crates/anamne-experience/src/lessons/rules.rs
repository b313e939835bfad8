//! What an attempt suggests by itself, and beside the earlier ones at its goal.

use std::convert::Infallible;

use super::{CallAt, DerivedLesson, Rule};
use crate::ending::{Compared, course};
use crate::normal;
use crate::view::{Case, Trajectory};

/// How often a call or an error fails before it counts as a pattern.
const AGAIN: usize = 2;

/// Calls that made the difference: the last ones of the attempt, which are nearest to its end.
const MOST_CALLS: usize = 3;

impl CallAt {
    pub(super) fn of(step: &Case) -> Self {
        Self {
            row: step.row,
            step: step.step,
            normal: step.call.clone(),
        }
    }
}

/// At most one lesson of each kind: recovery, difference, warning.
pub(super) fn lessons(attempt: &Trajectory, earlier: &[&Trajectory]) -> Vec<DerivedLesson> {
    let difference = difference(attempt, earlier).or_else(|| order(attempt, earlier));
    let warning = failing_call(attempt, earlier).or_else(|| lasting_error(attempt, earlier));
    let found = [recovery(attempt), difference, warning];
    found.into_iter().flatten().collect()
}

/// The call that ended the error that occurred most, after its last occurrence: see [`crate::ending`].
fn recovery(attempt: &Trajectory) -> Option<DerivedLesson> {
    let steps = &attempt.steps;
    let ended = |place: usize| {
        let failed = &steps[place];
        let later = &steps[place + 1..];
        let is_last = !later.iter().any(|step| step.error == failed.error);
        if failed.error.is_empty() || !is_last {
            return None;
        }
        let named = what_ended(failed, later, attempt.succeeded)?;
        let same = steps.iter().filter(|step| step.error == failed.error);
        (named.call != failed.call).then_some((same.count(), place, named))
    };
    let found = (0..steps.len()).filter_map(ended);
    let (times, place, named) = found.max_by_key(|(times, place, _)| (*times, *place))?;
    Some(DerivedLesson {
        error: steps[place].error.clone(),
        failed: Some(CallAt::of(&steps[place])),
        calls: vec![CallAt::of(named)],
        times,
        ..DerivedLesson::of(Rule::Recovery, attempt)
    })
}

/// The later step of a run that ended an error, if it ended.
fn what_ended<'one>(failed: &Case, later: &'one [Case], run_succeeded: bool) -> Option<&'one Case> {
    let compared = compared(failed);
    let names_tell = normal::has_names(&failed.error);
    let steps = later.iter();
    let found = course(steps.map(|step| compared.later(&self::compared(step), names_tell)));
    let changes = |step: usize| {
        let step = &later[step];
        Ok::<_, Infallible>(step.succeeded && (!step.only_reads || failed.only_reads))
    };
    let Ok(named) = found.named(later.len(), changes);
    let has_ended = found.ended.unwrap_or(run_succeeded);
    named.filter(|_| has_ended).map(|step| &later[step])
}

fn compared(step: &Case) -> Compared<'_, str> {
    Compared {
        call: &step.call,
        error: &step.error,
        names: step.error_names,
        succeeded: step.succeeded,
    }
}

/// The last calls of a success that no failed attempt before it made.
fn difference(attempt: &Trajectory, earlier: &[&Trajectory]) -> Option<DerivedLesson> {
    let failed = failed_before(attempt, earlier)?;
    let is_new = |step: &&Case| {
        let mut others = failed.iter().flat_map(|one| &one.steps);
        step.succeeded && !others.any(|other| other.call == step.call)
    };
    let mut calls: Vec<CallAt> = Vec::new();
    for step in attempt.steps.iter().rev().filter(is_new) {
        if calls.len() < MOST_CALLS && !calls.iter().any(|call| call.normal == step.call) {
            calls.push(CallAt::of(step));
        }
    }
    calls.reverse();
    (!calls.is_empty()).then(|| DerivedLesson {
        calls,
        times: failed.len(),
        ..DerivedLesson::of(Rule::Difference, attempt)
    })
}

/// The first two neighbouring calls of a success that the failed attempts before it made the other way round.
fn order(attempt: &Trajectory, earlier: &[&Trajectory]) -> Option<DerivedLesson> {
    let failed = failed_before(attempt, earlier)?;
    let done: Vec<&Case> = attempt.steps.iter().filter(|step| step.succeeded).collect();
    let first = |of: &Trajectory, call: &str| of.steps.iter().position(|step| step.call == call);
    let is_turned = |one: &str, next: &str| {
        one != next
            && failed.iter().all(|other| {
                let places = first(other, one).zip(first(other, next));
                places.is_some_and(|(one, next)| next < one)
            })
    };
    let pairs = done.windows(2);
    let mut turned = pairs.filter(|pair| is_turned(&pair[0].call, &pair[1].call));
    let pair = turned.next()?;
    Some(DerivedLesson {
        calls: pair.iter().map(|step| CallAt::of(step)).collect(),
        times: failed.len(),
        ..DerivedLesson::of(Rule::Order, attempt)
    })
}

/// The failed attempts before one that succeeded; `None` if it did not, or there are none.
fn failed_before<'one>(
    attempt: &Trajectory,
    earlier: &[&'one Trajectory],
) -> Option<Vec<&'one Trajectory>> {
    let has_failed = |one: &&&Trajectory| !one.succeeded && !one.steps.is_empty();
    let failed: Vec<_> = earlier.iter().filter(has_failed).copied().collect();
    (attempt.succeeded && !failed.is_empty()).then_some(failed)
}

/// The call that failed most, at least twice, here and before, and never succeeded.
fn failing_call(attempt: &Trajectory, earlier: &[&Trajectory]) -> Option<DerivedLesson> {
    let all = || all_steps(attempt, earlier);
    let is_failing = |step: &&Case| {
        let same = || all().filter(|other| other.call == step.call);
        !step.succeeded && same().count() >= AGAIN && !same().any(|other| other.succeeded)
    };
    let times = |step: &&Case| all().filter(|other| other.call == step.call).count();
    let step = attempt.steps.iter().filter(is_failing).max_by_key(times)?;
    Some(DerivedLesson {
        error: step.error.clone(),
        failed: Some(CallAt::of(step)),
        calls: vec![CallAt::of(step)],
        times: times(&step),
        ..DerivedLesson::of(Rule::FailingCall, attempt)
    })
}

/// The error that occurred most, at least twice, here and before, and after which nothing succeeded here.
fn lasting_error(attempt: &Trajectory, earlier: &[&Trajectory]) -> Option<DerivedLesson> {
    if attempt.succeeded {
        return None;
    }
    let times = |step: &&Case| {
        let same = all_steps(attempt, earlier).filter(|other| other.error == step.error);
        same.count()
    };
    let after = attempt.steps.iter().rposition(|step| step.succeeded);
    let unended = &attempt.steps[after.map_or(0, |place| place + 1)..];
    let lasting = unended.iter().filter(|step| !step.error.is_empty());
    let step = lasting
        .max_by_key(times)
        .filter(|step| times(step) >= AGAIN)?;
    Some(DerivedLesson {
        error: step.error.clone(),
        failed: Some(CallAt::of(step)),
        times: times(&step),
        ..DerivedLesson::of(Rule::LastingError, attempt)
    })
}

fn all_steps<'one>(
    attempt: &'one Trajectory,
    earlier: &'one [&Trajectory],
) -> impl Iterator<Item = &'one Case> {
    let before = earlier.iter().flat_map(|one| &one.steps);
    attempt.steps.iter().chain(before)
}
