//! Roles and employers of people: `Anna Berg, the new cook at the Lido`, `works as a translator for Kestrel Ltd`.

use std::ops::Range;

use anamne_types::RelationType;

use super::{beginning, described, organisation};
use crate::reading::Term;
use crate::reading::gazetteer::Class;
use crate::reading::statements::sentence::{Kind, Sentence};
use crate::reading::statements::{Writer, verbs};
use crate::reading::tokens::Shape;

/// `Anna Berg, the new cook at the Lido, …`, `Anna Berg (the cook)`.
pub(super) fn role_after(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    if !matches!(sentence.lower(at + 1), "," | "(") {
        return;
    }
    let (Some(person), Some(words)) = (sentence.term(at), described(sentence, at + 2)) else {
        return;
    };
    if !is_role(sentence, &words) {
        return;
    }
    let role = Term::Value(sentence.text(words.clone()));
    writer.add_without_verb(&person, RelationType::WorksAs, &role, at..words.end, 0.75);
    if matches!(sentence.lower(words.end), "at" | "from")
        && let Some((employer, end)) = organisation(sentence, words.end + 1)
    {
        writer.add_without_verb(&person, RelationType::WorksAt, &employer, at..end, 0.75);
    }
}

/// `our accountant Anna Berg`, `Coach Berg`, `your landlord is Anna Berg`.
pub(super) fn role_before(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let (Some(person), Some(before)) = (sentence.term(at), at.checked_sub(1)) else {
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
    let start = beginning(sentence, last, Class::FUNCTION.and(Class::PERSON_VERB));
    let owned = matches!(
        sentence.lower(start.wrapping_sub(1)),
        "our" | "my" | "the" | "your" | "their" | "same" | "new"
    );
    let titled = start == last
        && !is
        && !aside
        && sentence
            .token(last)
            .is_some_and(|token| token.shape == Shape::Capital);
    if owned || titled {
        let role = Term::Value(sentence.text(start..last + 1));
        writer.add_without_verb(&person, RelationType::WorksAs, &role, start..at + 1, 0.7);
    }
}

/// `Anna from Kessler & Brandt`, `Anna is with Kessler & Brandt now`, `Anna at the Lido says`.
pub(super) fn belongs(writer: &mut Writer<'_, '_>, at: usize) {
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
    if fits
        && let Some(person) = sentence.term(at)
        && let Some((employer, end)) = organisation(sentence, joint + 1)
    {
        writer.add_without_verb(&person, RelationType::WorksAt, &employer, at..end, 0.6);
    }
}

/// `works as a translator for Kestrel Ltd`.
pub(super) fn works_as(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    let verb = matches!(sentence.lower(at), "work" | "works" | "working");
    if !verb || sentence.lower(at + 1) != "as" {
        return;
    }
    let group = verbs::group(sentence, at);
    if group.past || verbs::is_not_asserted(sentence, group) {
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
    let employer = matches!(sentence.lower(last + 1), "at" | "for")
        .then(|| organisation(sentence, last + 2))
        .flatten();
    for subject in sentence.people(group.start) {
        let confidence = 0.8 * subject.confidence;
        writer.add_for_phrase(
            &subject,
            RelationType::WorksAs,
            &role,
            last + 1,
            group,
            confidence,
        );
        if let Some((employer, end)) = &employer {
            writer.add_for_phrase(
                &subject,
                RelationType::WorksAt,
                employer,
                *end,
                group,
                confidence,
            );
        }
    }
}

fn is_role(sentence: &Sentence<'_>, words: &Range<usize>) -> bool {
    words.clone().all(|at| sentence.is(at, Kind::Word))
        && words
            .end
            .checked_sub(1)
            .is_some_and(|last| sentence.class(last).is(Class::OCCUPATION))
}
