//! Finds who or what has a value: the subject of its clause.

use super::CHANGES;
use super::properties::is_noun_like;
use crate::conflicts::clauses::Clause;
use crate::conflicts::tokens::{Kind, Token, is_at};
use crate::conflicts::values::PRESENT_VERBS;
use crate::conflicts::words::{
    Stems, is_function_word, is_known_verb, is_listed, is_past_form, verb_lemma,
};

const AUXILIARIES: &str = "has have had is are was were will would must can could should may might need needs do does did gets got";

const PRONOUNS: &str = "i we you he she it they this that these those there who which what";

const DETERMINERS: &str = "a an the my our your his her their its";

const PREPOSITIONS: &str = "of in for with on at from to per by about";

/// Maximum number of terms of a holder.
const MOST_TERMS: usize = 8;

/// The terms of the subject of the clause that has the value at `value`, its head first; empty for the speaker, for a pronoun, and
/// where the subject only changes the value of something else (`the landlord raised the rent`).
///
/// A clause without a verb has the subject of the one before it: `Account Ember: 15 seats`.
pub(super) fn holder(
    tokens: &[Token<'_>],
    clauses: &[Clause],
    index: usize,
    value: usize,
    stems: &mut Stems,
) -> Vec<String> {
    let own = &clauses[index].tokens;
    // `Ada said that the plan has 5 seats`
    let start = (own.start..value)
        .rfind(|&at| tokens[at].is("that"))
        .map_or(own.start, |that| that + 1);
    if let Some(verb) = verb_before(tokens, start, value) {
        return subject(tokens, start, verb, value, stems);
    }
    let Some(before) = index.checked_sub(1).map(|before| &clauses[before].tokens) else {
        return Vec::new();
    };
    let is_list = tokens.get(before.end).is_some_and(|mark| mark.is(":"));
    match verb_before(tokens, before.start, before.end) {
        Some(verb) => subject(tokens, before.start, verb, before.end, stems),
        None if is_list => terms(tokens, before.start, before.end, stems),
        None => Vec::new(),
    }
}

/// The first verb after a subject.
fn verb_before(tokens: &[Token<'_>], start: usize, end: usize) -> Option<usize> {
    let first = first_of_subject(tokens, start, end);
    (first..end).find(|&at| {
        let token = &tokens[at];
        let inner = at > first && token.kind == Kind::Word && !token.is_capitalised();
        // `keeps its limit`: a word before a determiner is a verb or a preposition.
        let before_object = at > first
            && is_at(tokens, at + 1, DETERMINERS)
            && !token.is_one_of(PREPOSITIONS)
            && !is_function_word(&token.lower)
            && token.kind == Kind::Word;
        token.is_one_of(AUXILIARIES)
            || before_object
            || inner
                && (token.is_one_of(PRESENT_VERBS)
                    || is_past_form(&token.lower)
                    || (is_known_verb(&token.lower) && token.lower.ends_with('s')))
    })
}

/// The first token after conjunctions and adverbs.
fn first_of_subject(tokens: &[Token<'_>], start: usize, end: usize) -> usize {
    (start..end)
        .find(|&at| {
            let token = &tokens[at];
            token.is_one_of(PRONOUNS)
                || token.is_one_of(DETERMINERS)
                || !is_function_word(&token.lower)
        })
        .unwrap_or(end)
}

fn subject(
    tokens: &[Token<'_>],
    start: usize,
    verb: usize,
    value: usize,
    stems: &mut Stems,
) -> Vec<String> {
    let first = first_of_subject(tokens, start, verb);
    if is_at(tokens, first, PRONOUNS) || changes_another(tokens, verb, value) {
        return Vec::new();
    }
    terms(tokens, first, verb, stems)
}

/// Whether a verb of change has an object that isn't the subject's own.
fn changes_another(tokens: &[Token<'_>], verb: usize, value: usize) -> bool {
    (verb..value).any(|at| {
        let passive =
            at > 0 && tokens[at - 1].is_one_of("is are was were be been being get gets got");
        let object = at + 1 < value
            && tokens[at + 1].is_said()
            && !is_at(tokens, at + 1, "to from by until till its their his her");
        is_listed(CHANGES, &verb_lemma(&tokens[at].lower)) && !passive && object
    })
}

/// The head of a noun phrase, then its other terms, sorted.
fn terms(tokens: &[Token<'_>], start: usize, end: usize, stems: &mut Stems) -> Vec<String> {
    let core = (start..end)
        .find(|&at| at > start && tokens[at].is_one_of(PREPOSITIONS))
        .unwrap_or(end);
    let Some(head) = (start..core).rev().find(|&at| is_noun_like(&tokens[at])) else {
        return Vec::new();
    };
    let mut rest: Vec<String> = (start..end)
        .filter(|&at| {
            at != head && is_noun_like(&tokens[at]) && !tokens[at].is_one_of("current total number")
        })
        .map(|at| stems.of(&tokens[at].lower))
        .collect();
    let head = stems.of(&tokens[head].lower);
    rest.sort_unstable();
    rest.dedup();
    rest.retain(|term| *term != head);
    std::iter::once(head).chain(rest).take(MOST_TERMS).collect()
}
