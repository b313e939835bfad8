//! Splits sentences into clauses, and determines which of them assert something.

use std::ops::Range;

use super::tokens::{Kind, Token, is_at};

/// A part of a sentence with about one verb.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    /// Its tokens.
    pub(super) tokens: Range<usize>,
    /// Its mode.
    pub(super) mode: Mode,
}

/// The mode of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A statement of fact.
    Assertion,
    /// A question or a request.
    Question,
    /// Something possible, hypothetical or desired.
    Hypothesis,
}

/// Words that open a clause inside a sentence.
const OPENERS: &str = "but so because since although though while whereas considering given which who until especially unless if";

/// Openers of clauses that are presupposed, even inside a question.
const PRESUPPOSING: &str =
    "because since although though whereas considering given especially after";

const HYPOTHETICAL: &str = "if suppose supposing imagine unless whether wish assuming pretend let's lets would could should might maybe perhaps hopefully ideally please";

const ASKING: &str = "how what where whom whose why can could would will should shall may might do does did is are am was were";

/// Splits a sentence into clauses.
pub(super) fn clauses(tokens: &[Token<'_>]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut start = 0;
    for at in 0..=tokens.len() {
        let border = at == tokens.len() || is_border(tokens, at);
        if !border {
            continue;
        }
        let range = said(tokens, start..at);
        if !range.is_empty() {
            let before = clauses.last().map(|clause| clause.mode);
            let mode = mode_of(tokens, &range, before);
            clauses.push(Clause {
                tokens: range,
                mode,
            });
        }
        start = at;
    }
    clauses
}

/// The range without punctuation at both ends.
fn said(tokens: &[Token<'_>], range: Range<usize>) -> Range<usize> {
    let first = range.clone().find(|&at| tokens[at].is_said());
    let last = range.clone().rev().find(|&at| tokens[at].is_said());
    match (first, last) {
        (Some(first), Some(last)) => first..last + 1,
        _ => range.start..range.start,
    }
}

/// Whether a clause may begin at this token.
fn is_border(tokens: &[Token<'_>], at: usize) -> bool {
    let token = &tokens[at];
    if at == 0 {
        return false;
    }
    if token.kind == Kind::Mark {
        // `April 1, 2024`
        let is_year = tokens.get(at + 1).is_some_and(|next| {
            next.kind == Kind::Number && next.lower.len() == 4 && next.lower.starts_with(['1', '2'])
        });
        if token.is(",") && is_year && tokens[at - 1].kind == Kind::Number {
            return false;
        }
        return matches!(
            token.lower.as_str(),
            "," | ";" | ":" | "(" | ")" | "—" | "–" | "-" | "?" | "!" | "." | "…"
        );
    }
    let next_is = |words: &str| is_at(tokens, at + 1, words);
    let part_of_phrase = match token.lower.as_str() {
        "while" => tokens[at - 1].is_one_of("a long little"),
        "given" => !next_is("that the i we my our this"),
        "until" => !next_is("i we he she it they the my our"),
        "since" => !next_is("i we my our the it he she they you"),
        _ => false,
    };
    let doing = tokens
        .get(at + 1)
        .is_some_and(|next| next.lower.ends_with("ing") || next.is_one_of("i we my having"));
    match token.lower.as_str() {
        "and" => next_is("i we my our have am is are just recently now then she he they it"),
        "that" => tokens[at - 1].is_one_of("fact now"),
        "why" => next_is("i we"),
        "after" => doing,
        "instead" => next_is("of"),
        _ => token.is_one_of(OPENERS) && !part_of_phrase,
    }
}

fn mode_of(tokens: &[Token<'_>], range: &Range<usize>, before: Option<Mode>) -> Mode {
    let clause = &tokens[range.clone()];
    let first = &clause[0];
    let presupposes = first.is_one_of(PRESUPPOSING) || first.is("that");
    let rest = if first.is_one_of("but so and because since although though while given that which then now also hmm well like especially considering")
        && clause.len() > 1
    {
        &clause[1..]
    } else {
        clause
    };
    if asks(rest) && !presupposes {
        return Mode::Question;
    }
    if rest[0].is_one_of(HYPOTHETICAL) || first.is_one_of(HYPOTHETICAL) {
        return Mode::Hypothesis;
    }
    let ends_asking = tokens.get(range.end).is_some_and(|mark| mark.is("?"));
    match before {
        Some(Mode::Question) if presupposes || begins_with_speaker(rest) => Mode::Assertion,
        Some(Mode::Question) => Mode::Question,
        Some(Mode::Hypothesis) if presupposes || (first.is("but") && begins_with_speaker(rest)) => {
            Mode::Assertion
        }
        Some(Mode::Hypothesis) => Mode::Hypothesis,
        None if ends_asking && clause.len() < 14 => Mode::Question,
        _ => Mode::Assertion,
    }
}

/// Whether a clause has the word order of a question. `why I have never …` presupposes what it asks about.
fn asks(clause: &[Token<'_>]) -> bool {
    let first = &clause[0];
    let second_is = |words: &str| is_at(clause, 1, words);
    if first.is("why") {
        return !second_is("i we");
    }
    if first.is("have") || first.is("has") || first.is("had") {
        return second_is("i we you they he she it the any anyone");
    }
    if first.is("which") || first.is("who") || first.is("when") {
        return second_is("is are do does did can could should would will")
            && first.text.starts_with(char::is_uppercase);
    }
    first.is_one_of(ASKING)
}

/// Whether a clause begins with the speaker as a new subject.
fn begins_with_speaker(clause: &[Token<'_>]) -> bool {
    clause[0].is_one_of("i we my our")
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn check(text: &str, expected: &[(&str, Mode)]) {
        let tokens = tokens(text, 0..text.len());
        let found: Vec<(String, Mode)> = clauses(&tokens)
            .into_iter()
            .map(|clause| {
                let words: Vec<&str> = tokens[clause.tokens]
                    .iter()
                    .map(|token| token.text)
                    .collect();
                (words.join(" "), clause.mode)
            })
            .collect();
        let expected: Vec<(String, Mode)> = expected
            .iter()
            .map(|(text, mode)| ((*text).to_owned(), *mode))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn questions_end_where_the_speaker_tells_something() {
        check(
            "I sold the boat, can you help me, considering I paid twice",
            &[
                ("I sold the boat", Mode::Assertion),
                ("can you help me", Mode::Question),
                ("considering I paid twice", Mode::Assertion),
            ],
        );
        check(
            "Have you ever been there?",
            &[("Have you ever been there", Mode::Question)],
        );
        check(
            "If we ship on Monday, we win",
            &[
                ("If we ship on Monday", Mode::Hypothesis),
                ("we win", Mode::Hypothesis),
            ],
        );
    }
}
