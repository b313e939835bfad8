//! Decides whether a denial contradicts an action.

use crate::conflicts::claim::{Action, Aspect, Claim};
use anamne_types::ConflictKind;

use crate::conflicts::words::is_time;

use super::{Conflict, same_author};
use crate::conflicts::actions::{BE, OWN};

/// Minimum share of the denied topic that the action must cover.
const LEAST_COVERED: f32 = 0.66;

/// The same if the object of the action has the denied name: `a Leica M6` against `any Leica camera`.
const LEAST_NAMED: f32 = 0.55;

/// Heads below this weight are generic.
const TELLING: u8 = 6;

/// The weight of a name.
const NAME: u8 = 14;

/// Minimum weight of a name beside the object.
const NAME_ASIDE: u8 = 8;

pub(super) fn judge_actions(
    earlier: &Claim,
    before: &Action,
    later: &Claim,
    after: &Action,
) -> Option<Conflict> {
    let denied_first = before.aspect.is_negative();
    if denied_first == after.aspect.is_negative() {
        return None;
    }
    let (denial, denied, assertion, asserted) = if denied_first {
        (earlier, before, later, after)
    } else {
        (later, after, earlier, before)
    };
    let is_own = denial.subject.is_empty() || denial.subject.iter().any(|term| term == OWN);
    if denial.subject != assertion.subject || (is_own && !same_author(denial, assertion)) {
        return None;
    }
    let kind = kind(denied_first, denial, denied, assertion, asserted)?;
    let same_verb = denied.verb == asserted.verb;
    // `I've got the alarm installed` means having installed it.
    let by_participle = matches!(asserted.verb.as_str(), "get" | "have")
        && assertion
            .about
            .iter()
            .any(|topic| topic.term == denied.verb);
    if !same_verb && !by_participle && denied.groups & asserted.groups == 0 {
        return None;
    }
    let is_state = denied.verb == BE || asserted.verb == BE;
    let covered = if is_state {
        // What something is, is compared as a whole.
        (same_verb && denial.about == assertion.about).then_some(1.0)?
    } else {
        covered(denial, assertion, denied.aspect, same_verb)?
    };
    let sure = if asserted.aspect == Aspect::Underway {
        0.35
    } else {
        0.45
    };
    let confidence = sure + 0.25 * covered + if same_verb { 0.2 } else { 0.0 };
    let kind = if same_author(denial, assertion) {
        kind
    } else {
        ConflictKind::Contested
    };
    Some(Conflict {
        kind,
        confidence: confidence.min(0.95),
        reason: reason(kind, earlier, later),
    })
}

/// The kind of conflict, if the aspects oppose each other.
fn kind(
    denied_first: bool,
    denial: &Claim,
    denied: &Action,
    assertion: &Claim,
    asserted: &Action,
) -> Option<ConflictKind> {
    let opposed = match denied.aspect {
        Aspect::Never => asserted.aspect != Aspect::Underway || !denied_first,
        Aspect::NotDone => asserted.aspect == Aspect::Done,
        Aspect::NotOngoing => asserted.aspect == Aspect::Ongoing,
        Aspect::Ceased => {
            matches!(asserted.aspect, Aspect::Ongoing | Aspect::Underway)
                && (!denied_first || assertion.changed)
        }
        Aspect::Done | Aspect::Ongoing | Aspect::Underway => false,
    };
    if !opposed {
        return None;
    }
    let day = |claim: &Claim| claim.at.as_second().div_euclid(86_400);
    let told_of_earlier = asserted.day.is_some_and(|done| done + 1 < day(denial));
    Some(match (denied_first, denied.aspect) {
        (true, _) if told_of_earlier => ConflictKind::Contested,
        (true, _) | (false, Aspect::Ceased) => ConflictKind::Superseded,
        (false, _) if denial.changed => ConflictKind::Superseded,
        (false, _) => ConflictKind::Contested,
    })
}

/// The share of the denied topic that the assertion covers, if it is sufficient.
fn covered(denial: &Claim, assertion: &Claim, aspect: Aspect, same_verb: bool) -> Option<f32> {
    let head = denial.about.first()?;
    let in_about = |term: &str| {
        assertion
            .about
            .iter()
            .find(|topic| topic.term == term)
            .map(|topic| topic.weight)
    };
    let in_context = |term: &str| {
        assertion
            .context
            .binary_search_by(|known| known.as_str().cmp(term))
            .is_ok()
    };
    let names = assertion
        .about
        .first()
        .is_some_and(|first| first.weight >= NAME)
        && denial.about.iter().any(|topic| {
            topic.weight >= NAME && in_about(&topic.term).is_some_and(|weight| weight >= NAME)
        });
    // `a fundraising dinner` is a fundraising event.
    let any_sort = same_verb && aspect == Aspect::Never && head.weight < TELLING;
    if in_about(&head.term).is_none() && !names && !any_sort {
        return None;
    }
    let (mut whole, mut shared, mut direct) = (0.0_f32, 0.0_f32, 0.0_f32);
    for topic in &denial.about {
        let weight = f32::from(topic.weight);
        let is_name = topic.weight >= NAME_ASIDE && topic.weight != 10;
        whole += weight;
        if let Some(there) = in_about(&topic.term) {
            shared += weight;
            direct += weight.min(f32::from(there));
        } else if in_context(&topic.term) {
            // A recipient or a place must belong to the same action.
            shared += if is_name { 0.0 } else { weight * 0.8 };
            direct += if is_name { 0.0 } else { weight * 0.5 };
        }
    }
    // `not at work` is compatible with `at home`; `never` is not.
    let elsewhere = aspect != Aspect::Never && aside(denial, assertion) && aside(assertion, denial);
    // `not for the logs` is compatible with what holds in general.
    let narrower = match aspect {
        Aspect::NotOngoing => aside(denial, assertion),
        // `stopped in October` says when it ended.
        Aspect::Ceased => has_aside(denial, assertion, |term| !is_time(term)),
        _ => false,
    };
    if elsewhere || narrower {
        return None;
    }
    let least = match aspect {
        Aspect::Never => 8.0,
        _ => 10.0,
    };
    let covered = shared / whole;
    let least_covered = if names { LEAST_NAMED } else { LEAST_COVERED };
    (covered >= least_covered && direct >= least).then_some(covered)
}

/// Whether a claim has a term beside its object that the other lacks.
fn aside(claim: &Claim, other: &Claim) -> bool {
    has_aside(claim, other, |_| true)
}

fn has_aside(claim: &Claim, other: &Claim, counts: impl Fn(&str) -> bool) -> bool {
    claim.about.iter().any(|topic| {
        topic.weight < 10
            && counts(&topic.term)
            && !other.about.iter().any(|known| known.term == topic.term)
            && other.context.binary_search(&topic.term).is_err()
    })
}

fn reason(kind: ConflictKind, earlier: &Claim, later: &Claim) -> String {
    match kind {
        ConflictKind::Superseded => format!("“{}”, later “{}”", earlier.quote, later.quote),
        ConflictKind::Contested => format!("“{}” against “{}”", earlier.quote, later.quote),
    }
}
