//! What may be the object of a clause pattern.

use anamne_types::EntityType;

use super::rules::{Rule, Want};
use crate::reading::Term;
use crate::reading::gazetteer::Class;
use crate::reading::statements::sentence::{Kind, Phrase, Sentence};
use crate::reading::statements::words::is_judgement;

/// Small words that may stand between a verb and its object: `about`, `around`.
fn skip_small(sentence: &Sentence<'_>, at: usize, rule: &Rule) -> usize {
    // "from 4 to 18 September"
    let from = sentence.is(at, Kind::Number)
        || (sentence.mention(at).is_some() && sentence.lower(at.wrapping_sub(1)) == "from");
    if rule.object == Want::DateOrVersion && from && sentence.lower(at + 1) == "to" {
        return at + 2;
    }
    let small = matches!(
        sentence.lower(at),
        "on" | "the" | "about" | "around" | "early" | "late" | "in"
    );
    at + usize::from(small && matches!(rule.object, Want::Date | Want::DateOrVersion))
}

/// What stands for the object of a rule, where that will do.
pub(super) fn object_for(sentence: &Sentence<'_>, at: usize, rule: &Rule) -> Option<Phrase> {
    let object = sentence.object(skip_small(sentence, at, rule))?;
    if !rule.object.accepts(object.entity_type()) || sentence.items[object.items.start].quoted {
        return None;
    }
    let object = match &object.term {
        Term::Entity(..) => object,
        Term::Value(text) if matches!(rule.relation, "likes" | "dislikes" | "prefers") => {
            liked(sentence, &object, text, rule.relation)?
        }
        Term::Value(text) => described(sentence, &object, text, rule.relation)?,
    };
    Some(named_beside(sentence, object))
}

/// What is liked, in words.
fn liked(sentence: &Sentence<'_>, object: &Phrase, text: &str, relation: &str) -> Option<Phrase> {
    let (first, next) = (
        sentence.lower(object.items.start),
        sentence.lower(object.items.end),
    );
    let words = text.split(' ').count();
    let prefers = relation == "prefers";
    // "I prefer simple, minimal tools" continues after the comma, and "what I love makes it fun" after the verb.
    if (prefers && next == ",") || matches!(first, "makes" | "made" | "gives" | "helps" | "means") {
        return None;
    }
    if first.ends_with("ing") && words <= 3 {
        // "running my own studio" is more than running.
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

/// The object of any other relation, in words.
fn described(
    sentence: &Sentence<'_>,
    object: &Phrase,
    text: &str,
    relation: &str,
) -> Option<Phrase> {
    let (first, next) = (
        sentence.lower(object.items.start),
        sentence.lower(object.items.end),
    );
    if relation != "caused_by" && text.split(' ').any(is_judgement) {
        return None;
    }
    let words = text.split(' ').count();
    let verbal =
        first.ends_with("ing") || sentence.class(object.items.start).is(Class::PERSON_VERB);
    let accepted = match relation {
        "member_of" => is_club(&object.term),
        "attended" => is_event(sentence.lower(object.items.end - 1)),
        "created" | "works_on" => object.definite && (2..=4).contains(&words) && next != "of",
        "uses" => {
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

/// Whether a word names something that one goes to.
fn is_event(lower: &str) -> bool {
    one_of!(
        lower,
        "conference" "workshop" "parade" "meetup" "class" "concert" "festival" "wedding" "funeral"
        "seminar" "lecture" "exhibition" "retreat" "fair" "gala" "fundraiser" "reunion" "tournament"
        "match" "training" "webinar" "party" "ceremony" "camp" "rally" "protest" "screening"
        "graduation"
    )
}

/// The objects of a clause, several where the rule may have a list.
pub(super) fn objects(sentence: &Sentence<'_>, first: &Phrase, rule: &Rule) -> Vec<Phrase> {
    let lists = one_of!(
        rule.relation,
        "uses" "owns" "likes" "dislikes" "depends_on" "leads" "created" "visited" "works_on"
    );
    if !lists {
        return vec![first.clone()];
    }
    let mut all = sentence.more_objects(first);
    all.retain(|object| rule.object.accepts(object.entity_type()));
    all
}

/// `a startup, Sunpatch, …` and `a startup called Sunpatch` mean what has the name.
fn named_beside(sentence: &Sentence<'_>, object: Phrase) -> Phrase {
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

/// Whether something is joined for its own sake, and not to work there.
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
