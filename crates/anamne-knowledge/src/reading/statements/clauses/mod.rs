//! Statements from clause patterns: a verb with its subject and object.

mod objects;
mod replacing;
mod rules;

use anamne_types::{EntityType, RelationType};

use self::objects::{is_club, object_for, objects};
use self::rules::Rule;
use super::amounts::version_number;
use super::sentence::{Kind, Phrase, Sentence};
use super::verbs::{self, VerbGroup};
use super::{Writer, scaled_confidence};
use crate::reading::Term;

pub(super) fn read(writer: &mut Writer<'_, '_>) {
    for verb in 0..writer.sentence.items.len() {
        let item = &writer.sentence.items[verb];
        if item.kind != Kind::Word || item.quoted {
            continue;
        }
        for rule in rules::rules_of(item.lower) {
            if apply(writer, verb, rule) {
                break;
            }
        }
        replacing::read(writer, verb);
    }
}

/// Applies a rule to the clause of a verb; whether it matched.
fn apply(writer: &mut Writer<'_, '_>, verb: usize, rule: &Rule) -> bool {
    let sentence = writer.sentence;
    let Some(object_at) = rule
        .after
        .iter()
        .filter_map(|words| sentence.words_at(verb + 1, words))
        .max()
        .map(|length| verb + 1 + length)
    else {
        return false;
    };
    let group = if sentence.lower(verb) == "stand" {
        cannot_stand(sentence, verb)
    } else {
        group_of(sentence, verb, rule)
    };
    let Some(group) = group.filter(|group| !verbs::is_not_asserted(sentence, *group)) else {
        return false;
    };
    let since = matches!(sentence.lower(verb), "lived" | "headed" | "chaired");
    if since
        && matches!(rule.relation, RelationType::LivesIn | RelationType::Leads)
        && !rule.passive
        && !group.perfect
    {
        return false;
    }
    let state = matches!(
        rule.relation,
        RelationType::LivesIn
            | RelationType::WorksAt
            | RelationType::Owns
            | RelationType::Leads
            | RelationType::RunsOn
            | RelationType::Uses
            | RelationType::Likes
    ) && group.past
        && group.be
        && !rule.passive;
    if state {
        return false;
    }
    let Some(object) = object_for(sentence, object_at, rule) else {
        return false;
    };
    if matches!(sentence.lower(verb), "liked" | "loved" | "enjoyed")
        && object.entity_type().is_none()
    {
        return false;
    }
    let subjects = subjects_for(writer, group.start, rule);
    if subjects.is_empty() {
        return false;
    }
    // "We're called" gives a group's name, not the author's.
    if rule.relation == RelationType::AliasOf
        && subjects
            .iter()
            .any(|subject| sentence.lower(subject.items.start) == "we")
    {
        return false;
    }
    let confidence = rule.confidence * verbs::doubt(sentence, group.start);
    for subject in &subjects {
        for object in objects(sentence, &object, rule) {
            write(writer, subject, &object, rule, group, confidence);
        }
    }
    true
}

fn write(
    writer: &mut Writer<'_, '_>,
    subject: &Phrase,
    object: &Phrase,
    rule: &Rule,
    group: VerbGroup,
    confidence: f32,
) {
    let confidence = scaled_confidence(subject, scaled_confidence(object, confidence));
    let around =
        subject.items.start.min(object.items.start)..object.items.end.max(subject.items.end);
    let (about, other) = if rule.swapped {
        (object, subject)
    } else {
        (subject, object)
    };
    // `the memory leak` has no name, but is the subject of the statement.
    let about = match &about.term {
        Term::Value(text) if rule.swapped && about.definite => {
            Term::Entity(text.clone(), EntityType::Concept)
        }
        term => term.clone(),
    };
    let employs = rule.relation == RelationType::MemberOf
        && subject.is(EntityType::Person)
        && object.is(EntityType::Organisation)
        && writer.sentence.lower(object.items.start.saturating_sub(1)) == "joined"
        && !is_club(&object.term);
    let relation = if employs {
        RelationType::WorksAt
    } else {
        rule.relation.clone()
    };
    let other = match &other.term {
        Term::Entity(name, _) | Term::Value(name) if relation == RelationType::HasVersion => {
            version_number(name)
        }
        term => term.clone(),
    };
    writer.add(&about, relation, &other, around, group, confidence);
}

/// The group of a verb, if it has the voice that the rule requires.
fn group_of(sentence: &Sentence<'_>, verb: usize, rule: &Rule) -> Option<VerbGroup> {
    let mut group = verbs::group(sentence, verb);
    let lower = sentence.lower(verb);
    let noun = matches!(lower, "member" | "members" | "part" | "charge" | "fan");
    if noun {
        let mut at = verb.checked_sub(1)?;
        while one_of!(
            sentence.lower(at),
            "a" "an" "the" "in" "big" "huge" "great" "active" "founding" "proud" "longtime" "also"
            "board"
        ) {
            at = at.checked_sub(1)?;
        }
        let is = matches!(
            sentence.lower(at),
            "is" | "are" | "am" | "'m" | "'s" | "isn't" | "'re" | "aren't" | "not"
        );
        if !is {
            return None;
        }
        group = verbs::group(sentence, at + 1);
        return group.be.then_some(group);
    }
    if matches!(lower, "am" | "is" | "are" | "'m" | "'s") {
        return Some(group);
    }
    match (rule.passive, group.be, lower.ends_with("ing")) {
        (true, false, _) => None,
        (false, true, false) => (matches!(lower, "been" | "moved" | "enrolled" | "started")
            || matches!(
                rule.relation,
                RelationType::ScheduledFor | RelationType::HappenedOn
            ))
        .then_some(group),
        (false, false, true) if !group.perfect => None,
        _ => Some(group),
    }
}

/// `can't stand` means dislike, not inability.
fn cannot_stand(sentence: &Sentence<'_>, verb: usize) -> Option<VerbGroup> {
    let start = verb.checked_sub(1)?;
    matches!(sentence.lower(start), "can't" | "cannot").then(|| VerbGroup {
        start,
        ..VerbGroup::default()
    })
}

fn subjects_for(writer: &Writer<'_, '_>, verb: usize, rule: &Rule) -> Vec<Phrase> {
    let sentence = writer.sentence;
    let mut subjects = sentence.subjects(verb);
    if subjects.is_empty()
        && let Some(before) = verb.checked_sub(1)
        && matches!(sentence.lower(before), "and" | "but")
    {
        // "Mara lives in Bern and works at the mill": the subject is in the clause before.
        subjects = writer
            .found
            .last()
            .filter(|last| !last.negated)
            .and_then(|last| match &last.subject {
                Term::Entity(
                    _,
                    EntityType::Person
                    | EntityType::Organisation
                    | EntityType::Project
                    | EntityType::Tool
                    | EntityType::Concept,
                ) => Some(Phrase::of(last.subject.clone(), before..before, 0.85)),
                _ => None,
            })
            .into_iter()
            .collect();
    }
    if subjects.is_empty() {
        subjects.extend(omitted_subject(sentence, verb));
    }
    subjects.retain(|subject| rule.subject.accepts(subject.entity_type()));
    if rule.relation == RelationType::ScheduledFor {
        // "Anna starts Monday": Anna is not the event that is scheduled.
        subjects.retain(|subject| !subject.is(EntityType::Person));
    }
    subjects
}

/// The author, if a note omits the subject: `just moved to Austin`.
fn omitted_subject(sentence: &Sentence<'_>, verb: usize) -> Option<Phrase> {
    let begins = (0..verb).all(|at| {
        one_of!(
            sentence.lower(at),
            "just" "finally" "also" "recently" "today" "yesterday" "ok" "okay" "so" "btw" ","
        )
    });
    // The verb group may start with an adverb.
    let past = (verb..verb + 3).any(|at| {
        one_of!(
            sentence.lower(at),
            "moved" "visited" "attended" "bought" "went" "flew" "started" "joined" "switched"
            "migrated" "landed" "arrived" "climbed" "hiked" "ran"
        )
    });
    let term = sentence.author.clone().filter(|_| begins && past)?;
    Some(Phrase::of(term, verb..verb, 0.75))
}
