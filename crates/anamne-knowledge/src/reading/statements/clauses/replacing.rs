//! Replacements: `switched from X to Y`, `upgraded X to 3.2`.

use anamne_types::{EntityType, RelationType};

use super::omitted_subject;
use super::rules::ArgumentKind;
use crate::reading::Term;
use crate::reading::statements::amounts::version_number;
use crate::reading::statements::sentence::Phrase;
use crate::reading::statements::verbs::{self, VerbGroup};
use crate::reading::statements::{Writer, scaled_confidence};

/// `moved from Denver to Austin`.
fn moved(writer: &mut Writer<'_, '_>, verb: usize, group: VerbGroup, to: &Phrase) {
    let sentence = writer.sentence;
    let mut subjects = sentence.subjects(group.start);
    if subjects.is_empty() {
        subjects.extend(omitted_subject(sentence, group.start));
    }
    let end = to.items.end.max(verb);
    for subject in subjects.iter().filter(|one| one.is(EntityType::Person)) {
        let confidence = 0.85 * subject.confidence;
        writer.add_for_phrase(
            subject,
            RelationType::MovedTo,
            &to.term,
            end,
            group,
            confidence,
        );
    }
}

/// `switched from X to Y`, `replaced X with Y`, `renamed X to Y`, `upgraded X to 3.2`, `moved the release to Friday`.
pub(super) fn read(writer: &mut Writer<'_, '_>, verb: usize) {
    let sentence = writer.sentence;
    let lower = sentence.lower(verb);
    let (first_at, joints): (usize, &[&str]) = match lower {
        "switched" | "migrated" | "moved" if sentence.lower(verb + 1) == "from" => {
            (verb + 2, &["to"])
        }
        "switched" if sentence.lower(verb + 2) == "from" => (verb + 3, &["to"]),
        "swapped" | "traded" => (verb + 1, &["for"]),
        "dropped" | "ditched" => (
            verb + 1,
            &["and went with", "and use", "and switched to", "for"],
        ),
        "replaced" => (verb + 1, &["with", "by"]),
        "renamed" => (verb + 1, &["to", "into"]),
        "upgraded" | "updated" | "bumped" | "moved" | "postponed" | "pushed" | "rescheduled"
        | "delayed" | "deferred" => (verb + 1, &["to", "until"]),
        _ => return,
    };
    let Some(first) = sentence.object(first_at) else {
        return;
    };
    // "upgraded Django from 4.2 to 5.0"
    let from = sentence.lower(first.items.end) == "from";
    let joint = first.items.end + if from { 2 } else { 0 };
    let Some(length) = joints
        .iter()
        .find_map(|words| sentence.words_at(joint, words))
    else {
        return;
    };
    let Some(second) = sentence.object(joint + length) else {
        return;
    };
    let group = verbs::group(sentence, verb);
    if group.negated || verbs::is_not_asserted(sentence, group) {
        return;
    }
    if lower == "moved" && first.is(EntityType::Place) && second.is(EntityType::Place) {
        moved(writer, verb, group, &second);
        return;
    }
    let relation = match (lower, second.entity_type()) {
        ("upgraded" | "updated" | "bumped", Some(EntityType::Version)) => RelationType::HasVersion,
        (
            "moved" | "postponed" | "pushed" | "rescheduled" | "delayed" | "deferred",
            Some(EntityType::Date | EntityType::Version),
        ) if !first.is(EntityType::Date) => RelationType::ScheduledFor,
        (
            "switched" | "migrated" | "moved" | "swapped" | "traded" | "dropped" | "ditched",
            Some(_),
        ) if ArgumentKind::Technical.accepts(first.entity_type()) => RelationType::ReplacedBy,
        ("replaced" | "renamed", Some(_)) if first.entity_type().is_some() => {
            RelationType::ReplacedBy
        }
        _ => return,
    };
    let replaces =
        ArgumentKind::Technical.accepts(second.entity_type()) || second.is(EntityType::Person);
    if relation == RelationType::ReplacedBy && !replaces {
        return;
    }
    let subject = match (&first.term, first.definite) {
        (Term::Value(text), true) => Term::Entity(text.clone(), EntityType::Concept),
        (Term::Entity(..), _) => first.term.clone(),
        _ => return,
    };
    let object = match &second.term {
        Term::Entity(name, _) if relation == RelationType::HasVersion => version_number(name),
        term => term.clone(),
    };
    let around = first.items.start..second.items.end;
    let confidence = scaled_confidence(&first, 0.8);
    writer.add(&subject, relation, &object, around, group, confidence);
}
