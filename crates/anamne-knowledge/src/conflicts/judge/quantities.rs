//! Decides whether two values belong to the same property and exclude each other.

use crate::conflicts::claim::{Claim, Quantity, Topic};
use anamne_types::{ConflictKind, RelationType};

use super::{Conflict, same_author};
use crate::conflicts::quantities::ENVIRONMENT;
use crate::conflicts::relations::{BESIDE, is_same_value, relation_of};
use crate::conflicts::values::is_schedule;

/// Relative difference up to which values count as equal if one of them is approximate.
const ABOUT: f64 = 0.1;

/// Verbs of rescheduling.
const MOVES: &str = "move push postpone reschedule delay shift extend change";

/// The weight of a name.
const NAME: u8 = 14;

/// Minimum weight of a term that is evidence that two claims are about the same thing.
const TELLING: u8 = 6;

pub(super) fn judge_quantities(
    earlier: &Claim,
    before: &Quantity,
    later: &Claim,
    after: &Quantity,
) -> Option<Conflict> {
    if before.dimension == "name" && after.dimension == "name" {
        return judge_names(earlier, before, later, after);
    }
    if let Some(relation) = relation_of(&before.dimension) {
        let same_property = before.dimension == after.dimension && earlier.about == later.about;
        let differs = same_property && !is_same_value(&before.written, &after.written);
        let beside = !later.changed && after.qualifiers.iter().any(|word| word == BESIDE);
        return (differs && !beside).then(|| judge_relation(&relation, earlier, later));
    }
    if !same_dimension(earlier, before, later, after)
        || same_value(before, after)
        || before.target != after.target
        || parted(before, after)
        || name_different_things(earlier, later)
        || have_other_holders(earlier, later)
    {
        return None;
    }
    let counted = before
        .dimension
        .strip_prefix("count:")
        .or(after.dimension.strip_prefix("count:"));
    let both_count = counted.is_some() && before.dimension == after.dimension;
    if both_count && differ(earlier, before, later, after) {
        return None;
    }
    let likeness = likeness(earlier, later, counted)?;
    let telling = counted.is_some_and(|noun| {
        later
            .about
            .iter()
            .any(|topic| topic.term == noun && topic.weight >= TELLING)
    });
    let confidence = confidence(before, later, after, telling, &likeness)?;
    let kind = if same_author(earlier, later) {
        ConflictKind::Superseded
    } else {
        ConflictKind::Contested
    };
    Some(Conflict {
        kind,
        confidence,
        reason: format!("“{}”, later “{}”", earlier.quote, later.quote),
    })
}

/// The conflict of two names for the same property of the same speaker.
fn judge_names(
    earlier: &Claim,
    before: &Quantity,
    later: &Claim,
    after: &Quantity,
) -> Option<Conflict> {
    let same_property = earlier.about.len() == later.about.len()
        && earlier
            .about
            .iter()
            .all(|topic| later.about.contains(topic));
    let (one, other) = (before.written.to_lowercase(), after.written.to_lowercase());
    if !same_property
        || !same_author(earlier, later)
        || one.contains(&other)
        || other.contains(&one)
    {
        return None;
    }
    Some(Conflict {
        kind: ConflictKind::Superseded,
        confidence: if later.changed { 0.85 } else { 0.6 },
        reason: format!("“{}”, later “{}”", earlier.quote, later.quote),
    })
}

/// The conflict of two values of a relation that has one at a time.
fn judge_relation(relation: &RelationType, earlier: &Claim, later: &Claim) -> Conflict {
    let lasts_for_ever = *relation == RelationType::BornOn;
    let kind = if same_author(earlier, later) && !lasts_for_ever {
        ConflictKind::Superseded
    } else {
        ConflictKind::Contested
    };
    Conflict {
        kind,
        confidence: if later.changed { 0.8 } else { 0.6 },
        reason: format!("“{}”, later “{}”", earlier.quote, later.quote),
    }
}

fn same_dimension(earlier: &Claim, before: &Quantity, later: &Claim, after: &Quantity) -> bool {
    let names = |claim: &Claim, dimension: &str| {
        dimension
            .strip_prefix("count:")
            .is_some_and(|noun| claim.about.iter().any(|topic| topic.term == noun))
    };
    before.dimension == after.dimension
        || (before.dimension == "number" && names(earlier, &after.dimension))
        || (after.dimension == "number" && names(later, &before.dimension))
}

fn same_value(before: &Quantity, after: &Quantity) -> bool {
    let difference = (before.value - after.value).abs();
    let larger = before.value.abs().max(after.value.abs());
    let approximate = before.approximate || after.approximate;
    let distinct_days = is_schedule(&before.dimension);
    difference
        <= larger
            * if approximate && !distinct_days {
                ABOUT
            } else {
                1e-9
            }
}

/// Whether the words show that these are two different things: another sprint, another day.
fn parted(before: &Quantity, after: &Quantity) -> bool {
    // `the draft has 80 pages`, `the outline has 12 pages`
    let holder = |quantity: &Quantity| quantity.phrases.get(1).map(|phrase| phrase[0].clone());
    let knows = |quantity: &Quantity, term: &String| {
        quantity.phrases.iter().flatten().any(|known| known == term)
    };
    let only_have = before.verb.is_empty() && after.verb.is_empty();
    let other_holder = only_have
        && before.dimension == after.dimension
        && holder(before)
            .zip(holder(after))
            .is_some_and(|(one, other)| !knows(after, &one) && !knows(before, &other));
    let other_sort = before.phrases.iter().any(|one| {
        after
            .phrases
            .iter()
            .any(|other| one[0] == other[0] && apart(&one[1..], &other[1..]))
    });
    let other = |quantity: &Quantity| quantity.qualifiers.iter().any(|word| word == "other");
    let environment = |quantity: &Quantity| {
        let mut names = quantity.qualifiers.iter();
        names.find(|word| word.starts_with(ENVIRONMENT)).cloned()
    };
    other(before) != other(after)
        || environment(before) != environment(after)
        || other_holder
        || other_sort
        || apart(&before.qualifiers, &after.qualifiers)
}

/// Whether each has a name that the other lacks: `the office in Porto`, `the office in Graz`.
fn name_different_things(earlier: &Claim, later: &Claim) -> bool {
    let alone = |claim: &Claim, other: &Claim| {
        claim.about.iter().any(|topic| {
            topic.weight >= NAME
                && !other.about.iter().any(|known| known.term == topic.term)
                && other.context.binary_search(&topic.term).is_err()
        })
    };
    alone(earlier, later) && alone(later, earlier)
}

/// Whether the values are those of two things: `Ember`, `Ember Labs`, `Ember's supplier`.
fn have_other_holders(earlier: &Claim, later: &Claim) -> bool {
    let (Some(one), Some(other)) = (earlier.subject.first(), later.subject.first()) else {
        return false;
    };
    let knows = |claim: &Claim, term: &String| claim.about.iter().any(|topic| topic.term == *term);
    let more = |claim: &Claim, than: &Claim| {
        claim
            .subject
            .iter()
            .any(|term| !than.subject.contains(term))
    };
    if one == other {
        more(earlier, later) && more(later, earlier)
    } else {
        !(knows(later, one) && knows(earlier, other))
    }
}

/// Whether both sorted lists are non-empty and disjoint.
fn apart(one: &[String], other: &[String]) -> bool {
    let common = one.iter().any(|term| other.binary_search(term).is_ok());
    !one.is_empty() && !other.is_empty() && !common
}

/// Whether only one specifies what sort is counted, and the other doesn't mention that sort.
fn differ(earlier: &Claim, before: &Quantity, later: &Claim, after: &Quantity) -> bool {
    let speaks_of = |claim: &Claim, terms: &[String]| {
        terms.iter().any(|term| {
            claim.context.binary_search(term).is_ok()
                || claim.about.iter().any(|topic| topic.term == *term)
        })
    };
    let sort = |quantity: &Quantity| {
        quantity
            .phrases
            .first()
            .map_or(Vec::new(), |phrase| phrase[1..].to_vec())
    };
    let (one, other) = (sort(before), sort(after));
    match (one.is_empty(), other.is_empty()) {
        (true, false) => !speaks_of(earlier, &other),
        (false, true) => !speaks_of(later, &one),
        _ => false,
    }
}

struct Likeness {
    /// Whether the heads are the same.
    head: bool,
    /// Significant terms in both topics, without the head or the counted noun; those in one topic and only in the other's
    /// sentence count half.
    shared: f32,
    /// Other terms that are in the sentences of both.
    context: usize,
    /// `shared` divided by the number of significant terms of the shorter topic.
    overlap: f32,
}

fn likeness(earlier: &Claim, later: &Claim, counted: Option<&str>) -> Option<Likeness> {
    let head = |claim: &Claim| {
        counted
            .map(str::to_owned)
            .or_else(|| claim.about.first().map(|topic| topic.term.clone()))
    };
    let (first, second) = (head(earlier)?, head(later)?);
    let telling = |claim: &Claim, head: &str| -> Vec<String> {
        claim
            .about
            .iter()
            .filter(|topic: &&Topic| topic.weight >= TELLING && topic.term != head)
            .map(|topic| topic.term.clone())
            .collect()
    };
    let known = |claim: &Claim, term: &str| claim.about.iter().any(|topic| topic.term == term);
    let same_head = first == second;
    if !same_head && !known(later, &first) && !known(earlier, &second) {
        return None;
    }
    let (mine, theirs) = (telling(earlier, &first), telling(later, &first));
    let both = mine.iter().filter(|term| theirs.contains(term)).count();
    let beside = |claim: &Claim, term: &String| claim.context.binary_search(term).is_ok();
    let halves = mine.iter().filter(|term| beside(later, term)).count()
        + theirs.iter().filter(|term| beside(earlier, term)).count();
    let shared = both as f32 + halves as f32 * 0.5;
    let smaller = mine.len().min(theirs.len()).max(1);
    let everything = |claim: &Claim, term: &String| known(claim, term) || beside(claim, term);
    let context = earlier
        .context
        .iter()
        .chain(&mine)
        .filter(|term| everything(later, term) && **term != first)
        .count()
        .saturating_sub(both);
    Some(Likeness {
        head: same_head,
        shared,
        context,
        overlap: shared / smaller as f32,
    })
}

/// Whether a value is a measured amount: `the query takes 40 ms`.
fn is_measured(quantity: &Quantity) -> bool {
    let bare = matches!(quantity.dimension.as_str(), "percent" | "number");
    !bare && !quantity.dimension.starts_with("count:") && !is_schedule(&quantity.dimension)
}

/// Whether both have terms beside what is counted, and none in common.
fn beside_others(before: &Quantity, after: &Quantity) -> bool {
    let rest = |quantity: &Quantity| {
        let mut terms: Vec<String> = quantity.phrases.iter().skip(1).flatten().cloned().collect();
        terms.sort_unstable();
        terms
    };
    apart(&rest(before), &rest(after))
}

/// Whether all phrases of one claim, with at least two terms, are among those of the other.
fn says_the_same(before: &Quantity, after: &Quantity) -> bool {
    let within = |one: &Quantity, other: &Quantity| {
        one.phrases
            .iter()
            .all(|phrase| other.phrases.contains(phrase))
    };
    let terms = |quantity: &Quantity| quantity.phrases.iter().map(Vec::len).sum::<usize>();
    terms(before).min(terms(after)) >= 2 && (within(before, after) || within(after, before))
}

/// Confidence that the later value supersedes the earlier one; `None` if it doesn't.
fn confidence(
    before: &Quantity,
    later: &Claim,
    after: &Quantity,
    telling: bool,
    likeness: &Likeness,
) -> Option<f32> {
    let continues = after
        .before
        .is_some_and(|old| (old - before.value).abs() < 1e-9);
    if continues && likeness.head {
        return Some(0.95);
    }
    let same_period = !before.period.is_empty() && before.period == after.period;
    let (shared, overlap) = (likeness.shared, likeness.overlap);
    if later.changed && likeness.head && shared >= 1.0 && overlap >= 0.5 {
        return Some(0.7 + 0.05 * shared.min(4.0));
    }
    let counts = after.dimension == "number" || after.dimension.starts_with("count:");
    if later.changed && likeness.head && counts && shared >= 0.5 && likeness.context >= 2 {
        return Some(0.6);
    }
    if later.changed
        && likeness.head
        && telling
        && likeness.context >= 3
        && !beside_others(before, after)
    {
        return Some(0.55);
    }
    if later.changed && shared >= 2.0 {
        return Some(0.7);
    }
    let grows = after.cumulative && before.value < after.value;
    let same_result = before.verb == after.verb || shared >= 2.0;
    if grows && same_result && shared >= 1.0 && overlap >= 0.5 {
        return Some(0.65);
    }
    if later.changed && says_the_same(before, after) {
        return Some(0.65);
    }
    let same_thing = before.phrases.first() == after.phrases.first()
        && !before.phrases.is_empty()
        && !beside_others(before, after);
    let moved = is_schedule(&after.dimension)
        && MOVES
            .split_ascii_whitespace()
            .any(|verb| verb == after.verb);
    let tallied = grows && before.verb == after.verb;
    if later.changed && same_thing && (moved || tallied || before.single && after.single) {
        return Some(0.6);
    }
    let states = before.verb.is_empty() && after.verb.is_empty() && (telling || is_measured(after));
    if later.changed && same_thing && states {
        return Some(0.55);
    }
    if tallied && shared >= 0.5 && likeness.context >= 3 && !beside_others(before, after) {
        return Some(0.55);
    }
    if same_period && before.verb == after.verb && !after.verb.is_empty() && likeness.head {
        return Some(0.65);
    }
    if before.single && after.single && likeness.head && shared >= 1.0 && overlap >= 1.0 {
        return Some(0.6);
    }
    None
}
