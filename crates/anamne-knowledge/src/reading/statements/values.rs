//! Statements about values: prices, measurements, settings, versions.

use anamne_types::{EntityType, RelationType};

use super::Writer;
use super::amounts::{amount, is_age};
use super::being::be;
use super::sentence::{Kind, Phrase};
use super::verbs::{self, VerbGroup};
use crate::reading::Term;
use crate::reading::gazetteer::Class;
use crate::reading::tokens::Shape;

pub(super) fn read(writer: &mut Writer<'_, '_>) {
    for at in 0..writer.sentence.items.len() {
        if writer.sentence.items[at].quoted {
            continue;
        }
        written_value(writer, at);
        inside(writer, at);
        match writer.sentence.lower(at) {
            "is" | "are" | "'m" | "am" | "'s" | "'re" | "was" | "were" | "isn't" | "aren't"
            | "=" | "equals" | "im" => be(writer, at),
            "costs" | "cost" => costs(writer, at),
            "listens" | "listen" | "listening" => listens(writer, at),
            "set" | "changed" | "raised" | "lowered" | "increased" | "reduced" | "bumped"
            | "defaults" | "weighs" | "takes" | "measures" | "earns" | "earn" => set(writer, at),
            "turned" => turned(writer, at),
            _ => {}
        }
    }
}

/// A value in inline code or a version after a name, without a verb.
fn written_value(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let (Some(mention), Some(value)) = (sentence.mention(at), sentence.value(at)) else {
        return;
    };
    if verbs::is_conditional(sentence, at) {
        return;
    }
    let object = Term::Value(value.to_owned());
    let explained = matches!(sentence.lower(at + 1), ":" | "–" | "-");
    let typed = one_of!(
        value,
        "string" "String" "int" "integer" "bool" "boolean" "str" "text" "float" "number" "f32" "f64"
        "u8" "u16" "u32" "u64" "i32" "i64" "usize"
    );
    if explained || typed || value.contains(['(', '%', '<', '>', '{']) {
        return;
    }
    if mention.entity_type == EntityType::Symbol {
        let attribute = one_of!(
            &*mention.name,
            "class" "name" "property" "content" "type" "id" "style" "href" "src" "rel" "target"
            "for"
        );
        let measured = value.starts_with(|first: char| first.is_ascii_digit());
        if attribute || (writer.documents && !measured) {
            return;
        }
        let subject = Term::Entity(mention.name.clone(), EntityType::Symbol);
        writer.add_without_verb(&subject, RelationType::HasValue, &object, at..at + 1, 0.7);
    } else if mention.entity_type == EntityType::Version
        && let Some(tool) = at.checked_sub(1).and_then(|before| sentence.term(before))
    {
        let needed = at.checked_sub(2).is_some_and(|before| {
            matches!(
                sentence.lower(before),
                "needs" | "need" | "requires" | "require" | "and" | "support" | "supports"
            )
        });
        if needed {
            return;
        }
        let group = VerbGroup {
            negated: at >= 2 && matches!(sentence.lower(at - 2), "not" | "no"),
            ..VerbGroup::default()
        };
        writer.add(
            &tool,
            RelationType::HasVersion,
            &object,
            at - 1..at + 1,
            group,
            0.7,
        );
    }
}

/// `Nantes, France`.
fn inside(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let (Some(town), Some(land)) = (sentence.term(at), sentence.term(at + 2)) else {
        return;
    };
    let places = [at, at + 2]
        .into_iter()
        .all(|at| sentence.names(at, EntityType::Place))
        && sentence.lower(at + 1) == ",";
    let listed = matches!(sentence.lower(at + 3), "and" | "or")
        || (sentence.lower(at + 3) == "," && sentence.mention(at + 4).is_some())
        || (at >= 2 && sentence.lower(at - 1) == "," && sentence.mention(at - 2).is_some());
    let is_region =
        sentence.class(at + 2).is(Class::REGION) && !sentence.class(at).is(Class::REGION);
    if places && is_region && !listed {
        writer.add_without_verb(&town, RelationType::LocatedIn, &land, at..at + 3, 0.85);
    }
}

fn costs(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let group = verbs::group(sentence, at);
    let number = at + 1 + usize::from(matches!(sentence.lower(at + 1), "me" | "us"));
    let Some(amount) = amount(sentence, number) else {
        return;
    };
    if verbs::is_not_asserted(sentence, group)
        || !(amount.money || amount.unit || sentence.ends_clause(amount.end))
    {
        return;
    }
    let mut subjects = sentence.subjects(group.start);
    if subjects.is_empty() && at >= 1 && sentence.lower(at - 1) == "and" {
        subjects.extend((0..at).rev().find_map(|before| {
            let mention = sentence.mention(before)?;
            matches!(mention.entity_type, EntityType::Project | EntityType::Tool)
                .then_some(Phrase::of(sentence.term(before)?, before..before + 1, 0.8))
        }));
    }
    let price = Term::Value(amount.text);
    for subject in subjects {
        if !subject.is(EntityType::Person) && !subject.is(EntityType::Date) {
            let confidence = 0.85 * subject.confidence;
            writer.add_for_phrase(
                &subject,
                RelationType::Costs,
                &price,
                amount.end,
                group,
                confidence,
            );
        }
    }
}

/// `The server listens on 8471`.
fn listens(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let port = at + 2 + usize::from(sentence.lower(at + 2) == "port");
    let group = verbs::group(sentence, at);
    if sentence.lower(at + 1) != "on"
        || !sentence.is(port, Kind::Number)
        || group.unreal
        || verbs::is_conditional(sentence, group.start)
    {
        return;
    }
    let object = Term::Value(sentence.text(at + 2..port + 1));
    for subject in sentence.subjects(group.start) {
        if !subject.is(EntityType::Person) {
            let confidence = 0.8 * subject.confidence;
            writer.add_for_phrase(
                &subject,
                RelationType::HasValue,
                &object,
                port + 1,
                group,
                confidence,
            );
        }
    }
}

/// `Set minSdkVersion to 26`, `raised the timeout from 30 to 60 s`, `the block weighs 25 kg`.
fn set(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let group = verbs::group(sentence, at);
    if verbs::is_not_asserted(sentence, group) {
        return;
    }
    let verb = sentence.lower(at);
    if matches!(
        verb,
        "weighs" | "measures" | "takes" | "defaults" | "earns" | "earn"
    ) || (verb == "set" && group.be && sentence.lower(at + 1) == "to")
    {
        has(writer, at, group);
    } else {
        changed(writer, at, group);
    }
}

/// `The block weighs 25 kg`, `the port defaults to 8080`.
fn has(writer: &mut Writer<'_, '_>, at: usize, group: VerbGroup) {
    let sentence = writer.sentence;
    let verb = sentence.lower(at);
    let to = usize::from(sentence.lower(at + 1) == "to");
    let word = sentence
        .token(at + 2)
        .filter(|token| to == 1 && (token.is_word() || token.shape == Shape::Code));
    let (text, end) = match (amount(sentence, at + 1 + to), word) {
        (Some(amount), _) if amount.unit || to == 1 => (amount.text, amount.end),
        (None, Some(token))
            if !token.class.is(Class::FUNCTION)
                && matches!(verb, "defaults" | "set")
                && sentence.ends_clause(at + 3) =>
        {
            (token.text.to_owned(), at + 3)
        }
        _ => return,
    };
    let value = Term::Value(text);
    for subject in sentence.subjects(group.start) {
        let may_take = verb != "takes" || sentence.names(subject.items.start, EntityType::Symbol);
        if may_take && !subject.is(EntityType::Person) && !subject.is(EntityType::Date) {
            let confidence = 0.75 * subject.confidence;
            writer.add_for_phrase(
                &subject,
                RelationType::HasValue,
                &value,
                end,
                group,
                confidence,
            );
        }
    }
}

/// `Set minSdkVersion to 26`, `raised the timeout from 30 to 60 s`.
fn changed(writer: &mut Writer<'_, '_>, at: usize, group: VerbGroup) {
    let sentence = writer.sentence;
    let Some(object) = sentence.object(at + 1) else {
        return;
    };
    let mut to = object.items.end;
    if sentence.lower(to) == "from" {
        to = (to + 1..(to + 5).min(sentence.items.len()))
            .find(|at| sentence.lower(*at) == "to")
            .unwrap_or(to);
    }
    if sentence.lower(to) != "to" {
        return;
    }
    let Some(amount) = amount(sentence, to + 1) else {
        return;
    };
    let subject = match &object.term {
        Term::Entity(_, kind) if !matches!(kind, EntityType::Date | EntityType::Person) => {
            object.term.clone()
        }
        Term::Value(text)
            if object.definite
                && text.split(' ').count() <= 3
                && !sentence.subjects(group.start).is_empty() =>
        {
            Term::Entity(text.clone(), EntityType::Concept)
        }
        _ => return,
    };
    let value = Term::Value(amount.text);
    let around = object.items.start..amount.end;
    let confidence = 0.7 * object.confidence;
    writer.add(
        &subject,
        RelationType::HasValue,
        &value,
        around,
        group,
        confidence,
    );
}

/// `Anna turned 34`.
fn turned(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let group = verbs::group(sentence, at);
    let number = at + 1 + usize::from(sentence.lower(at + 1) == "just");
    if !sentence.is(number, Kind::Number) || !is_age(sentence, number, number + 1) || group.unreal {
        return;
    }
    let years = Term::Value(sentence.lower(number).to_owned());
    for subject in sentence.people(group.start) {
        writer.add_for_phrase(&subject, RelationType::Age, &years, number + 1, group, 0.75);
    }
}
