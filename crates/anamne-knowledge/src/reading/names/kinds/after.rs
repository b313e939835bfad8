//! Evidence for a name's type in the words after it: `, who`, `'s birthday`, `is our deployment tool`.

use anamne_types::EntityType;

use super::Points;
use crate::reading::gazetteer::{self, Class};
use crate::reading::names::proper::Candidate;
use crate::reading::tokens::{Shape, Tokens};

pub(super) fn add(tokens: &Tokens<'_>, candidate: &Candidate, points: &mut Points) {
    use EntityType::{Organisation, Person, Place, Project, Tool};
    let end = candidate.tokens.end;
    let at = |ahead: usize| tokens.get(end + ahead);
    let lower = |ahead: usize| tokens.lower(end + ahead);
    let class = |ahead: usize| tokens.class(end + ahead);
    let mut ahead = 0;
    while matches!(lower(ahead), "\"" | "'" | "”" | "*" | "**" | "_" | ")") {
        ahead += 1;
    }
    let next = class(ahead);
    if lower(ahead) == "'s" {
        let start = candidate.tokens.start;
        let goes_on = at(ahead + 1)
            .is_some_and(|word| word.shape == Shape::Lower && !word.class.is(Class::FUNCTION));
        let visited = matches!(tokens.lower(start.wrapping_sub(1)), "at" | "to" | "chez")
            && !goes_on
            && !tokens.class(start).is(Class::PLACE_FRONT);
        let owns = class(ahead + 1).is(Class::KIN)
            || one_of!(
                lower(ahead + 1),
                "house" "birthday" "phone" "laptop" "desk" "place" "car" "email" "advice" "idea"
            );
        points.add(
            Person,
            match (visited, owns) {
                (true, _) => 3.0,
                (false, true) => 2.5,
                (false, false) => 0.5,
            },
        );
        return;
    }
    match lower(ahead) {
        "," if lower(ahead + 1) == "who" => points.add(Person, 2.5),
        "," if class(ahead + 1).is(Class::REGION) => {
            points.add(Place, 2.5);
        }
        "," if at(ahead + 1).is_some_and(|next| gazetteer::is_state_code(next.text)) => {
            points.add(Place, 3.0);
        }
        "and" if lower(ahead + 1) == "i" => points.add(Person, 2.5),
        "," if matches!(
            lower(ahead + 1),
            "can" | "could" | "please" | "you" | "i" | "do" | "thanks" | "thank"
        ) && candidate.weak =>
        {
            points.add(Person, 1.5);
        }
        "is" | "was" if described_type(tokens, end + ahead + 1).is_some() => {
            points.add(described_type(tokens, end + ahead + 1).unwrap_or(Tool), 2.2);
        }
        "is" | "was"
            if class(ahead + 1).is(Class::PERSON_VERB)
                || one_of!(
                    lower(ahead + 1),
                    "my" "coming" "going" "our" "happy" "sick" "pregnant" "married"
                ) =>
        {
            points.add(Person, 1.5);
        }
        "is" | "was"
            if matches!(lower(ahead + 1), "a" | "an")
                && (2..5).any(|more| class(ahead + more).is(Class::OCCUPATION)) =>
        {
            points.add(Person, 1.8);
        }
        "is" if lower(ahead + 2) == "'s" && class(ahead + 3).is(Class::KIN) => {
            points.add(Person, 2.5);
        }
        ":" if candidate.weak => points.add(Person, 0.9),
        _ => {}
    }
    let named_so = matches!(lower(ahead), "called" | "named")
        && at(ahead + 1).is_some_and(|name| name.is_capital() || name.is_mark("\""));
    if next.is(Class::PERSON_VERB) && !named_so {
        points.add(Person, 1.7);
    }
    if at(ahead).is_some_and(|token| token.shape == Shape::Digit && token.text.contains('.'))
        && !candidate.ordinary
        && !candidate.weak
    {
        points.add(Tool, 1.2);
    }
    if at(ahead).is_some_and(|token| token.shape == Shape::Lower) {
        if next.is(Class::AFTER_TOOL) {
            points.add(Tool, 1.8);
        }
        if next.is(Class::PROJECT_HEAD)
            || one_of!(
                lower(ahead),
                "repo" "repository" "pilot" "rollout" "redesign" "sprint" "roadmap" "relaunch"
                "kickoff"
            )
        {
            points.add(Project, 2.0);
        }
        if next.is(Class::ORGANISATION_HEAD)
            || one_of!(
                lower(ahead),
                "employees" "shares" "stock" "headquarters" "announced" "acquired" "office" "fund"
                "bought"
            )
        {
            points.add(Organisation, 1.6);
        }
        if next.is(Class::PLACE_NOUN) && next.is(Class::PLACE_HEAD) {
            points.add(Place, 1.2);
        }
    }
}

/// The type that a description such as `our internal deployment tool` gives to the name before it.
fn described_type(tokens: &Tokens<'_>, article: usize) -> Option<EntityType> {
    let is_article = matches!(tokens.lower(article), "a" | "an" | "our" | "the");
    let mut at = article + 1;
    while tokens
        .get(at + 1)
        .is_some_and(|next| next.shape == Shape::Lower && !next.class.is(Class::FUNCTION))
        && at < article + 5
    {
        at += 1;
    }
    let noun = tokens
        .get(at)
        .filter(|noun| is_article && noun.shape == Shape::Lower)?
        .class;
    [
        (Class::TOOL_NOUN, EntityType::Tool),
        (Class::PLACE_NOUN, EntityType::Place),
        (Class::ORGANISATION_NOUN, EntityType::Organisation),
        (Class::PROJECT_NOUN, EntityType::Project),
    ]
    .into_iter()
    .find_map(|(class, kind)| noun.is(class).then_some(kind))
}
