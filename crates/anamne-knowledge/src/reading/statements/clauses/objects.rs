//! The objects of clause patterns.

use anamne_types::{EntityType, RelationType};

use super::rules::{ArgumentKind, Rule};
use crate::reading::Term;
use crate::reading::gazetteer::Class;
use crate::reading::statements::sentence::{Kind, Phrase, Sentence};
use crate::reading::statements::words::is_judgement;

/// Skips small words between a verb and its object: `about`, `around`.
fn skip_small(sentence: &Sentence<'_>, at: usize, rule: &Rule) -> usize {
    // "from 4 to 18 September"
    let from = sentence.is(at, Kind::Number)
        || (sentence.mention(at).is_some() && sentence.lower(at.wrapping_sub(1)) == "from");
    if rule.object == ArgumentKind::DateOrVersion && from && sentence.lower(at + 1) == "to" {
        return at + 2;
    }
    let small = matches!(
        sentence.lower(at),
        "on" | "the" | "about" | "around" | "early" | "late" | "in"
    );
    at + usize::from(
        small
            && matches!(
                rule.object,
                ArgumentKind::Date | ArgumentKind::DateOrVersion
            ),
    )
}

/// The object of a rule at `at`, if the rule accepts it.
pub(super) fn object_for(sentence: &Sentence<'_>, at: usize, rule: &Rule) -> Option<Phrase> {
    let object = sentence.object(skip_small(sentence, at, rule))?;
    if !rule.object.accepts(object.entity_type()) || sentence.items[object.items.start].quoted {
        return None;
    }
    let object = match &object.term {
        Term::Entity(..) => object,
        Term::Value(text)
            if matches!(
                rule.relation,
                RelationType::Likes | RelationType::Dislikes | RelationType::Prefers
            ) =>
        {
            liked(sentence, &object, text, &rule.relation)?
        }
        Term::Value(text) => described(sentence, &object, text, &rule.relation)?,
    };
    Some(named_apposition(sentence, object))
}

/// An object of `likes`, `dislikes` or `prefers` without a name.
fn liked(
    sentence: &Sentence<'_>,
    object: &Phrase,
    text: &str,
    relation: &RelationType,
) -> Option<Phrase> {
    let (first, next) = (
        sentence.lower(object.items.start),
        sentence.lower(object.items.end),
    );
    let words = text.split(' ').count();
    let prefers = *relation == RelationType::Prefers;
    // "I prefer simple, minimal tools" continues after the comma, and "what I love makes it fun" after the verb.
    if (prefers && next == ",") || matches!(first, "makes" | "made" | "gives" | "helps" | "means") {
        return None;
    }
    if first.ends_with("ing") && words <= 3 {
        // Keep the whole of "running my own studio", not only "running".
        let (whole, end) = sentence.rest_of_clause(object.items.start, 9)?;
        return Some(Phrase {
            term: Term::Value(whole),
            items: object.items.start..end,
            ..object.clone()
        });
    }
    let vague = |word| one_of!(word, "all" "like" "especially" "lately" "ones" "together");
    let goes_on = matches!(next, "is" | "are" | "was" | "'s" | "how" | "when")
        || (!prefers && (next == "of" || object.definite || text.split(' ').any(vague)));
    (words <= 4 && !goes_on).then(|| object.clone())
}

/// An object of another relation without a name.
fn described(
    sentence: &Sentence<'_>,
    object: &Phrase,
    text: &str,
    relation: &RelationType,
) -> Option<Phrase> {
    let (first, next) = (
        sentence.lower(object.items.start),
        sentence.lower(object.items.end),
    );
    if *relation != RelationType::CausedBy && text.split(' ').any(is_judgement) {
        return None;
    }
    let words = text.split(' ').count();
    let verbal =
        first.ends_with("ing") || sentence.class(object.items.start).is(Class::PERSON_VERB);
    let accepted = match relation {
        RelationType::MemberOf => is_club(&object.term),
        RelationType::Attended => is_event(sentence.lower(object.items.end - 1)),
        RelationType::Created | RelationType::WorksOn => {
            object.definite && (2..=4).contains(&words) && next != "of"
        }
        RelationType::Uses => {
            words <= 3
                && (object.definite || !verbal)
                && !(first.ends_with("ing") && words > 1)
                && !matches!(next, "to" | "of")
        }
        _ => object.definite && words <= 4 && next != "of",
    };
    let ends_well = sentence.names(object.items.end, EntityType::Date)
        || sentence.ends_clause(object.items.end)
        || one_of!(
            next,
            "and" "for" "in" "on" "at" "with" "from" "to" "by" "over" "or" "since" "until" "as"
        );
    (accepted && ends_well).then(|| object.clone())
}

/// Whether a word denotes an event that people attend.
fn is_event(lower: &str) -> bool {
    one_of!(
        lower,
        "conference" "workshop" "parade" "meetup" "class" "concert" "festival" "wedding" "funeral"
        "seminar" "lecture" "exhibition" "retreat" "fair" "gala" "fundraiser" "reunion" "tournament"
        "match" "training" "webinar" "party" "ceremony" "camp" "rally" "protest" "screening"
        "graduation"
    )
}

/// The objects of a clause; several if the relation allows a list.
pub(super) fn objects(sentence: &Sentence<'_>, first: &Phrase, rule: &Rule) -> Vec<Phrase> {
    let lists = matches!(
        rule.relation,
        RelationType::Uses
            | RelationType::Owns
            | RelationType::Likes
            | RelationType::Dislikes
            | RelationType::DependsOn
            | RelationType::Leads
            | RelationType::Created
            | RelationType::Visited
            | RelationType::WorksOn
    );
    if !lists {
        return vec![first.clone()];
    }
    let mut all = sentence.more_objects(first);
    all.retain(|object| rule.object.accepts(object.entity_type()));
    all
}

/// The named entity in `a startup, Sunpatch, …` and `a startup called Sunpatch`; else the object itself.
fn named_apposition(sentence: &Sentence<'_>, object: Phrase) -> Phrase {
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

/// Whether joining an organisation means membership and not employment.
pub(super) fn is_club(term: &Term) -> bool {
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
