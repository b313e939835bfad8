//! Types, places and replacements of things: `Silo, our photo archive`, `Lido in Bern`.

use anamne_types::{EntityType, RelationType};

use super::{beginning, described};
use crate::reading::Term;
use crate::reading::gazetteer::Class;
use crate::reading::statements::Writer;
use crate::reading::statements::sentence::Kind;

/// `Silo, our photo archive, …`, `the supplier, Kestrel Ltd, …`.
pub(super) fn thing_after(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let Some(thing) = sentence.term(at) else {
        return;
    };
    // Later in a sentence, commas separate the items of a list.
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
        let kind = Term::Value(sentence.text(words.clone()));
        writer.add_without_verb(&thing, RelationType::IsA, &kind, at..words.end, 0.7);
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
        let start = beginning(sentence, at - 2, Class::FUNCTION);
        let led = sentence.lower(start.wrapping_sub(1));
        if matches!(led, "the" | "a" | "an" | "our" | "my") {
            let kind = Term::Value(sentence.text(start..at - 1));
            writer.add_without_verb(&thing, RelationType::IsA, &kind, start..at, 0.7);
        }
    }
}

/// `Kessler & Brandt in Bern`.
pub(super) fn place_after(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    if sentence.lower(at + 1) != "in" {
        return;
    }
    if let (Some(organisation), Some(place @ Term::Entity(_, EntityType::Place))) =
        (sentence.term(at), sentence.term(at + 2))
    {
        writer.add_without_verb(
            &organisation,
            RelationType::LocatedIn,
            &place,
            at..at + 3,
            0.65,
        );
    }
}

/// `OLD_NAME is deprecated in favour of NEW_NAME`.
pub(super) fn in_favour(writer: &mut Writer<'_, '_>, at: usize) {
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
        && let (Some(old), Some(new)) = (sentence.term(at), sentence.term(verb + 1 + length))
    {
        let around = at..verb + 2 + length;
        writer.add_without_verb(&old, RelationType::ReplacedBy, &new, around, 0.8);
    }
}
