//! What stands beside a name and tells of it: `Anna Berg, the new cook at the Lido`, `Anna (52)`, `Lido in Bern`.

use std::ops::Range;

use anamne_types::EntityType;

use super::Writer;
use super::items::{Kind, Sentence};
use super::verbs::{self, Group};
use crate::reading::Term;
use crate::reading::gazetteer::Class;
use crate::reading::tokens::Shape;

pub(super) fn read(writer: &mut Writer<'_, '_>) {
    for at in 0..writer.sentence.items.len() {
        if writer.sentence.items[at].quoted {
            continue;
        }
        let Some(kind) = writer
            .sentence
            .mention(at)
            .map(|mention| mention.entity_type)
        else {
            studies(writer, at);
            works_as(writer, at);
            goes_to_school(writer, at);
            continue;
        };
        if verbs::is_conditional(writer.sentence, at) {
            continue;
        }
        match kind {
            EntityType::Person => {
                role_after(writer, at);
                role_before(writer, at);
                age(writer, at);
                born(writer, at);
                belongs(writer, at);
            }
            EntityType::Organisation => {
                thing_after(writer, at);
                place_after(writer, at);
            }
            EntityType::Project | EntityType::Tool => thing_after(writer, at),
            EntityType::Symbol | EntityType::Concept => in_favour(writer, at),
            _ => {}
        }
    }
}

fn term(sentence: &Sentence<'_>, at: usize) -> Option<Term> {
    let mention = sentence.mention(at)?;
    Some(Term::Entity(mention.name.clone(), mention.entity_type))
}

fn plainly(
    writer: &mut Writer<'_, '_>,
    subject: &Term,
    relation: &'static str,
    object: &Term,
    around: Range<usize>,
    confidence: f32,
) {
    writer.tell(
        subject,
        relation,
        object,
        around,
        Group::default(),
        confidence,
    );
}

/// The words of `the new head of sales` from an item on, up to four, that end a part of the sentence.
fn described(sentence: &Sentence<'_>, from: usize) -> Option<Range<usize>> {
    let article = usize::from(matches!(
        sentence.lower(from),
        "the" | "a" | "an" | "our" | "its"
    ));
    let start = from + article;
    let mut end = start;
    while end < start + 4
        && sentence.is(end, Kind::Word)
        && sentence.items[end].lower.len() > 1
        && !sentence.class(end).is(Class::FUNCTION)
    {
        end += 1;
    }
    let closes = matches!(
        sentence.lower(end),
        "," | ")" | "." | "" | ";" | "at" | "–" | "—" | "from" | "of" | "in"
    ) || end == sentence.items.len();
    (end > start && closes && article == 1).then_some(start..end)
}

fn is_role(sentence: &Sentence<'_>, words: &Range<usize>) -> bool {
    words.clone().all(|at| sentence.is(at, Kind::Word))
        && words
            .end
            .checked_sub(1)
            .is_some_and(|last| sentence.class(last).is(Class::OCCUPATION))
}

/// `Anna Berg, the new cook at the Lido, …`, `Anna Berg (the cook)`.
fn role_after(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    if !matches!(sentence.lower(at + 1), "," | "(") {
        return;
    }
    let (Some(person), Some(words)) = (term(sentence, at), described(sentence, at + 2)) else {
        return;
    };
    if !is_role(sentence, &words) {
        return;
    }
    let text = sentence.text(words.clone());
    let around = at..words.end;
    plainly(
        writer,
        &person,
        "works_as",
        &Term::Value(text),
        around,
        0.75,
    );
    let article = usize::from(sentence.lower(words.end + 1) == "the");
    let employer = words.end + 1 + article;
    if matches!(sentence.lower(words.end), "at" | "from")
        && let Some(Term::Entity(name, EntityType::Organisation)) = term(sentence, employer)
    {
        let employer_term = Term::Entity(name, EntityType::Organisation);
        plainly(
            writer,
            &person,
            "works_at",
            &employer_term,
            at..employer + 1,
            0.75,
        );
    }
}

/// `our accountant Anna Berg`, `Coach Berg`, `your landlord is Anna Berg`.
fn role_before(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let (Some(person), Some(before)) = (term(sentence, at), at.checked_sub(1)) else {
        return;
    };
    let is = matches!(sentence.lower(before), "is" | "'s");
    // "our accountant, Anna Berg, works"
    let aside = sentence.lower(before) == "," && sentence.lower(at + 1) == ",";
    let Some(last) = before.checked_sub(usize::from(is || aside)) else {
        return;
    };
    let role = sentence.class(last).is(Class::OCCUPATION) && sentence.is(last, Kind::Word);
    if !role || sentence.lower(at + 1) == "'s" {
        return;
    }
    let mut start = last;
    while start > 0
        && last - start < 3
        && sentence.is(start - 1, Kind::Word)
        && !sentence.class(start - 1).is(Class::FUNCTION)
        && !sentence.class(start - 1).is(Class::PERSON_VERB)
    {
        start -= 1;
    }
    let led = start
        .checked_sub(1)
        .map_or("", |before| sentence.lower(before));
    let owned = matches!(
        led,
        "our" | "my" | "the" | "your" | "their" | "same" | "new"
    );
    let titled = start == last
        && !is
        && !aside
        && sentence
            .token(last)
            .is_some_and(|token| token.shape == Shape::Capital);
    if owned || titled {
        let text = sentence.text(start..last + 1);
        let around = start..at + 1;
        plainly(writer, &person, "works_as", &Term::Value(text), around, 0.7);
    }
}

/// `Anna, 52, …`, `Anna (52)`.
fn age(writer: &mut Writer<'_, '_>, at: usize) {
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
    // "rooms 12, Anna, 14, and" is a list of numbers, so one number alone is an age.
    let alone = (0..sentence.items.len())
        .filter(|other| sentence.is(*other, Kind::Number))
        .count()
        < 3;
    if let (true, true, true, Some(number), Some(person)) =
        (opened, closed, alone, number, term(sentence, at))
    {
        let years = Term::Value(number.to_owned());
        plainly(writer, &person, "age", &years, at..at + 3, 0.75);
    }
}

/// `Anna Berg, born 3 May 1950 in Bern`.
fn born(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let comma = usize::from(matches!(sentence.lower(at + 1), "," | "("));
    let verb = at + 1 + comma;
    if sentence.lower(verb) != "born" {
        return;
    }
    let Some(person) = term(sentence, at) else {
        return;
    };
    let mut next = verb + 1 + usize::from(matches!(sentence.lower(verb + 1), "on" | "in"));
    if let Some(date) = sentence
        .mention(next)
        .filter(|mention| mention.entity_type == EntityType::Date)
    {
        let day = Term::Entity(date.name.clone(), EntityType::Date);
        plainly(writer, &person, "born_on", &day, at..next + 1, 0.8);
        next += 1 + usize::from(sentence.lower(next + 1) == "in");
    }
    if let Some(Term::Entity(place, EntityType::Place)) = term(sentence, next) {
        let place = Term::Entity(place, EntityType::Place);
        plainly(writer, &person, "comes_from", &place, at..next + 1, 0.75);
    }
}

/// `Anna from Kessler & Brandt`, `Anna is with Kessler & Brandt now`, `Anna at the Lido says`.
fn belongs(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let is = usize::from(matches!(sentence.lower(at + 1), "is" | "'s"));
    let joint = at + 1 + is;
    let begins = at == 0 || matches!(sentence.lower(at - 1), "," | "." | ":" | "ask" | "email");
    let fits = match sentence.lower(joint) {
        "from" => is == 0,
        "at" => is == 0 && begins,
        "with" => is == 1,
        _ => false,
    };
    let article = usize::from(sentence.lower(joint + 1) == "the");
    let employer = joint + 1 + article;
    if let (true, Some(person), Some(Term::Entity(name, EntityType::Organisation))) =
        (fits, term(sentence, at), term(sentence, employer))
    {
        let organisation = Term::Entity(name, EntityType::Organisation);
        plainly(
            writer,
            &person,
            "works_at",
            &organisation,
            at..employer + 1,
            0.6,
        );
    }
}

/// `Silo, our photo archive, …`, `the supplier, Kestrel Ltd, …`.
fn thing_after(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let Some(thing) = term(sentence, at) else {
        return;
    };
    // Further on in a sentence commas part the things of a list.
    if (at == 0 || (at == 1 && sentence.lower(0) == "the"))
        && sentence.lower(at + 1) == ","
        && matches!(sentence.lower(at + 2), "our" | "a" | "an")
        && let Some(words) = described(sentence, at + 2)
        && matches!(sentence.lower(words.end), "," | "." | "")
        && !words.clone().any(|word| {
            sentence
                .class(word)
                .is(Class::PERSON_VERB.and(Class::UNIT_OF_TIME))
        })
    {
        let text = sentence.text(words.clone());
        plainly(
            writer,
            &thing,
            "is_a",
            &Term::Value(text),
            at..words.end,
            0.7,
        );
        return;
    }
    // "the supplier, Kestrel Ltd, ships"
    let noun = Class::ORGANISATION_NOUN
        .and(Class::TOOL_NOUN)
        .and(Class::PROJECT_NOUN);
    if at >= 3
        && sentence.lower(at - 1) == ","
        && sentence.lower(at + 1) == ","
        && sentence.class(at - 2).is(noun)
        && sentence.is(at - 2, Kind::Word)
    {
        let mut start = at - 2;
        while start > 0
            && at - start < 5
            && sentence.is(start - 1, Kind::Word)
            && !sentence.class(start - 1).is(Class::FUNCTION)
        {
            start -= 1;
        }
        let led = start
            .checked_sub(1)
            .map_or("", |before| sentence.lower(before));
        if matches!(led, "the" | "a" | "an" | "our" | "my") {
            let text = sentence.text(start..at - 1);
            plainly(writer, &thing, "is_a", &Term::Value(text), start..at, 0.7);
        }
    }
}

/// `Kessler & Brandt in Bern`.
fn place_after(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    if sentence.lower(at + 1) != "in" {
        return;
    }
    if let (Some(organisation), Some(Term::Entity(place, EntityType::Place))) =
        (term(sentence, at), term(sentence, at + 2))
    {
        let place = Term::Entity(place, EntityType::Place);
        plainly(
            writer,
            &organisation,
            "located_in",
            &place,
            at..at + 3,
            0.65,
        );
    }
}

/// `OLD_NAME is deprecated in favour of NEW_NAME`.
fn in_favour(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let is = usize::from(matches!(sentence.lower(at + 1), "is" | "was"));
    let verb = at + 1 + is;
    if !matches!(
        sentence.lower(verb),
        "deprecated" | "dropped" | "removed" | "retired"
    ) {
        return;
    }
    let joint = ["in favour of", "in favor of"]
        .iter()
        .find_map(|words| sentence.words_at(verb + 1, words));
    if let Some(length) = joint
        && let (Some(old), Some(new)) = (term(sentence, at), term(sentence, verb + 1 + length))
    {
        let around = at..verb + 2 + length;
        plainly(writer, &old, "replaced_by", &new, around, 0.8);
    }
}

/// `I'm doing a master's in hydrology at Bern University`, `she goes to Lincoln School`.
fn studies(writer: &mut Writer<'_, '_>, at: usize) {
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
        .and_then(|joint| {
            let next = joint + 1 + usize::from(sentence.lower(joint + 1) == "the");
            term(sentence, next).map(|school| (school, next))
        });
    if let Some((Term::Entity(name, EntityType::Organisation), end)) = school {
        let school = Term::Entity(name, EntityType::Organisation);
        for subject in sentence.subjects(group.start) {
            if subject.entity_type() == Some(EntityType::Person) {
                let around = subject.items.start..end + 1;
                plainly(writer, &subject.term, "studies_at", &school, around, 0.75);
            }
        }
    }
}

/// `works as a translator for Kestrel Ltd`.
fn works_as(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let verb = matches!(sentence.lower(at), "work" | "works" | "working");
    if !verb || sentence.lower(at + 1) != "as" {
        return;
    }
    let group = verbs::group(sentence, at);
    if group.unreal || group.future || group.past || verbs::is_conditional(sentence, group.start) {
        return;
    }
    let article = usize::from(matches!(sentence.lower(at + 2), "a" | "an" | "the"));
    let start = at + 2 + article;
    let Some(last) = (start..start + 4)
        .find(|word| sentence.is(*word, Kind::Word) && sentence.class(*word).is(Class::OCCUPATION))
    else {
        return;
    };
    let words = start..last + 1;
    if !is_role(sentence, &words) {
        return;
    }
    let role = Term::Value(sentence.text(words));
    let next = last + 2 + usize::from(sentence.lower(last + 2) == "the");
    let employer = matches!(sentence.lower(last + 1), "at" | "for")
        .then(|| term(sentence, next))
        .flatten()
        .filter(|employer| matches!(employer, Term::Entity(_, EntityType::Organisation)));
    for subject in sentence.subjects(group.start) {
        if subject.entity_type() != Some(EntityType::Person) {
            continue;
        }
        let around = subject.items.start..last + 1;
        writer.tell(
            &subject.term,
            "works_as",
            &role,
            around.clone(),
            group,
            0.8 * subject.confidence,
        );
        if let Some(employer) = &employer {
            let around = around.start..next + 1;
            writer.tell(
                &subject.term,
                "works_at",
                employer,
                around,
                group,
                0.8 * subject.confidence,
            );
        }
    }
}

/// `studies medicine at the University of Bern`, `goes to Maple Street School`.
fn goes_to_school(writer: &mut Writer<'_, '_>, at: usize) {
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
    let next = joint + 1 + usize::from(sentence.lower(joint + 1) == "the");
    let Some(Term::Entity(name, EntityType::Organisation)) = term(sentence, next) else {
        return;
    };
    let group = verbs::group(sentence, at);
    let unsaid = group.unreal || group.future || group.past || group.negated;
    if unsaid || verbs::is_conditional(sentence, group.start) || !(any_house || is_school(&name)) {
        return;
    }
    let school = Term::Entity(name, EntityType::Organisation);
    for subject in sentence.subjects(group.start) {
        if subject.entity_type() == Some(EntityType::Person) {
            let around = subject.items.start..next + 1;
            let confidence = 0.8 * subject.confidence;
            plainly(
                writer,
                &subject.term,
                "studies_at",
                &school,
                around,
                confidence,
            );
        }
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
