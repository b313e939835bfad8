//! What things cost, measure and are set to.

use anamne_types::EntityType;

use super::Writer;
use super::being::{be, is_age};
use super::items::{Kind, Phrase, Sentence};
use super::verbs::{self, Group};
use crate::reading::Term;
use crate::reading::gazetteer::Class;

pub(super) fn read(writer: &mut Writer<'_, '_>) {
    for at in 0..writer.sentence.items.len() {
        if writer.sentence.items[at].quoted {
            continue;
        }
        noted(writer, at);
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

/// What code between backticks or a version after a name says by itself.
fn noted(writer: &mut Writer<'_, '_>, at: usize) {
    let (Some(mention), Some(value)) = (writer.sentence.mention(at), writer.sentence.value(at))
    else {
        return;
    };
    if verbs::is_conditional(writer.sentence, at) {
        return;
    }
    let object = Term::Value(value.to_owned());
    let explained = matches!(writer.sentence.lower(at + 1), ":" | "–" | "-");
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
        writer.tell(
            &subject,
            "has_value",
            &object,
            at..at + 1,
            Group::default(),
            0.7,
        );
    } else if mention.entity_type == EntityType::Version
        && let Some(tool) = at
            .checked_sub(1)
            .and_then(|before| writer.sentence.mention(before))
    {
        let needed = at.checked_sub(2).is_some_and(|before| {
            matches!(
                writer.sentence.lower(before),
                "needs" | "need" | "requires" | "require" | "and" | "support" | "supports"
            )
        });
        if needed {
            return;
        }
        let subject = Term::Entity(tool.name.clone(), tool.entity_type);
        let group = Group {
            negated: at >= 2 && matches!(writer.sentence.lower(at - 2), "not" | "no"),
            ..Group::default()
        };
        writer.tell(&subject, "has_version", &object, at - 1..at + 1, group, 0.7);
    }
}

/// `Nantes, France`.
fn inside(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let (Some(town), Some(land)) = (sentence.mention(at), sentence.mention(at + 2)) else {
        return;
    };
    let places = town.entity_type == EntityType::Place
        && land.entity_type == EntityType::Place
        && sentence.lower(at + 1) == ",";
    let listed = matches!(sentence.lower(at + 3), "and" | "or")
        || (sentence.lower(at + 3) == "," && sentence.mention(at + 4).is_some())
        || (at >= 2 && sentence.lower(at - 1) == "," && sentence.mention(at - 2).is_some());
    let is_land = sentence.class(at + 2).is(Class::LAND) && !sentence.class(at).is(Class::LAND);
    if places && is_land && !listed {
        let (town, land) = (
            Term::Entity(town.name.clone(), EntityType::Place),
            Term::Entity(land.name.clone(), EntityType::Place),
        );
        writer.tell(
            &town,
            "located_in",
            &land,
            at..at + 3,
            Group::default(),
            0.85,
        );
    }
}

/// A number with its unit, in words as they stand.
pub(super) struct Amount {
    pub(super) text: String,
    pub(super) end: usize,
    pub(super) money: bool,
    pub(super) unit: bool,
}

pub(super) fn amount(sentence: &Sentence<'_>, at: usize) -> Option<Amount> {
    let mut start = at;
    while one_of!(
        sentence.lower(start),
        "about" "around" "roughly" "approximately" "at" "only" "~" "just" "now" "currently" "nearly"
        "almost"
    ) && start < at + 3
    {
        start += 1;
    }
    let sign = matches!(sentence.lower(start), "$" | "€" | "£" | "−" | "-" | "¥");
    let number = start + usize::from(sign);
    if !sentence.is(number, Kind::Number) {
        return None;
    }
    let mut end = number + 1;
    let mut money = matches!(sentence.lower(start), "$" | "€" | "£" | "¥");
    let mut unit = money;
    let attached = sentence
        .lower(number)
        .ends_with(|last: char| last.is_alphabetic());
    unit |= attached;
    let known = |lower: &str| {
        one_of!(
            lower,
            "%" "€" "$" "£" "°" "ms" "s" "sec" "second" "seconds" "min" "minute" "minutes" "hour"
            "hours" "h" "day" "days" "week" "weeks" "month" "months" "year" "years" "kb" "mb" "gb"
            "tb" "kg" "g" "mg" "ml" "l" "km" "m" "cm" "mm" "px" "percent" "euro" "euros" "dollars"
            "usd" "eur" "cents" "pounds" "rows" "requests" "users" "people" "points" "bytes" "cores"
            "°c" "c" "mph" "kb/s" "rpm" "bpm" "kcal" "calories" "francs"
        )
    };
    while end < number + 4 && known(sentence.lower(end)) {
        money |= matches!(
            sentence.lower(end),
            "€" | "$" | "£" | "euro" | "euros" | "dollars" | "usd" | "eur" | "cents" | "francs"
        );
        unit = true;
        end += 1;
    }
    let per = (matches!(sentence.lower(end), "a" | "an" | "per" | "each" | "every")
        && known(sentence.lower(end + 1)))
        || (matches!(sentence.lower(end), "/") && end + 1 < sentence.items.len());
    if per {
        end += 2;
    }
    let end = end.min(sentence.items.len());
    Some(Amount {
        text: sentence.text(start..end),
        end,
        money,
        unit,
    })
}

/// Words that are measured.
pub(super) fn is_measure(name: &str) -> bool {
    let last = name.rsplit(' ').next().unwrap_or(name);
    one_of!(
        last,
        "port" "timeout" "limit" "size" "threshold" "interval" "rate" "version" "budget" "price"
        "rent" "salary" "weight" "height" "temperature" "score" "default" "value" "id" "code"
        "count" "ttl" "latency" "p50" "p95" "p99" "quota" "retention" "distance" "dose" "dosage"
        "target" "capacity" "length" "duration" "balance" "fee" "cost" "level" "coverage" "speed"
        "age" "income" "goal" "maximum" "minimum" "max" "min" "pressure" "gpa" "deposit" "mortgage"
        "median" "mean" "average" "frequency" "window" "delay" "lifetime" "memory" "ram" "usage"
        "accuracy" "width" "depth" "area" "area code"
    )
}

fn costs(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let group = verbs::group(sentence, at);
    let Some(amount) = amount(
        sentence,
        at + 1 + usize::from(matches!(sentence.lower(at + 1), "me" | "us")),
    ) else {
        return;
    };
    if group.unreal
        || group.future
        || verbs::is_conditional(sentence, group.start)
        || !(amount.money || amount.unit || sentence.ends_clause(amount.end))
    {
        return;
    }
    let mut subjects = sentence.subjects(group.start);
    if subjects.is_empty() && at >= 1 && sentence.lower(at - 1) == "and" {
        subjects.extend((0..at).rev().find_map(|before| {
            sentence
                .mention(before)
                .filter(|mention| {
                    matches!(mention.entity_type, EntityType::Project | EntityType::Tool)
                })
                .map(|mention| Phrase {
                    term: Term::Entity(mention.name.clone(), mention.entity_type),
                    items: before..before + 1,
                    confidence: 0.8,
                    definite: true,
                })
        }));
    }
    for subject in subjects {
        if subject.entity_type() != Some(EntityType::Person)
            && subject.entity_type() != Some(EntityType::Date)
        {
            writer.tell(
                &subject.term,
                "costs",
                &Term::Value(amount.text.clone()),
                subject.items.start..amount.end,
                group,
                0.85 * subject.confidence,
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
    for subject in sentence.subjects(group.start) {
        if subject.entity_type() != Some(EntityType::Person) {
            let object = Term::Value(sentence.text(at + 2..port + 1));
            writer.tell(
                &subject.term,
                "has_value",
                &object,
                subject.items.start..port + 1,
                group,
                0.8 * subject.confidence,
            );
        }
    }
}

/// `Set minSdkVersion to 26`, `raised the timeout from 30 to 60 s`, `the block weighs 25 kg`.
fn set(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let group = verbs::group(sentence, at);
    if group.unreal || group.future || verbs::is_conditional(sentence, group.start) {
        return;
    }
    let verb = sentence.lower(at);
    if matches!(
        verb,
        "weighs" | "measures" | "takes" | "defaults" | "earns" | "earn"
    ) || (verb == "set" && group.be && sentence.lower(at + 1) == "to")
    {
        let to = usize::from(sentence.lower(at + 1) == "to");
        let value = amount(sentence, at + 1 + to);
        let word = (to == 1)
            .then(|| {
                sentence.token(at + 2).filter(|token| {
                    token.is_word() || matches!(token.shape, crate::reading::tokens::Shape::Code)
                })
            })
            .flatten();
        let (text, end) = match (value, word) {
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
        for subject in sentence.subjects(group.start) {
            let person = subject.entity_type() == Some(EntityType::Person);
            if person
                || matches!(subject.entity_type(), Some(EntityType::Date))
                || (verb == "takes"
                    && sentence
                        .mention(subject.items.start)
                        .is_none_or(|mention| mention.entity_type != EntityType::Symbol))
            {
                continue;
            }
            writer.tell(
                &subject.term,
                "has_value",
                &Term::Value(text.clone()),
                subject.items.start..end,
                group,
                0.75 * subject.confidence,
            );
        }
        return;
    }
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
        Term::Entity(name, kind) if !matches!(kind, EntityType::Date | EntityType::Person) => {
            Term::Entity(name.clone(), *kind)
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
    writer.tell(
        &subject,
        "has_value",
        &Term::Value(amount.text),
        object.items.start..amount.end,
        group,
        0.7 * object.confidence,
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
    for subject in sentence.subjects(group.start) {
        if subject.entity_type() == Some(EntityType::Person) {
            writer.tell(
                &subject.term,
                "age",
                &Term::Value(sentence.lower(number).to_owned()),
                subject.items.start..number + 1,
                group,
                0.75,
            );
        }
    }
}
