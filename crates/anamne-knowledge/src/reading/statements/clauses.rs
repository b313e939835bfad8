//! Statements by the clause patterns of [`super::rules`].

use anamne_types::EntityType;

use super::items::{Kind, Phrase, Sentence};
use super::rules::{self, Rule, Want};
use super::verbs::{self, Group};
use super::{Writer, sure};
use crate::reading::Term;
use crate::reading::gazetteer::Class;

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
        replaced(writer, verb);
    }
}

/// Reads one clause by a rule; whether it fits.
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
    let object_at = skip_small(sentence, object_at, rule);
    let group = group_of(sentence, verb, rule);
    let group = if sentence.lower(verb) == "stand" {
        cannot_stand(sentence, verb)
    } else {
        group
    };
    let Some(group) = group.filter(|group| {
        !group.unreal && !group.future && !verbs::is_conditional(sentence, group.start)
    }) else {
        return false;
    };
    let since = matches!(sentence.lower(verb), "lived" | "headed" | "chaired");
    if since && matches!(rule.relation, "lives_in" | "leads") && !rule.passive && !group.perfect {
        return false;
    }
    let state = matches!(
        rule.relation,
        "lives_in" | "works_at" | "owns" | "leads" | "runs_on" | "uses" | "likes"
    ) && group.past
        && group.be
        && !rule.passive;
    if state {
        return false;
    }
    let Some(object) = object_for(sentence, object_at, rule) else {
        return false;
    };
    let object = named_beside(sentence, object);
    if matches!(sentence.lower(verb), "liked" | "loved" | "enjoyed")
        && object.entity_type().is_none()
    {
        return false;
    }
    let subjects = subjects_for(writer, group.start, rule);
    if subjects.is_empty() {
        return false;
    }
    // "We're called" gives a group's name, not the writer's.
    if rule.relation == "alias_of"
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

/// `a startup, Sunpatch, …` and `a startup called Sunpatch` mean what has the name.
fn named_beside(sentence: &Sentence<'_>, object: Phrase) -> Phrase {
    let end = object.items.end;
    let joined = matches!(sentence.lower(end), "," | "called" | "named");
    let closed =
        sentence.lower(end) != "," || matches!(sentence.lower(end + 2), "," | "." | ";" | "");
    let Some(name) = sentence.mention(end + 1).filter(|name| {
        joined
            && closed
            && matches!(
                name.entity_type,
                EntityType::Organisation | EntityType::Project | EntityType::Tool
            )
    }) else {
        return object;
    };
    if object.entity_type().is_some() {
        return object;
    }
    Phrase {
        term: Term::Entity(name.name.clone(), name.entity_type),
        items: object.items.start..end + 2,
        ..object
    }
}

fn write(
    writer: &mut Writer<'_, '_>,
    subject: &Phrase,
    object: &Phrase,
    rule: &Rule,
    group: Group,
    confidence: f32,
) {
    let confidence = sure(subject, sure(object, confidence));
    let around =
        subject.items.start.min(object.items.start)..object.items.end.max(subject.items.end);
    let (about, other) = if rule.swapped {
        (object, subject)
    } else {
        (subject, object)
    };
    let named = as_thing(about, rule.swapped);
    let about = named.as_ref().unwrap_or(about);
    let number = (rule.relation == "has_version").then(|| Phrase {
        term: version_of(&other.term),
        ..other.clone()
    });
    let other = number.as_ref().unwrap_or(other);
    let relation = match (rule.relation, subject.entity_type(), object.entity_type()) {
        ("member_of", Some(EntityType::Person), Some(EntityType::Organisation))
            if writer.sentence.lower(object.items.start.saturating_sub(1)) == "joined"
                && !is_club(&object.term) =>
        {
            "works_at"
        }
        (relation, ..) => relation,
    };
    writer.tell(
        &about.term,
        relation,
        &other.term,
        around,
        group,
        confidence,
    );
}

fn is_club(term: &Term) -> bool {
    let (Term::Entity(name, _) | Term::Value(name)) = term;
    name.split(' ').next_back().is_some_and(|last| {
        one_of!(
            &*last.to_lowercase(),
            "club" "gym" "forum" "program" "programme" "community" "class" "course" "troupe"
            "circle" "team" "band" "choir" "league" "association" "party" "church" "group" "society"
            "network" "orchestra" "verein"
        )
    })
}

/// A thing in words such as `the memory leak`, where it is what a statement is about.
fn as_thing(phrase: &Phrase, swapped: bool) -> Option<Phrase> {
    match &phrase.term {
        Term::Value(text) if swapped && phrase.definite => Some(Phrase {
            term: Term::Entity(text.clone(), EntityType::Concept),
            ..phrase.clone()
        }),
        _ => None,
    }
}

/// The group of a verb, where it is of the right voice.
fn group_of(sentence: &Sentence<'_>, verb: usize, rule: &Rule) -> Option<Group> {
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
    let participle = rule.passive;
    let be = group.be;
    let progressive = lower.ends_with("ing");
    match (participle, be, progressive) {
        (true, false, _) => None,
        (false, true, false) => (matches!(lower, "been")
            || (rule.relation == "scheduled_for")
            || (rule.relation == "happened_on")
            || matches!(lower, "moved" | "enrolled" | "started"))
        .then_some(group),
        (false, false, true) if !group.perfect => None,
        _ => Some(group),
    }
}

/// `can't stand` is no want of strength.
fn cannot_stand(sentence: &Sentence<'_>, verb: usize) -> Option<Group> {
    let start = verb.checked_sub(1)?;
    matches!(sentence.lower(start), "can't" | "cannot").then(|| Group {
        start,
        ..Group::default()
    })
}

/// Small words that may stand between a verb and its object: `about`, `around`.
fn skip_small(sentence: &Sentence<'_>, at: usize, rule: &Rule) -> usize {
    let skip = match rule.object {
        Want::Date | Want::DateOrVersion => matches!(
            sentence.lower(at),
            "on" | "the" | "about" | "around" | "early" | "late" | "in"
        ),
        _ => false,
    };
    // "from 4 to 18 September"
    if rule.object == Want::DateOrVersion
        && sentence.is(at, Kind::Number)
        && sentence.lower(at + 1) == "to"
    {
        return at + 2;
    }
    if rule.object == Want::DateOrVersion
        && sentence.mention(at).is_some()
        && sentence.lower(at + 1) == "to"
        && sentence.lower(at.wrapping_sub(1)) == "from"
    {
        return at + 2;
    }
    at + usize::from(skip)
}

fn object_for(sentence: &Sentence<'_>, at: usize, rule: &Rule) -> Option<Phrase> {
    let object = sentence.object(at)?;
    let kind = object.entity_type();
    if !rule.object.accepts(kind) {
        return None;
    }
    if sentence.items[object.items.start].quoted {
        return None;
    }
    let Term::Value(text) = &object.term else {
        return Some(object);
    };
    let words = text.split(' ').count();
    let likes = matches!(rule.relation, "likes" | "dislikes" | "prefers");
    let first = sentence.lower(object.items.start);
    let verbal =
        first.ends_with("ing") || sentence.class(object.items.start).is(Class::PERSON_VERB);
    // "I prefer simple, minimal tools" goes on after the comma, and "what I love makes it fun" after the verb.
    let cut = rule.relation == "prefers" && sentence.lower(object.items.end) == ",";
    if likes && (cut || matches!(first, "makes" | "made" | "gives" | "helps" | "means")) {
        return None;
    }
    if likes && first.ends_with("ing") && words <= 3 {
        // "running my own studio" is more than running.
        let (whole, end) = sentence.rest_of_clause(object.items.start, 9)?;
        let term = Term::Value(whole);
        return Some(Phrase {
            term,
            items: object.items.start..end,
            ..object
        });
    }
    if !likes && rule.relation != "caused_by" && text.split(' ').any(super::being::is_judgement) {
        return None;
    }
    let accepted = match rule.relation {
        "likes" | "dislikes"
            if text.split(' ').any(|word| {
                matches!(
                    word,
                    "all" | "like" | "especially" | "lately" | "ones" | "together"
                )
            }) =>
        {
            false
        }
        "likes" | "dislikes" => {
            words <= 4
                && !object.definite
                && !matches!(
                    sentence.lower(object.items.end),
                    "is" | "are" | "was" | "'s" | "how" | "when" | "of"
                )
        }
        "prefers" => {
            words <= 4
                && !matches!(
                    sentence.lower(object.items.end),
                    "is" | "are" | "was" | "'s" | "how" | "when"
                )
        }
        "member_of" => is_club(&object.term),
        "attended" => is_event(sentence.lower(object.items.end - 1)),
        "created" | "works_on" => {
            object.definite
                && (2..=4).contains(&words)
                && !matches!(sentence.lower(object.items.end), "of")
        }
        "uses" => {
            words <= 3
                && (object.definite || !verbal)
                && !(first.ends_with("ing") && words > 1)
                && !matches!(sentence.lower(object.items.end), "to" | "of")
        }
        _ => object.definite && words <= 4 && !matches!(sentence.lower(object.items.end), "of"),
    };
    let dated = sentence
        .mention(object.items.end)
        .is_some_and(|mention| mention.entity_type == EntityType::Date);
    let ends_well = likes
        || dated
        || sentence.ends_clause(object.items.end)
        || one_of!(
            sentence.lower(object.items.end),
            "and" "for" "in" "on" "at" "with" "from" "to" "by" "over" "or" "since" "until" "as"
        );
    (accepted && ends_well).then_some(object)
}

/// Whether a word names something that one goes to.
fn is_event(lower: &str) -> bool {
    one_of!(
        lower,
        "conference" "workshop" "parade" "meetup" "class" "concert" "festival" "wedding" "funeral"
        "seminar" "lecture" "exhibition" "retreat" "fair" "gala" "fundraiser" "reunion" "tournament"
        "match" "training" "webinar" "party" "ceremony" "camp" "rally" "protest" "screening"
        "graduation"
    )
}

fn objects(sentence: &Sentence<'_>, first: &Phrase, rule: &Rule) -> Vec<Phrase> {
    let lists = one_of!(
        rule.relation,
        "uses" "owns" "likes" "dislikes" "depends_on" "leads" "created" "visited" "works_on"
    );
    if !lists {
        return vec![first.clone()];
    }
    let mut all = sentence.more_objects(first);
    all.retain(|object| rule.object.accepts(object.entity_type()));
    all
}

fn subjects_for(writer: &Writer<'_, '_>, verb: usize, rule: &Rule) -> Vec<Phrase> {
    let sentence = writer.sentence;
    let mut subjects = sentence.subjects(verb);
    if subjects.is_empty()
        && let Some(before) = verb.checked_sub(1)
        && matches!(sentence.lower(before), "and" | "but")
    {
        // "Mara lives in Bern and works at the mill": the clause before tells who.
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
                ) => Some(Phrase {
                    term: last.subject.clone(),
                    items: before..before,
                    confidence: 0.85,
                    definite: true,
                }),
                _ => None,
            })
            .into_iter()
            .collect();
    }
    if subjects.is_empty() {
        subjects.extend(left_out(sentence, verb));
    }
    subjects.retain(|subject| rule.subject.accepts(subject.entity_type()));
    if rule.relation == "scheduled_for" {
        // "Anna starts Monday" says what Anna does, and not when there is an Anna.
        subjects.retain(|subject| subject.entity_type() != Some(EntityType::Person));
    }
    subjects
}

/// Who writes, where a note leaves that out: `just moved to Austin`.
fn left_out(sentence: &Sentence<'_>, verb: usize) -> Option<Phrase> {
    let begins = (0..verb).all(|at| {
        one_of!(
            sentence.lower(at),
            "just" "finally" "also" "recently" "today" "yesterday" "ok" "okay" "so" "btw" ","
        )
    });
    // The group of the verb may begin with an adverb.
    let past = (verb..verb + 3).any(|at| {
        one_of!(
            sentence.lower(at),
            "moved" "visited" "attended" "bought" "went" "flew" "started" "joined" "switched"
            "migrated" "landed" "arrived" "climbed" "hiked" "ran"
        )
    });
    let term = sentence.author.clone().filter(|_| begins && past)?;
    Some(Phrase {
        term,
        items: verb..verb,
        confidence: 0.75,
        definite: true,
    })
}

/// `moved from Denver to Austin`.
fn moved(writer: &mut Writer<'_, '_>, verb: usize, group: Group, to: &Phrase) {
    let sentence = writer.sentence;
    let mut subjects = sentence.subjects(group.start);
    if subjects.is_empty() {
        subjects.extend(left_out(sentence, group.start));
    }
    for subject in subjects
        .iter()
        .filter(|subject| subject.entity_type() == Some(EntityType::Person))
    {
        writer.tell(
            &subject.term,
            "moved_to",
            &to.term,
            subject.items.start..to.items.end.max(verb),
            group,
            0.85 * subject.confidence,
        );
    }
}

/// `switched from X to Y`, `replaced X with Y`, `renamed X to Y`, `upgraded X to 3.2`, `moved the release to Friday`.
fn replaced(writer: &mut Writer<'_, '_>, verb: usize) {
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
    let from = if sentence.lower(first.items.end) == "from" {
        2
    } else {
        0
    };
    let joint = first.items.end + from;
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
    if group.unreal || group.future || group.negated || verbs::is_conditional(sentence, group.start)
    {
        return;
    }
    if lower == "moved"
        && first.entity_type() == Some(EntityType::Place)
        && second.entity_type() == Some(EntityType::Place)
    {
        moved(writer, verb, group, &second);
        return;
    }
    let relation = match (lower, second.entity_type()) {
        ("upgraded" | "updated" | "bumped", Some(EntityType::Version)) => "has_version",
        (
            "moved" | "postponed" | "pushed" | "rescheduled" | "delayed" | "deferred",
            Some(EntityType::Date | EntityType::Version),
        ) if first.entity_type() != Some(EntityType::Date) => "scheduled_for",
        (
            "switched" | "migrated" | "moved" | "swapped" | "traded" | "dropped" | "ditched",
            Some(_),
        ) if first
            .entity_type()
            .is_some_and(|kind| Want::Technical.accepts(Some(kind))) =>
        {
            "replaced_by"
        }
        ("replaced" | "renamed", Some(_)) if first.entity_type().is_some() => "replaced_by",
        _ => return,
    };
    if relation == "replaced_by"
        && !second
            .entity_type()
            .is_some_and(|kind| Want::Technical.accepts(Some(kind)) || kind == EntityType::Person)
    {
        return;
    }
    let subject = match (&first.term, first.definite) {
        (Term::Value(text), true) => Term::Entity(text.clone(), EntityType::Concept),
        (Term::Entity(..), _) => first.term.clone(),
        _ => return,
    };
    let object = if relation == "has_version" {
        version_of(&second.term)
    } else {
        second.term.clone()
    };
    let around = first.items.start..second.items.end;
    writer.tell(
        &subject,
        relation,
        &object,
        around,
        group,
        sure(&first, 0.8),
    );
}

/// `3.2` of `PostgreSQL 3.2`.
fn version_of(term: &Term) -> Term {
    let (Term::Entity(name, _) | Term::Value(name)) = term;
    Term::Value(name.rsplit(' ').next().unwrap_or(name).to_owned())
}
