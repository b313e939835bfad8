//! Finds the noun phrases that name what has a value.

use std::ops::Range;

use super::{CHANGES, governing_verb};
use crate::conflicts::clauses::Clause;
use crate::conflicts::tokens::{Kind, Token};
use crate::conflicts::values::{PRESENT_VERBS, Value, is_schedule, month};
use crate::conflicts::words::{
    is_function_word, is_known_verb, is_listed, is_past_form, verb_lemma,
};

const CONNECTORS: &str = "is are was were be been being has have had now currently at to from by on for until till of about around roughly
    approximately just recently only still already also as up down which that it 's stands sits equals finally set scheduled due
    planned in with i we and am over under nearly almost total";

const PREPOSITIONS: &str = "of in for on with at into to from within by about";

/// The noun phrases that name what has the value.
pub(super) fn property(
    tokens: &[Token<'_>],
    clauses: &[Clause],
    index: usize,
    value: &Value,
    from: usize,
) -> Option<Vec<Range<usize>>> {
    let clause = &clauses[index];
    let mut phrases = Vec::new();
    let after = noun_run_after(tokens, clause, value.tokens.end);
    let counts = !value.counted.is_empty();
    let is_schedule = is_schedule(&value.dimension);
    if !counts && !after.is_empty() && value.dimension != "number" && !is_schedule {
        phrases.push(after.clone());
        phrases.extend(phrases_after(tokens, clause, after.end));
        return Some(phrases);
    }
    let mut chain = chain_before(tokens, clause.tokens.start, from);
    if chain.is_empty() && !counts && !is_schedule {
        chain.extend(measuring_verb(&tokens[..from], clause.tokens.start));
    }
    if chain.is_empty() && index > 0 && refers_back(tokens, clause, from, counts) {
        let previous = &clauses[index - 1];
        chain = chain_before(tokens, previous.tokens.start, previous.tokens.end);
    }
    if counts {
        phrases.extend(chain);
        phrases.extend(phrases_after(tokens, clause, value.tokens.end));
        return Some(phrases);
    }
    phrases.extend(chain);
    if phrases.is_empty() {
        return None;
    }
    phrases.extend(phrases_after(tokens, clause, value.tokens.end));
    Some(phrases)
}

/// `I have saved $200`: the verb names what has the value.
fn measuring_verb(leading: &[Token<'_>], start: usize) -> Option<Range<usize>> {
    const MEASURING: &str = "save earn raise spend pay owe score weigh cost last measure charge";
    let at = start + governing_verb(&leading[start..])?;
    is_listed(MEASURING, &verb_lemma(&leading[at].lower)).then_some(at..at + 1)
}

/// Whether a pronoun before the value refers to the previous clause.
fn refers_back(tokens: &[Token<'_>], clause: &Clause, from: usize, counts: bool) -> bool {
    let words = if counts {
        "which that"
    } else {
        "which it that i we"
    };
    tokens[clause.tokens.start..from]
        .iter()
        .any(|token| token.is_one_of(words))
}

pub(super) fn is_noun_like(token: &Token<'_>) -> bool {
    token.kind == Kind::Word
        && !is_function_word(&token.lower)
        && (token.is_capitalised() || !is_past_form(&token.lower))
        && !is_listed(CHANGES, &token.lower)
        && !token.is_one_of(CONNECTORS)
        && !token.is_one_of(PRESENT_VERBS)
        && !token.is_one_of("missing having getting being making using fact further")
        && month(token).is_none()
}

fn noun_run_after(tokens: &[Token<'_>], clause: &Clause, start: usize) -> Range<usize> {
    let mut end = start;
    while end < clause.tokens.end && end - start < 4 && is_noun_like(&tokens[end]) {
        end += 1;
    }
    start..end
}

/// Noun phrases attached by prepositions after a value: `for the first sprint`.
fn phrases_after(tokens: &[Token<'_>], clause: &Clause, start: usize) -> Vec<Range<usize>> {
    let mut phrases = Vec::new();
    let mut at = start;
    let sentence = Clause {
        tokens: clause.tokens.start..tokens.len(),
        mode: clause.mode,
    };
    while at < tokens.len() && phrases.len() < 2 {
        at += usize::from(phrases.is_empty() && tokens[at].is(","));
        let infinitive =
            at + 1 < tokens.len() && tokens[at].is("to") && is_known_verb(&tokens[at + 1].lower);
        if at >= tokens.len() || infinitive || !tokens[at].is_one_of("of in for on with into to") {
            break;
        }
        at += 1;
        while at < tokens.len()
            && (is_function_word(&tokens[at].lower) || tokens[at].kind == Kind::Number)
            && !tokens[at].is_one_of(PREPOSITIONS)
        {
            at += 1;
        }
        let run = noun_run_after(tokens, &sentence, at);
        if run.is_empty() {
            break;
        }
        at = run.end;
        phrases.push(run);
    }
    phrases
}

/// The chain of noun phrases that ends before `end`; the one with the head comes first.
fn chain_before(tokens: &[Token<'_>], start: usize, end: usize) -> Vec<Range<usize>> {
    let mut at = end;
    while at > start && !is_noun_like(&tokens[at - 1]) {
        let token = &tokens[at - 1];
        let passable = token.is_one_of(CONNECTORS)
            || is_function_word(&token.lower)
            || token.kind == Kind::Mark
            || is_past_form(&token.lower)
            || is_listed(CHANGES, &token.lower)
            || token.is_one_of(PRESENT_VERBS)
            || month(token).is_some()
            || token.kind == Kind::Number;
        if !passable || end - at > 8 {
            return Vec::new();
        }
        at -= 1;
    }
    let mut chain: Vec<Range<usize>> = Vec::new();
    let mut owners: Vec<Range<usize>> = Vec::new();
    while at > start && chain.len() < 3 {
        let run_end = at;
        while at > start
            && run_end - at < 5
            && is_noun_like(&tokens[at - 1])
            && !is_doing(tokens, at - 1)
        {
            at -= 1;
        }
        if at == run_end {
            break;
        }
        chain.push(at..run_end);
        while at > start
            && tokens[at - 1]
                .is_one_of("a an the my our his her their your this that its new some these those")
        {
            at -= 1;
        }
        if at > start && tokens[at - 1].is("'s") {
            let owner = (start..at - 1)
                .rev()
                .take(3)
                .take_while(|&at| is_noun_like(&tokens[at]))
                .last();
            owners.extend(owner.map(|owner| owner..at - 1));
            break;
        }
        let mut joined = false;
        while at > start
            && (tokens[at - 1].is_one_of(PREPOSITIONS)
                || (joined
                    && is_past_form(&tokens[at - 1].lower)
                    && !is_known_noun_past(&tokens[at - 1])))
        {
            joined = true;
            at -= 1;
        }
        if !joined {
            break;
        }
        while at > start && tokens[at - 1].is_one_of("a an the my our") {
            at -= 1;
        }
    }
    chain.reverse();
    // A verb before its object isn't part of the phrase.
    if let Some(first) = chain.first_mut()
        && first.len() > 1
        && (tokens[first.start].lower.ends_with("ing") || is_known_verb(&tokens[first.start].lower))
        && first.start > start
        && tokens[first.start - 1].is_one_of("to am i we by and of for")
    {
        first.start += 1;
    }
    chain.append(&mut owners);
    chain
}

/// Whether it is a verb, not a noun: `am preparing`, `after painting`.
fn is_doing(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[at].lower.ends_with("ing")
        && at > 0
        && tokens[at - 1].is_one_of(
            "am is are was were been now just currently recently after by while before without",
        )
}

fn is_known_noun_past(token: &Token<'_>) -> bool {
    token.is_one_of("have had has")
}
