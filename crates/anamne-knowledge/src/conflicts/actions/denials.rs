//! The objects of a denial: direct objects, the antecedent of a relative clause, and examples.

use std::ops::Range;

use super::{FoundAction, VerbPhrase, action_verb, phrase_start};
use crate::conflicts::claim::{Aspect, Topic};
use crate::conflicts::clauses::Clause;
use crate::conflicts::tokens::{Kind, Token, is_at, says};
use crate::conflicts::topics::topics;
use crate::conflicts::words::{Stems, is_function_word, is_idle_verb, is_past_form};

/// Words with which "not" is only temporary.
const FOR_A_WHILE: &str = "while since lately recently today week month days weeks months ages tonight yesterday morning much enough
    anything long years year until quite fully all completely exactly hours bit";

/// Words that end the object of a negation.
const OBJECT_ENDS: &str = "before but so because since although though while whereas considering which who until especially if unless";

/// The objects of a negation, each a claim: `never written routes or handled requests`.
pub(super) fn denied(
    tokens: &[Token<'_>],
    clause: &Clause,
    before: Option<&Clause>,
    phrase: &VerbPhrase,
    stems: &mut Stems,
) -> Vec<FoundAction> {
    let end = clause.tokens.end;
    let rest = &tokens[phrase.verb..end];
    let passing = phrase.aspect == Aspect::NotDone && says(rest, FOR_A_WHILE);
    if passing || compares(rest) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let start = phrase_start(tokens, phrase.verb);
    let mut verb = phrase.verb;
    let mut object = verb + 1;
    let mut inside_qualifier = false;
    let mut at = object;
    while at <= end {
        let over = at == end || tokens[at].is_one_of(OBJECT_ENDS);
        let next = tokens.get(at + 1).filter(|_| at + 1 < end);
        let next_verb =
            next.is_some_and(|next| next.kind == Kind::Word && is_past_form(&next.lower));
        let alternative =
            !over && tokens[at].is_one_of("or and nor") && (next_verb || !inside_qualifier);
        if over || alternative {
            push_denied(tokens, phrase, verb, start, object..at, stems, &mut found);
        }
        if over {
            break;
        }
        inside_qualifier |= tokens[at]
            .is_one_of("of in for on with at into to from about related involving regarding using");
        if alternative {
            object = at + 1;
            inside_qualifier = false;
            if next_verb {
                verb = object;
                object += 1;
                at += 1;
            }
        }
        at += 1;
    }
    if found.is_empty() && tokens[clause.tokens.start].is_one_of("which that") {
        add_antecedent(tokens, before, phrase, start..end, stems, &mut found);
    }
    found.extend(examples(tokens, end, phrase, start, stems));
    found
}

/// `the router, which I have never restarted`: the object is the preceding noun phrase.
fn add_antecedent(
    tokens: &[Token<'_>],
    before: Option<&Clause>,
    phrase: &VerbPhrase,
    said: Range<usize>,
    stems: &mut Stems,
    found: &mut Vec<FoundAction>,
) {
    let Some(before) = before else { return };
    let first = before.tokens.clone().rev().find(|&at| {
        is_function_word(&tokens[at].lower) && !tokens[at].is_one_of("a an the my our")
    });
    let object = first.map_or(before.tokens.start, |at| at + 1)..before.tokens.end;
    let whole = object.start..said.end;
    let about = topics(tokens, object, stems);
    let rest = topics(tokens, phrase.verb + 1..said.end, stems);
    let about = [about, rest].concat();
    found.extend(denial(tokens, phrase, phrase.verb, whole, about));
}

/// `any database, like Redis`: the example is denied too.
fn examples(
    tokens: &[Token<'_>],
    end: usize,
    phrase: &VerbPhrase,
    start: usize,
    stems: &mut Stems,
) -> Option<FoundAction> {
    let mut at = end;
    while tokens.get(at).is_some_and(|token| token.is(",")) {
        at += 1;
    }
    let like = is_at(tokens, at, "like including");
    let such_as = is_at(tokens, at, "such") && is_at(tokens, at + 1, "as");
    let first = at + 1 + usize::from(such_as);
    let length = tokens
        .get(first..)
        .filter(|_| like || such_as)?
        .iter()
        .take(3)
        .take_while(|token| token.is_capitalised())
        .count();
    let about = topics(tokens, first..first + length, stems);
    denial(tokens, phrase, phrase.verb, start..first + length, about)
}

/// Whether a comparison is denied: `anything like this`, `so much`, `as good as`.
fn compares(rest: &[Token<'_>]) -> bool {
    rest.iter().enumerate().any(|(at, token)| {
        let next_is = |words: &str| is_at(rest, at + 1, words);
        token.is_one_of("such as so quite")
            || (token.is("anything") && next_is("like as so quite this that"))
            || (token.is("like") && next_is("this that it them"))
    })
}

fn push_denied(
    tokens: &[Token<'_>],
    phrase: &VerbPhrase,
    verb: usize,
    start: usize,
    object: Range<usize>,
    stems: &mut Stems,
    found: &mut Vec<FoundAction>,
) {
    let said = start..object.end;
    let about = topics(tokens, object, stems);
    if !about.iter().all(|topic| topic.weight < 6) {
        found.extend(denial(tokens, phrase, verb, said, about));
    }
}

fn denial(
    tokens: &[Token<'_>],
    phrase: &VerbPhrase,
    verb: usize,
    said: Range<usize>,
    about: Vec<Topic>,
) -> Option<FoundAction> {
    let lemma = action_verb(&tokens[verb]);
    (!is_idle_verb(&lemma) && !about.is_empty()).then(|| phrase.with(lemma, said, about))
}
