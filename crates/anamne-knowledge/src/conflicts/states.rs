//! Claims that one thing replaced another, and that a property has a name as its value.

use std::ops::Range;

use super::actions::FoundAction;
use super::claim::{Action, Aspect, Quantity, Topic};
use super::clauses::{Clause, Mode};
use super::holding::{Mentioned, Sentence};
use super::quantities::FoundQuantity;
use super::tokens::{Kind, Token, is_at, says};
use super::topics::topics;
use super::values::month;
use super::words::{Stems, is_function_word, is_listed, is_past_form, verb_groups, verb_lemma};

/// Verbs of switching from one thing to another.
const SWITCHES: &str = "switch migrate move change convert transition shift";

/// Properties with one name as value at a time.
const NAMED: &str = "name manager boss supervisor doctor dentist therapist landlord city hometown town school university employer company
    job title position occupation profession colour color editor framework database provider bank language email username nickname
    major degree diet allergy budget status hobby sport song movie film book band artist food dish restaurant drink animal season
    car bike phone laptop roommate partner husband wife boyfriend girlfriend coach teacher mentor lead owner favorite favourite
    timezone address neighborhood neighbourhood team club venue location
    physiotherapist accountant lawyer attorney trainer nanny tutor vet dermatologist pediatrician psychologist hairdresser advisor
    adviser agent assistant destination theme vendor supplier caterer photographer";

/// What the speaker stopped and began using: `switched from A to B`, `replaced A with B`.
pub(super) fn switches(
    sentence: &Sentence<'_, '_>,
    index: usize,
    stems: &mut Stems,
) -> Vec<FoundAction> {
    let (tokens, clause) = (sentence.tokens, &sentence.clauses[index]);
    if clause.mode != Mode::Assertion {
        return Vec::new();
    }
    let range = clause.tokens.clone();
    let Some(verb) = range.clone().find(|&at| is_done(tokens, at, range.start)) else {
        return Vec::new();
    };
    let lemma = verb_lemma(&tokens[verb].lower);
    let pair = if is_listed(SWITCHES, &lemma) {
        between(tokens, verb, range.end, "from", "to into")
    } else if lemma == "replace" {
        between(tokens, verb, range.end, "", "with by")
    } else if matches!(lemma.as_str(), "ditch" | "abandon") {
        Some((object(tokens, verb + 1, range.end), None))
    } else {
        None
    };
    let Some((left, taken)) = pair else {
        return Vec::new();
    };
    let end = taken.as_ref().map_or(left.end, |taken| taken.end);
    let switched = Mentioned {
        clause: index,
        tokens: verb..end,
        changes: true,
        is_date: false,
    };
    if !sentence.holds(&switched) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut push = |object: Range<usize>, aspect| {
        let about = topics(tokens, object.clone(), stems);
        let measured = tokens[object.clone()]
            .iter()
            .any(|token| token.kind == Kind::Number || month(token).is_some());
        if about.iter().any(|topic| topic.weight >= 10) && !measured {
            found.push(FoundAction {
                tokens: verb..taken.as_ref().map_or(object.end, |taken| taken.end),
                subject: Vec::new(),
                about,
                action: Action {
                    verb: "use".to_owned(),
                    groups: verb_groups("use") | verb_groups("live") | verb_groups("own"),
                    aspect,
                    day: None,
                },
                changed: true,
            });
        }
    };
    push(left, Aspect::Ceased);
    if let Some(taken) = taken.clone() {
        push(taken, Aspect::Ongoing);
    }
    found
}

/// Whether the token is a verb of switching, in the past, by the speaker, and not denied.
fn is_done(tokens: &[Token<'_>], at: usize, start: usize) -> bool {
    let token = &tokens[at];
    let lemma = verb_lemma(&token.lower);
    let switches =
        is_listed(SWITCHES, &lemma) || matches!(lemma.as_str(), "replace" | "ditch" | "abandon");
    let speaker = says(&tokens[start..at], "i we");
    let denied = says(&tokens[start..at], "not never");
    switches && speaker && !denied && is_past_form(&token.lower)
}

/// The objects after two words: `from A to B`. If the first word is empty, the first object follows the verb.
fn between(
    tokens: &[Token<'_>],
    verb: usize,
    end: usize,
    first: &str,
    second: &str,
) -> Option<(Range<usize>, Option<Range<usize>>)> {
    let start = if first.is_empty() {
        verb + 1
    } else {
        (verb + 1..end).take(4).find(|&at| tokens[at].is(first))? + 1
    };
    let split = (start..end)
        .take(6)
        .find(|&at| tokens[at].is_one_of(second))?;
    (split > start).then(|| (start..split, Some(object(tokens, split + 1, end))))
}

/// A noun phrase, up to the next preposition.
fn object(tokens: &[Token<'_>], start: usize, end: usize) -> Range<usize> {
    let stop = (start..end)
        .find(|&at| {
            tokens[at].is_one_of("for in on at because since and with to by after last")
                || tokens[at].kind == Kind::Mark
        })
        .unwrap_or(end);
    start..stop
}

/// Properties with a name: `my manager is now Anna`, `we live in Oslo`.
pub(super) fn attributes(
    sentence: &Sentence<'_, '_>,
    index: usize,
    stems: &mut Stems,
) -> Vec<FoundQuantity> {
    let (tokens, clause) = (sentence.tokens, &sentence.clauses[index]);
    if clause.mode != Mode::Assertion {
        return Vec::new();
    }
    possessed(tokens, clause, stems)
        .or_else(|| renamed(tokens, clause, stems))
        .or_else(|| place(tokens, clause, stems))
        .filter(|found| {
            sentence.holds(&Mentioned {
                clause: index,
                tokens: found.verb.clone(),
                changes: found.changes,
                is_date: false,
            })
        })
        .map(|found| found.value)
        .into_iter()
        .collect()
}

/// A named value, and its tokens from the verb on.
struct FoundName {
    value: FoundQuantity,
    verb: Range<usize>,
    /// Whether the verb is one of change.
    changes: bool,
}

fn possessed(tokens: &[Token<'_>], clause: &Clause, stems: &mut Stems) -> Option<FoundName> {
    let range = clause.tokens.clone();
    let start = range
        .clone()
        .take(3)
        .find(|&at| tokens[at].is_one_of("my our the"))?;
    let verb = (start + 2..range.end)
        .take(4)
        .find(|&at| tokens[at].is_one_of("is are 's"))?;
    let noun = &tokens[verb - 1];
    let favourite = says(&tokens[start + 1..verb], "favorite favourite");
    let named = is_listed_name(noun) && (!tokens[start].is("the") || verb - start > 2);
    let qualified = says(
        &tokens[start + 1..verb],
        "of in for at old former previous first last",
    );
    if !(favourite || named) || qualified {
        return None;
    }
    let mut first = verb + 1;
    let mut changed = false;
    while first < range.end
        && tokens[first].is_one_of("now currently actually still called named probably the a an")
    {
        changed |= tokens[first].is("now");
        first += 1;
    }
    let last = (first..range.end)
        .take(4)
        .take_while(|&at| tokens[at].kind == Kind::Word && (!is_function_word(&tokens[at].lower)))
        .last()?;
    let name = &tokens[first..=last];
    let is_name = name.iter().all(Token::is_capitalised);
    let rest = range.end - last - 1;
    if !(is_name || (favourite && name.len() <= 2 && rest == 0)) {
        return None;
    }
    let about = weighed(topics(tokens, start + 1..verb, stems));
    Some(FoundName {
        value: named_value(start..last + 1, about, &written(name), changed),
        verb: verb..last + 1,
        changes: false,
    })
}

/// `changed the venue to Kew Hall`.
fn renamed(tokens: &[Token<'_>], clause: &Clause, stems: &mut Stems) -> Option<FoundName> {
    let range = clause.tokens.clone();
    let verb = range
        .clone()
        .find(|&at| tokens[at].is_one_of("changed switched moved updated"))?;
    let speaker = says(&tokens[range.start..verb], "i we");
    let start = verb + 1;
    let owned = speaker && start < range.end && tokens[start].is_one_of("my our the");
    let to = (start + 2..range.end)
        .take(4)
        .find(|&at| tokens[at].is("to"))
        .filter(|_| owned)?;
    if !is_listed_name(&tokens[to - 1]) {
        return None;
    }
    let first = to + 1 + usize::from(is_at(tokens, to + 1, "the a an"));
    let last = names_from(tokens, first, range.end)?;
    let about = weighed(topics(tokens, start + 1..to, stems));
    Some(FoundName {
        value: named_value(verb..last, about, &written(&tokens[first..last]), true),
        verb: verb..last,
        changes: true,
    })
}

/// The end of the capitalised words that begin at `first`.
fn names_from(tokens: &[Token<'_>], first: usize, end: usize) -> Option<usize> {
    let length = tokens
        .get(first..end)?
        .iter()
        .take(4)
        .take_while(|token| token.is_capitalised() && month(token).is_none())
        .count();
    (length > 0).then_some(first + length)
}

fn is_listed_name(noun: &Token<'_>) -> bool {
    is_listed(NAMED, &noun.lower)
}

fn weighed(mut about: Vec<Topic>) -> Vec<Topic> {
    for topic in &mut about {
        topic.weight = topic.weight.max(10);
    }
    about
}

/// Where the speaker, or someone like `my sister`, lives or works.
fn place(tokens: &[Token<'_>], clause: &Clause, stems: &mut Stems) -> Option<FoundName> {
    let range = clause.tokens.clone();
    let start = range
        .clone()
        .take(3)
        .find(|&at| tokens[at].is_one_of("i we my our"))?;
    let at = (start + 1..range.end).take(5).find(|&at| {
        let token = &tokens[at];
        token.is_one_of("live lives living based moved relocated work works working")
    })?;
    let (property, changed) = match tokens[at].lower.as_str() {
        "live" | "lives" | "living" | "based" if is_at(tokens, at + 1, "in") => ("live", false),
        "moved" | "relocated" if is_at(tokens, at + 1, "to back") => ("live", true),
        "work" | "works" | "working" if is_at(tokens, at + 1, "at for") => ("work", false),
        _ => return None,
    };
    let between = &tokens[start + 1..at];
    let adverbs = "have has am is are just now currently recently finally still been both also";
    let speaker = tokens[start].is_one_of("i we");
    if speaker && !between.iter().all(|token| token.is_one_of(adverbs)) {
        return None;
    }
    let back = usize::from(is_at(tokens, at + 1, "back"));
    let first = at + 2 + back;
    let last = names_from(tokens, first, range.end)?;
    let says_now =
        says(&tokens[range.start..at], "now") || says(&tokens[last..range.end], "now again");
    let mut about = vec![Topic {
        term: property.to_owned(),
        weight: 10,
    }];
    if !speaker {
        about.extend(weighed(topics(tokens, start + 1..at, stems)));
    }
    let name = written(&tokens[first..last]);
    Some(FoundName {
        value: named_value(start..last, about, &name, changed || says_now),
        verb: at..last,
        changes: changed,
    })
}

fn written(name: &[Token<'_>]) -> String {
    name.iter()
        .map(|token| token.text)
        .collect::<Vec<_>>()
        .join(" ")
}

fn named_value(
    tokens: Range<usize>,
    about: Vec<Topic>,
    name: &str,
    changed: bool,
) -> FoundQuantity {
    FoundQuantity {
        tokens,
        subject: Vec::new(),
        about,
        changed,
        quantity: Quantity {
            dimension: "name".to_owned(),
            value: 0.0,
            written: name.to_owned(),
            approximate: false,
            target: false,
            verb: String::new(),
            before: None,
            phrases: Vec::new(),
            qualifiers: Vec::new(),
            period: Vec::new(),
            single: true,
            cumulative: false,
        },
    }
}
