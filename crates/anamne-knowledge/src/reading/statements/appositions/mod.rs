//! Descriptions next to a name: `Anna Berg, the new cook at the Lido`, `Anna (52)`, `Lido in Bern`.

mod lives;
mod roles;
mod things;

use std::ops::Range;

use anamne_types::EntityType;

use super::Writer;
use super::sentence::{Kind, Sentence};
use super::verbs;
use crate::reading::Term;
use crate::reading::gazetteer::Class;

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
            lives::studies(writer, at);
            roles::works_as(writer, at);
            lives::goes_to_school(writer, at);
            continue;
        };
        if verbs::is_conditional(writer.sentence, at) {
            continue;
        }
        match kind {
            EntityType::Person => {
                roles::role_after(writer, at);
                roles::role_before(writer, at);
                lives::age(writer, at);
                lives::born(writer, at);
                roles::belongs(writer, at);
            }
            EntityType::Organisation => {
                things::thing_after(writer, at);
                things::place_after(writer, at);
            }
            EntityType::Project | EntityType::Tool => things::thing_after(writer, at),
            EntityType::Symbol | EntityType::Concept => things::in_favour(writer, at),
            _ => {}
        }
    }
}

/// The words of a description with an article, such as `the new head`: up to four, before a mark, a preposition or the end.
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

/// The start of the description that ends with `last`: up to three words before it, none with a class in `no`.
fn beginning(sentence: &Sentence<'_>, last: usize, no: Class) -> usize {
    let mut start = last;
    while start > 0
        && last - start < 3
        && sentence.is(start - 1, Kind::Word)
        && !sentence.class(start - 1).is(no)
    {
        start -= 1;
    }
    start
}

/// The organisation named at an item, after an optional `the`, and the end of its name.
fn organisation(sentence: &Sentence<'_>, from: usize) -> Option<(Term, usize)> {
    let at = from + usize::from(sentence.lower(from) == "the");
    let named = sentence.names(at, EntityType::Organisation);
    sentence
        .term(at)
        .filter(|_| named)
        .map(|term| (term, at + 1))
}
