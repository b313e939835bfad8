//! Relationships between people, and pets: `my sister Anna`, `Anna's husband Jonas`, `Anna is my boss`, `a dog named Rex`.

use std::ops::Range;

use anamne_types::{EntityType, RelationType};

use super::Writer;
use super::sentence::Sentence;
use super::verbs;
use crate::reading::Term;
use crate::reading::gazetteer::Class;

pub(super) fn read(writer: &mut Writer<'_, '_>) {
    for at in 0..writer.sentence.items.len() {
        let class = writer.sentence.class(at);
        couple(writer, at);
        if !class.is(Class::KIN) || writer.sentence.items[at].quoted {
            continue;
        }
        let Some((owner, first)) = owner_before(writer.sentence, at) else {
            pet(writer, at);
            continue;
        };
        let other =
            named_after(writer.sentence, at).or_else(|| named_before(writer.sentence, first));
        let Some((other, around)) = other else {
            continue;
        };
        if verbs::is_conditional(writer.sentence, first) {
            continue;
        }
        add(writer, &owner, at, &other, around);
    }
}

/// The person that `my` or `Anna's` before a word such as `sister` refers to, and its first item.
fn owner_before(sentence: &Sentence<'_>, kin: usize) -> Option<(Term, usize)> {
    let mut at = kin.checked_sub(1)?;
    let mut adjectives = 0;
    while adjectives < 3 && is_plain_adjective(sentence, at) {
        at = at.checked_sub(1)?;
        adjectives += 1;
    }
    match sentence.lower(at) {
        "my" | "our" => Some((sentence.author.clone()?, at)),
        "his" | "her" => Some((sentence.referent_at(at)?, at)),
        "'s" => {
            let owner = at.checked_sub(1)?;
            let person = sentence.names(owner, EntityType::Person);
            Some((sentence.term(owner)?, owner)).filter(|_| person)
        }
        _ => None,
    }
}

fn is_plain_adjective(sentence: &Sentence<'_>, at: usize) -> bool {
    one_of!(
        sentence.lower(at),
        "best" "old" "older" "oldest" "little" "younger" "youngest" "big" "elder" "eldest" "twin"
        "close" "closest" "good" "dear" "new" "former" "lovely" "beloved" "late" "middle" "own"
        "childhood" "college" "school" "first" "current" "direct" "longtime" "amazing" "wonderful"
        "golden" "pet"
    )
}

/// The person or pet named after the word: `my sister Anna`, `my sister, Anna`, `my sister's name is Anna`,
/// `my dog is called Rex`.
fn named_after(sentence: &Sentence<'_>, kin: usize) -> Option<(Term, Range<usize>)> {
    let mut at = kin + 1;
    let introduced = [
        "'s name is",
        "is called",
        "is named",
        "named",
        "called",
        "is",
        ":",
        "'s",
    ];
    let mut direct = true;
    for words in introduced {
        if let Some(length) = sentence.words_at(at, words).filter(|_| words != "'s") {
            at += length;
            direct = words != "is";
            break;
        }
    }
    let comma = sentence.lower(at) == ",";
    at += usize::from(comma);
    let mention = sentence.mention(at)?;
    let accepted = mention.entity_type == EntityType::Person
        || (direct && !comma && may_be_called(sentence, kin, at));
    let continues = comma && !matches!(sentence.lower(at + 1), "," | "." | "" | ")" | "and" | "!");
    let owned = sentence.lower(at + 1) == "'s" && comma;
    (accepted && !continues && !owned).then(|| {
        (
            Term::Entity(mention.name.clone(), EntityType::Person),
            kin..at + 1,
        )
    })
}

/// Whether a pet or person may have this name, even if it looks like a place or thing.
fn may_be_called(sentence: &Sentence<'_>, kin: usize, at: usize) -> bool {
    let mention = sentence.mention(at);
    mention.is_some_and(|mention| {
        !matches!(
            mention.entity_type,
            EntityType::Date
                | EntityType::Url
                | EntityType::Version
                | EntityType::File
                | EntityType::Organisation
        )
    }) && at == kin + 2
        && matches!(sentence.lower(kin + 1), "named" | "called")
}

/// The person named before the word: `Anna is my sister`, `Anna, my sister`, `Anna (my sister)`.
fn named_before(sentence: &Sentence<'_>, first: usize) -> Option<(Term, Range<usize>)> {
    let before = first.checked_sub(1)?;
    let at = match sentence.lower(before) {
        "is" | "was" | "'s" | "," | "(" => before.checked_sub(1)?,
        "also" | "still" | "now"
            if matches!(sentence.lower(before.checked_sub(1)?), "is" | "'s") =>
        {
            before.checked_sub(2)?
        }
        _ => return None,
    };
    let person = sentence
        .term(at)
        .filter(|_| sentence.names(at, EntityType::Person))?;
    // In "with Anna, my sister and Tom" the comma separates a list; in "Thanks Anna, my sister came" it follows a vocative.
    let vocative = sentence.lower(before) == ","
        && (at == 0 || sentence.class(at - 1).is(Class::BEFORE_PERSON));
    let close = sentence.lower(before) != ","
        || !sentence.items[first..]
            .iter()
            .take(6)
            .any(|item| item.lower == "and");
    (close && !vocative).then(|| (person, at..first + 2))
}

/// `Sarah and Tom got married`.
fn couple(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let relation = match sentence.lower(at) {
        "married" | "engaged" => RelationType::PartnerOf,
        "siblings" | "twins" => RelationType::SiblingOf,
        "friends" => RelationType::FriendOf,
        "colleagues" | "coworkers" | "teammates" => RelationType::ColleagueOf,
        _ => return,
    };
    if sentence.lower(at + 1) == "to" {
        return;
    }
    let group = verbs::group(sentence, at);
    let subjects = sentence.subjects(group.start);
    if let [right, left] = &subjects[..]
        && group.be
        && !group.unreal
        && !group.future
        && [left, right].iter().all(|one| one.is(EntityType::Person))
    {
        writer.add_for_phrase(left, relation, &right.term, at + 1, group, 0.85);
    }
}

fn add(writer: &mut Writer<'_, '_>, owner: &Term, kin: usize, other: &Term, around: Range<usize>) {
    let (relation, swapped) = match writer.sentence.lower(kin) {
        "wife" | "husband" | "spouse" | "partner" | "girlfriend" | "boyfriend" | "fiance"
        | "fiancee" | "fiancé" | "fiancée" => (RelationType::PartnerOf, true),
        "son" | "daughter" | "kid" | "child" | "stepson" | "stepdaughter" | "baby" => {
            (RelationType::ParentOf, false)
        }
        "mother" | "father" | "mom" | "mum" | "mama" | "dad" | "papa" | "mommy" | "daddy"
        | "stepmother" | "stepfather" => (RelationType::ParentOf, true),
        "brother" | "sister" | "twin" | "sibling" | "stepbrother" | "stepsister" => {
            (RelationType::SiblingOf, true)
        }
        "friend" | "bestie" | "buddy" | "pal" => (RelationType::FriendOf, true),
        "colleague" | "coworker" | "co-worker" | "teammate" | "boss" | "manager" | "supervisor" => {
            (RelationType::ColleagueOf, true)
        }
        "dog" | "cat" | "puppy" | "kitten" | "parrot" | "hamster" | "rabbit" | "horse" | "pony"
        | "guinea-pig" | "goldfish" | "tortoise" => (RelationType::HasPet, false),
        _ => return,
    };
    let (subject, object) = if swapped {
        (other, owner)
    } else {
        (owner, other)
    };
    writer.add_without_verb(subject, relation, object, around, 0.85);
}

/// `I have a dog named Rex`, `we adopted a cat, Minka`.
fn pet(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let animal = one_of!(
        sentence.lower(at),
        "dog" "cat" "puppy" "kitten" "parrot" "hamster" "rabbit" "horse" "pony" "tortoise"
    );
    let mut verb = at;
    while verb > 0
        && at - verb < 4
        && !matches!(
            sentence.lower(verb),
            "have" | "has" | "got" | "adopted" | "'ve"
        )
    {
        verb -= 1;
    }
    if !animal || !matches!(sentence.lower(verb), "have" | "has" | "got" | "adopted") {
        return;
    }
    let group = verbs::group(sentence, verb);
    // "have never had a cat": the words in between negate as well.
    let denied = (verb..at).any(|between| matches!(sentence.lower(between), "never" | "not"));
    if group.negated || denied || verbs::is_not_asserted(sentence, group) {
        return;
    }
    let named = matches!(sentence.lower(at + 1), "named" | "called" | ",");
    let object = match sentence.mention(at + 2).filter(|_| named) {
        Some(name) => Term::Entity(name.name.clone(), EntityType::Person),
        None if matches!(
            sentence.lower(at - 1),
            "a" | "an" | "rescue" | "new" | "little"
        ) && sentence.ends_clause(at + 1)
            && !matches!(sentence.lower(at + 1), "!" | ",") =>
        {
            Term::Value(sentence.lower(at).to_owned())
        }
        None => return,
    };
    for subject in sentence.people(group.start) {
        let confidence = 0.85 * subject.confidence;
        writer.add_for_phrase(
            &subject,
            RelationType::HasPet,
            &object,
            at + 1,
            group,
            confidence,
        );
    }
}
