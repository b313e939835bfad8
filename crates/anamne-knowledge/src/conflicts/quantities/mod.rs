//! Claims that a property has a value.

mod holders;
mod properties;

use std::ops::Range;

use self::holders::holder;
use self::properties::{is_noun_like, property};
use super::claim::{Quantity, Topic};
use super::clauses::{Clause, Mode};
use super::holding::{Mentioned, Sentence};
use super::tokens::{Kind, Token, says};
use super::topics::topics;
use super::values::{PORT, Value, is_schedule, month};
use super::words::{Stems, is_function_word, is_listed, is_past_form, verb_lemma};

/// A quantity read from a clause, before it becomes a claim.
pub(super) struct FoundQuantity {
    /// The tokens to quote.
    pub(super) tokens: Range<usize>,
    /// Who or what has it, the head first; empty for the speaker.
    pub(super) subject: Vec<String>,
    /// The topic, the head first.
    pub(super) about: Vec<Topic>,
    pub(super) quantity: Quantity,
    pub(super) changed: bool,
}

/// What a qualifier begins with that names an environment.
pub(super) const ENVIRONMENT: &str = "in ";

/// Verbs after which a date is a scheduled one.
const ARRANGED: &str = "schedule plan set arrange book fix due confirm move";

/// Verbs that state a change of a value.
pub(super) const CHANGES: &str = "increase decrease grow rise drop fall improve reduce extend shorten expand move push reschedule postpone shift delay
    change update raise lower reach climb jump boost bump revise adjust reset decline shrink slip";

/// Nouns that have one value at a time.
const SINGLE: &str = "deadline budget quota limit salary rent price age weight height address port capacity eta fee timeout birthday
    duedate wage allowance threshold headcount subscription";

/// Verbs of cumulative results.
const CUMULATIVE: &str = "complete finish solve read write submit collect visit publish secure attend save raise earn close sell merge add
    record log interview hire apply practice practise study pass sign deliver resolve fix";

const AIMS: &str = "goal target aim aiming aims hope hoping want wants plan planning plans will would should could need needs expect \
    expecting intend trying try wish if ideally";

/// The quantities of one clause.
pub(super) fn quantities(
    sentence: &Sentence<'_, '_>,
    index: usize,
    values: &[Value],
    stems: &mut Stems,
) -> Vec<FoundQuantity> {
    let (tokens, clauses) = (sentence.tokens, sentence.clauses);
    let clause = &clauses[index];
    if clause.mode == Mode::Hypothesis {
        return Vec::new();
    }
    let inside: Vec<&Value> = values
        .iter()
        .filter(|value| clause.tokens.contains(&value.tokens.start))
        .collect();
    let mut found = Vec::new();
    for (place, value) in inside.iter().enumerate() {
        let previous = place.checked_sub(1).map(|place| inside[place]);
        let is_old = is_old_value(tokens, value, inside.get(place + 1).copied());
        if is_old {
            continue;
        }
        let before = previous.filter(|old| is_old_value(tokens, old, Some(value)));
        if clause.mode == Mode::Question && sentence.is_asked(index, value.tokens.start) {
            // `is my new limit of 5 enough`: presupposed, whatever is asked.
            let presupposed = value.tokens.start > 0 && tokens[value.tokens.start - 1].is("of");
            if !presupposed {
                continue;
            }
        }
        found.extend(quantity(sentence, index, value, before, stems));
    }
    if clause.mode == Mode::Question {
        found.retain(|found| found.changed && !found.quantity.target);
    }
    found
}

/// Whether it is an old value: `from 3` before `to 5`.
fn is_old_value(tokens: &[Token<'_>], value: &Value, next: Option<&Value>) -> bool {
    let from = value.tokens.start > 0 && tokens[value.tokens.start - 1].is("from");
    from && next.is_some_and(|next| {
        next.tokens.start > value.tokens.end
            && next.tokens.start - value.tokens.end <= 4
            && says(&tokens[value.tokens.end..next.tokens.start], "to")
            && (next.dimension == value.dimension || value.dimension == "number")
    })
}

fn quantity(
    sentence: &Sentence<'_, '_>,
    index: usize,
    value: &Value,
    before: Option<&Value>,
    stems: &mut Stems,
) -> Option<FoundQuantity> {
    let (tokens, clauses) = (sentence.tokens, sentence.clauses);
    let clause = &clauses[index];
    let mut from = before.map_or(value.tokens.start, |old| old.tokens.start);
    let is_port = value.dimension == PORT;
    // What has the port is its property, not the word itself.
    if is_port && from > clause.tokens.start && tokens[from - 1].is("port") {
        from -= 1;
    }
    let property = property(tokens, clauses, index, value, from)?;
    let mut about = Vec::new();
    if !value.counted.is_empty() {
        about.extend(topics(tokens, value.counted.clone(), stems));
    }
    for range in &property {
        for topic in topics(tokens, range.clone(), stems) {
            if !about.iter().any(|known: &Topic| known.term == topic.term) {
                about.push(topic);
            }
        }
    }
    about.truncate(8);
    if about.is_empty() {
        return None;
    }
    let leading = &tokens[clause.tokens.start..from];
    let verb = governing_verb(leading);
    let lemma = verb
        .map(|at| verb_lemma(&leading[at].lower))
        .unwrap_or_default();
    let is_schedule = is_schedule(&value.dimension);
    let to_value = leading
        .iter()
        .rev()
        .take(4)
        .any(|token| token.is_one_of("to until till through"));
    let change_verb = is_listed(CHANGES, &lemma) && (to_value || lemma == "reach");
    let happened = verb.is_some_and(|at| is_past_form(&leading[at].lower))
        && !change_verb
        && !is_listed(ARRANGED, &lemma);
    let spans = value.dimension == "time"
        && from > 0
        && tokens[from - 1]
            .is_one_of("over within for in after every last past next during each the first");
    let proposed = is_schedule && says(leading, "should would could might");
    if spans || proposed || is_delta(tokens, value, from, &property) || (is_schedule && happened) {
        return None;
    }
    let wanted = verb.is_some_and(|at| {
        at > 0
            && leading[..at]
                .iter()
                .rev()
                .take(3)
                .any(|word| word.is_one_of("to will would should could"))
    }) && verb.is_some_and(|at| !is_past_form(&leading[at].lower));
    let aims = aims(leading) || property_aims(tokens, &property);
    let mentioned = Mentioned {
        clause: index,
        tokens: verb.map_or(from, |at| clause.tokens.start + at)..value.tokens.end,
        changes: is_listed(CHANGES, &lemma),
        is_date: is_schedule,
    };
    let perfect = says(leading, "have has recently now");
    let near_new = says(
        &tokens[from.saturating_sub(7).max(clause.tokens.start)..from],
        "new updated revised rescheduled latest adjusted extended",
    ) && (value.counted.is_empty() || tokens[from - 1].is("of"));
    let target = !is_schedule && (wanted && change_verb || aims && !perfect && !near_new);
    if !target && !sentence.holds(&mentioned) {
        return None;
    }
    let returned = leading
        .windows(2)
        .any(|pair| pair[0].is("back") && pair[1].is_one_of("to at on in"))
        || leading.last().is_some_and(|last| last.is("back"));
    let says_now = says(&tokens[clause.tokens.clone()], "now again")
        || returned
        || leading
            .iter()
            .any(|token| token.is("total") || token.is("reached"))
        || tokens[value.tokens.end..]
            .windows(2)
            .take(4)
            .any(|pair| pair[0].is("so") && pair[1].is("far"));
    let changed = says_now || near_new || change_verb;
    let head_words: Vec<&str> = property
        .iter()
        .flat_map(|range| tokens[range.clone()].iter())
        .map(|token| token.lower.as_str())
        .collect();
    let single = is_port || head_words.iter().any(|word| is_listed(SINGLE, word));
    Some(FoundQuantity {
        tokens: quoted(clause, &property, verb, from..value.tokens.end),
        changed: changed && (is_schedule || !wanted),
        subject: holder(tokens, clauses, index, from, stems),
        quantity: Quantity {
            dimension: value.dimension.clone(),
            value: value.amount,
            written: tokens[value.tokens.start].text.to_owned(),
            approximate: value.approximate,
            target,
            cumulative: perfect && value.dimension != "percent" && is_listed(CUMULATIVE, &lemma),
            verb: lemma,
            before: before.map(|old| old.amount),
            phrases: phrases(tokens, value, &property, stems),
            qualifiers: {
                let mut found = qualifiers(tokens, clause, &property, value);
                let environment = sentence.environment(index);
                found.extend(environment.map(|name| format!("{ENVIRONMENT}{name}")));
                found.sort_unstable();
                found
            },
            period: period(tokens),
            single,
        },
        about,
    })
}

/// Whether a value is a difference rather than an amount: `a raise of $500`, `by 10%`, `$500 increase`.
fn is_delta(tokens: &[Token<'_>], value: &Value, from: usize, property: &[Range<usize>]) -> bool {
    const DELTAS: &str = "increase raise reduction decrease growth bonus discount improvement rise drop cut boost hike difference extra
        additional more fewer less";
    let by = from > 0 && tokens[from - 1].is("by") && !is_schedule(&value.dimension);
    let after = tokens[value.tokens.end..].iter().take(3);
    let counted = tokens[value.counted.clone()].iter();
    let of = from >= 2 && tokens[from - 1].is("of") && tokens[from - 2].is_one_of(DELTAS);
    let beside = property
        .first()
        .is_some_and(|range| range.start == value.tokens.end);
    let another = from > 0 && tokens[from - 1].is_one_of("another extra additional");
    by || of
        || another
        || (beside && after.clone().any(|token| token.is_one_of(DELTAS)))
        || counted
            .clone()
            .any(|token| token.is_one_of("more other additional extra different"))
}

/// The quoted tokens: from the property, or the verb if it is near, to the end of the value and its noun phrases.
fn quoted(
    clause: &Clause,
    property: &[Range<usize>],
    verb: Option<usize>,
    value: Range<usize>,
) -> Range<usize> {
    const NEAR: usize = 6;
    let named = property.iter().map(|range| range.start).min();
    let verb = verb
        .map(|at| clause.tokens.start + at)
        .filter(|at| value.start - at <= NEAR);
    let start = [named, verb].into_iter().flatten().min();
    let end = property.iter().map(|range| range.end).max();
    start.map_or(value.start, |start| start.min(value.start))
        ..end.map_or(value.end, |end| end.max(value.end))
}

/// Whether the words before a value state it as an aim, rather than mention it in passing (`to tidy the shelf with 8 boxes`).
fn aims(leading: &[Token<'_>]) -> bool {
    leading
        .iter()
        .rposition(|token| token.is_one_of(AIMS))
        .is_some_and(|aim| {
            !leading[aim + 1..].iter().any(|token| {
                token.is_one_of("how with that new why because after")
                    || (is_past_form(&token.lower) && !token.is_one_of("set put cut read"))
            })
        })
}

fn property_aims(tokens: &[Token<'_>], property: &[Range<usize>]) -> bool {
    property
        .iter()
        .flat_map(|range| tokens[range.clone()].iter())
        .any(|token| token.is_one_of("goal target aim"))
}

/// The nearest verb before a value.
pub(super) fn governing_verb(leading: &[Token<'_>]) -> Option<usize> {
    leading.iter().rposition(|token| {
        token.kind == Kind::Word
            && (is_listed(CHANGES, &verb_lemma(&token.lower))
                || is_listed(CUMULATIVE, &verb_lemma(&token.lower))
                || (is_past_form(&token.lower)
                    && !token.is_one_of("was were has have had did been")))
    })
}

/// The noun phrases of a property, the counted one first: of each the head, then its other terms, sorted.
fn phrases(
    tokens: &[Token<'_>],
    value: &Value,
    property: &[Range<usize>],
    stems: &mut Stems,
) -> Vec<Vec<String>> {
    let counted = (!value.counted.is_empty()).then(|| value.counted.clone());
    counted
        .into_iter()
        .chain(property.iter().cloned())
        .map(|phrase| {
            let mut terms: Vec<String> = tokens[phrase]
                .iter()
                .filter(|token| is_noun_like(token))
                .map(|token| stems.of(&token.lower))
                .collect();
            let head = terms.pop();
            terms.sort_unstable();
            terms.dedup();
            head.into_iter().chain(terms).collect()
        })
        .filter(|phrase: &Vec<String>| !phrase.is_empty())
        .collect()
}

/// Terms that distinguish a claim from similar ones.
fn qualifiers(
    tokens: &[Token<'_>],
    clause: &Clause,
    property: &[Range<usize>],
    value: &Value,
) -> Vec<String> {
    const ORDINALS: &str = "first second third fourth fifth sixth final initial last";
    const SIDES: &str = "left right upper lower front rear north south east west old other";
    const DAYS: &str = "monday tuesday wednesday thursday friday saturday sunday yesterday today tomorrow monthly weekly daily
        yearly annual annually hourly average maximum minimum max min median total";
    let mut found = Vec::new();
    let near = property
        .iter()
        .flat_map(|range| range.start.saturating_sub(2)..(range.end + 1).min(tokens.len()))
        .chain(clause.tokens.clone());
    for at in near {
        let token = &tokens[at];
        if value.tokens.contains(&at) {
            continue;
        }
        let beside = token.is_one_of(SIDES)
            && property
                .iter()
                .any(|range| (range.start.saturating_sub(2)..range.end).contains(&at));
        if beside || token.is_one_of(ORDINALS) || token.is_one_of(DAYS) {
            found.push(token.lower.clone());
        }
        // `sprint 2`, `chapter 3`
        let numbered = at > 0
            && token.kind == Kind::Number
            && tokens[at - 1].kind == Kind::Word
            && !is_function_word(&tokens[at - 1].lower)
            && month(&tokens[at - 1]).is_none()
            && token.lower.len() <= 4
            && property
                .iter()
                .any(|range| range.contains(&(at - 1)) || range.end == at);
        if numbered {
            found.push(format!("{} {}", tokens[at - 1].lower, token.lower));
        }
    }
    if value.dimension != "date" {
        found.extend(months(tokens, clause.tokens.clone()));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The days and months in a range of tokens, except deadlines (`by April 5`).
fn months(tokens: &[Token<'_>], range: Range<usize>) -> Vec<String> {
    range
        .filter_map(|at| {
            let month = month(&tokens[at])?;
            let day = tokens.get(at + 1).map_or("", |next| next.lower.as_str());
            let ends = at > 0 && tokens[at - 1].is_one_of("by until till before");
            (!ends).then(|| format!("{month} {day}"))
        })
        .collect()
}

/// The days and months of a whole sentence, sorted.
fn period(tokens: &[Token<'_>]) -> Vec<String> {
    let mut found = months(tokens, 0..tokens.len());
    found.sort_unstable();
    found
}
