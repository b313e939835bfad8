//! Ages, births and education of people: `Anna (52)`, `goes to Maple Street School`.

use anamne_types::{EntityType, RelationType};

use super::organisation;
use crate::reading::Term;
use crate::reading::statements::sentence::Kind;
use crate::reading::statements::{Writer, verbs};

/// `Anna, 52, …`, `Anna (52)`.
pub(super) fn age(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let opened = matches!(sentence.lower(at + 1), "," | "(");
    let closed = matches!(sentence.lower(at + 3), "," | ")");
    let number = sentence
        .is(at + 2, Kind::Number)
        .then(|| sentence.lower(at + 2))
        .filter(|number| {
            number
                .parse::<u8>()
                .is_ok_and(|years| (16..110).contains(&years))
        });
    // "rooms 12, Anna, 14, and" is a list: with three or more numbers, none is an age.
    let alone = (0..sentence.items.len())
        .filter(|other| sentence.is(*other, Kind::Number))
        .count()
        < 3;
    if let (true, true, true, Some(number), Some(person)) =
        (opened, closed, alone, number, sentence.term(at))
    {
        let years = Term::Value(number.to_owned());
        writer.add_without_verb(&person, RelationType::Age, &years, at..at + 3, 0.75);
    }
}

/// `Anna Berg, born 3 May 1950 in Bern`.
pub(super) fn born(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let comma = usize::from(matches!(sentence.lower(at + 1), "," | "("));
    let verb = at + 1 + comma;
    if sentence.lower(verb) != "born" {
        return;
    }
    let Some(person) = sentence.term(at) else {
        return;
    };
    let mut next = verb + 1 + usize::from(matches!(sentence.lower(verb + 1), "on" | "in"));
    if let Some(day @ Term::Entity(_, EntityType::Date)) = sentence.term(next) {
        writer.add_without_verb(&person, RelationType::BornOn, &day, at..next + 1, 0.8);
        next += 1 + usize::from(sentence.lower(next + 1) == "in");
    }
    if let Some(place @ Term::Entity(_, EntityType::Place)) = sentence.term(next) {
        writer.add_without_verb(&person, RelationType::ComesFrom, &place, at..next + 1, 0.75);
    }
}

/// `I'm doing a master's in hydrology at Bern University`, `she goes to Lincoln School`.
pub(super) fn studies(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let degree = matches!(
        sentence.lower(at),
        "master" | "masters" | "phd" | "bachelor" | "degree" | "doctorate" | "mba"
    );
    if !degree {
        return;
    }
    let Some(verb) = at.checked_sub(1).and_then(|before| {
        (before.saturating_sub(2)..=before).rev().find(|verb| {
            matches!(
                sentence.lower(*verb),
                "doing" | "pursuing" | "finishing" | "starting"
            )
        })
    }) else {
        return;
    };
    let group = verbs::group(sentence, verb);
    if group.unreal || group.negated || group.past || group.future || !group.be {
        return;
    }
    let school = (at + 1..at + 8)
        .find(|joint| sentence.lower(*joint) == "at")
        .and_then(|joint| organisation(sentence, joint + 1));
    if let Some((school, end)) = school {
        for subject in sentence.people(group.start) {
            let around = subject.items.start..end;
            writer.add_without_verb(
                &subject.term,
                RelationType::StudiesAt,
                &school,
                around,
                0.75,
            );
        }
    }
}

/// `studies medicine at the University of Bern`, `goes to Maple Street School`.
pub(super) fn goes_to_school(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let (joint, any_house) = match sentence.lower(at) {
        "studies" | "study" | "studying" => (
            (at + 2..at + 5).find(|joint| sentence.lower(*joint) == "at"),
            true,
        ),
        "goes" | "go" => (
            Some(at + 1).filter(|joint| sentence.lower(*joint) == "to"),
            false,
        ),
        _ => return,
    };
    let Some(joint) =
        joint.filter(|joint| (at + 1..*joint).all(|between| !sentence.is(between, Kind::Mark)))
    else {
        return;
    };
    let Some((school, end)) = organisation(sentence, joint + 1) else {
        return;
    };
    let group = verbs::group(sentence, at);
    if group.past || group.negated || verbs::is_not_asserted(sentence, group) {
        return;
    }
    let is_school = matches!(&school, Term::Entity(name, _) if is_school(name));
    if !(any_house || is_school) {
        return;
    }
    for subject in sentence.people(group.start) {
        let around = subject.items.start..end;
        let confidence = 0.8 * subject.confidence;
        writer.add_without_verb(
            &subject.term,
            RelationType::StudiesAt,
            &school,
            around,
            confidence,
        );
    }
}

fn is_school(name: &str) -> bool {
    name.split([' ', '-']).any(|word| {
        one_of!(
            word.to_lowercase().as_str(),
            "school" "high" "elementary" "college" "university" "academy" "gymnasium" "kindergarten"
            "lycée"
        )
    })
}
