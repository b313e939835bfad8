//! Decisions and plans.

use anamne_types::{EntityType, RelationType};

use super::Writer;
use super::sentence::Sentence;
use super::verbs;
use crate::reading::Term;
use crate::reading::gazetteer::Class;

/// Maximum length of a plan or decision, in items of a sentence.
const MAX_ITEMS: usize = 16;

pub(super) fn read(writer: &mut Writer<'_, '_>) {
    announced(writer);
    for at in 0..writer.sentence.items.len() {
        if writer.sentence.items[at].quoted {
            continue;
        }
        if let Some((object_at, negated)) = decision(writer.sentence, at) {
            add(writer, at, &RelationType::Decided, object_at, negated, 0.8);
        } else if let Some((object_at, confidence)) = plan(writer.sentence, at) {
            add(
                writer,
                at,
                &RelationType::Plans,
                object_at,
                false,
                confidence,
            );
        }
    }
}

/// `Decided: SQLite on the server.`
fn announced(writer: &mut Writer<'_, '_>) {
    let sentence = writer.sentence;
    let first = (0..2).find(|at| matches!(sentence.lower(*at), "decided" | "decision" | "agreed"));
    let Some(first) = first.filter(|at| {
        sentence.lower(at + 1) == ":" && (*at == 0 || sentence.lower(at - 1) != "not")
    }) else {
        return;
    };
    let Some(author) = sentence.author.clone() else {
        return;
    };
    if let Some((text, end)) = sentence.rest_of_clause(first + 2, MAX_ITEMS) {
        writer.add_without_verb(
            &author,
            RelationType::Decided,
            &Term::Value(text),
            first..end,
            0.85,
        );
    }
}

/// The first item of what was decided, and whether it was decided against.
fn decision(sentence: &Sentence<'_>, at: usize) -> Option<(usize, bool)> {
    let next = sentence.lower(at + 1);
    let after = at + 2;
    match (sentence.lower(at), next) {
        ("decided", "to" | "on" | "for" | "that") => Some((
            after + usize::from(next == "to" && sentence.lower(after) == "not"),
            next == "to" && sentence.lower(after) == "not",
        )),
        ("decided", "not") if sentence.lower(after) == "to" => Some((after + 1, true)),
        ("decided", "against") => Some((after, true)),
        ("agreed", "to" | "on" | "that")
        | ("settled" | "opted", "on" | "for" | "to")
        | ("went" | "going", "with")
        | ("chose", "to") => Some((after, false)),
        ("chose" | "picked", _)
            if !matches!(
                next,
                "up" | "" | "it" | "this" | "that" | "you" | "them" | "her" | "him"
            ) =>
        {
            Some((at + 1, false))
        }
        _ => None,
    }
}

/// The first item of what is planned, and the confidence.
fn plan(sentence: &Sentence<'_>, at: usize) -> Option<(usize, f32)> {
    let next = sentence.lower(at + 1);
    let after = at + 2;
    match (sentence.lower(at), next) {
        (
            "plan" | "plans" | "planning" | "intend" | "intends" | "intending" | "aiming",
            "to" | "on",
        ) => Some((after, 0.8)),
        ("going", "to") if !is_empty_verb(sentence.lower(after)) => Some((after, 0.65)),
        ("gonna", _) if !is_empty_verb(next) => Some((at + 1, 0.6)),
        ("want" | "wants" | "hoping" | "hope" | "hopes", "to")
            if is_undertaking(sentence, after) =>
        {
            Some((after, 0.55))
        }
        ("like" | "love", "to")
            if matches!(sentence.lower(at.wrapping_sub(1)), "would" | "'d")
                && is_undertaking(sentence, after) =>
        {
            Some((after, 0.5))
        }
        _ => None,
    }
}

/// Verbs too general to describe a plan.
fn is_empty_verb(lower: &str) -> bool {
    one_of!(
        lower,
        "be" "have" "need" "take" "the" "" "keep" "make" "try" "help" "check" "tell" "show" "do"
        "see" "get" "stay" "say" "give" "ask" "know" "think" "let" "continue" "just" "go" "put"
        "use" "need-to" "want" "find" "explain" "proceed" "hit" "pass" "support" "miss" "love"
        "like"
    )
}

/// Whether a wish is the author's own plan and not a request to the other party.
fn is_undertaking(sentence: &Sentence<'_>, verb: usize) -> bool {
    let lower = sentence.lower(verb);
    if lower == "start"
        && matches!(
            sentence.lower(verb + 1),
            "with" | "thinking" | "by" | "to" | "from"
        )
    {
        return false;
    }
    let undertaking = one_of!(
        lower,
        "visit" "travel" "move" "buy" "learn" "study" "start" "open" "launch" "marry" "adopt"
        "retire" "quit" "migrate" "switch" "release" "ship" "hire" "join" "apply" "become" "climb"
        "run" "publish" "finish" "plant" "replace" "sell" "attend" "teach" "volunteer" "graduate"
        "write" "see"
    );
    let dated = (verb..sentence.items.len())
        .take_while(|at| !sentence.ends_clause(*at))
        .any(|at| sentence.names(at, EntityType::Date));
    let specific = (verb + 1..sentence.items.len())
        .take(4)
        .any(|at| sentence.mention(at).is_some())
        || lower != "see";
    (undertaking && specific) || (dated && !is_empty_verb(lower))
}

fn add(
    writer: &mut Writer<'_, '_>,
    verb: usize,
    relation: &RelationType,
    object_at: usize,
    against: bool,
    confidence: f32,
) {
    let sentence = writer.sentence;
    let mut group = verbs::group(sentence, verb);
    let wish = matches!(sentence.lower(verb), "like" | "love");
    let conditional = !wish && verbs::is_conditional(sentence, group.start);
    if (group.unreal && !wish)
        || conditional
        || (*relation == RelationType::Plans && (group.negated || group.past))
        || (*relation == RelationType::Decided && (group.future || group.negated))
    {
        return;
    }
    let Some((text, end)) = sentence.rest_of_clause(object_at, MAX_ITEMS) else {
        return;
    };
    let dated = text.split(' ').count() < 3
        && (sentence.class(object_at).is(Class::UNIT_OF_TIME)
            || sentence.names(object_at, EntityType::Date));
    if dated {
        return;
    }
    let vague = matches!(
        sentence.lower(object_at),
        "it" | "this" | "that" | "them" | "me" | "you"
    ) || text.contains("following");
    if vague || (text.split(' ').count() < 2 && sentence.mention(object_at).is_none()) {
        return;
    }
    group.negated = against;
    let object = Term::Value(text);
    for subject in sentence.subjects(group.start) {
        let relative = subject.items.start.checked_sub(1).is_some_and(|before| {
            matches!(
                sentence.lower(before),
                "what" | "which" | "how" | "where" | "as" | "why"
            )
        });
        let party = subject.is(EntityType::Person) || subject.is(EntityType::Organisation);
        if party && !relative {
            let confidence = confidence * subject.confidence * verbs::doubt(sentence, group.start);
            writer.add_for_phrase(&subject, relation.clone(), &object, end, group, confidence);
        }
    }
}
