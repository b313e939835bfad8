//! Claims that something is so, or is not: `the build is green`, `the contract is not signed`.

use std::ops::Range;

use super::{BETWEEN, FoundAction};
use crate::conflicts::claim::{Action, Aspect, Topic};
use crate::conflicts::clauses::{Clause, Mode};
use crate::conflicts::quantities::CHANGES;
use crate::conflicts::tokens::{Kind, Token, is_at, says};
use crate::conflicts::topics::topics;
use crate::conflicts::words::{Stems, is_function_word, is_listed, is_mood, opposite, verb_lemma};

/// The verb of such a claim.
pub(in crate::conflicts) const BE: &str = "be";

/// The term of the subject of a speaker's own things, so that they are not compared with those of others.
pub(in crate::conflicts) const OWN: &str = "my";

/// The weight of what a subject is said to be.
const WEIGHT: u8 = 10;

/// What the clause says that its subject is or is not.
pub(in crate::conflicts) fn being(
    tokens: &[Token<'_>],
    clause: &Clause,
    stems: &mut Stems,
) -> Option<FoundAction> {
    if clause.mode != Mode::Assertion {
        return None;
    }
    let range = clause.tokens.clone();
    let verb = range
        .clone()
        .find(|&at| tokens[at].is_one_of("is are am"))?;
    let subject = subject(tokens, range.start..verb, stems)?;
    let (aspect, first) = aspect(tokens, verb + 1..range.end);
    let last = complement_end(tokens, first..range.end);
    let ceased =
        aspect == Aspect::NotOngoing && says(&tokens[last..range.end], "more anymore longer");
    let (about, reversed) = complement(tokens, first..last, stems)?;
    let by_mood = subject.is_empty() && about.iter().any(|topic| is_mood(&topic.term));
    if by_mood {
        return None;
    }
    let aspect = match (aspect, ceased, reversed) {
        (_, true, _) => Aspect::Ceased,
        (Aspect::Ongoing, _, true) => Aspect::NotOngoing,
        (_, _, true) => Aspect::Ongoing,
        (aspect, ..) => aspect,
    };
    // Who says `closed` of what was open tells of a change, not of a mistake.
    let changed =
        aspect == Aspect::Ceased || reversed || says(&tokens[verb..range.end], "now again");
    Some(FoundAction {
        tokens: range,
        subject,
        about,
        action: Action {
            verb: BE.to_owned(),
            groups: 0,
            aspect,
            day: None,
        },
        changed,
    })
}

/// The terms of the subject; empty for the speaker. `None` for pronouns, and if the words are more than a noun phrase.
fn subject(tokens: &[Token<'_>], range: Range<usize>, stems: &mut Stems) -> Option<Vec<String>> {
    const LEADING: &str = "but so and because since although though while now well also then";
    const LONGEST: usize = 7;
    let start = range.clone().find(|&at| !tokens[at].is_one_of(LEADING))?;
    let words = &tokens[start..range.end];
    if words.len() == 1 && words[0].is_one_of("i we") {
        return Some(Vec::new());
    }
    let strange = words.iter().any(|token| {
        let grammar = is_function_word(&token.lower)
            && !token.is_one_of("a an the my our of for in on with 's");
        (token.kind == Kind::Mark && !token.is("#")) || grammar
    });
    if words.is_empty() || words.len() > LONGEST || strange {
        return None;
    }
    let mut terms: Vec<String> = words
        .iter()
        .filter(|token| token.is_said() && !is_function_word(&token.lower))
        .map(|token| stems.of(&token.lower))
        .collect();
    if terms.is_empty() {
        return None;
    }
    if says(words, "my our") {
        terms.push(OWN.to_owned());
    }
    Some(terms)
}

/// Whether it is denied, and where what it is begins.
fn aspect(tokens: &[Token<'_>], range: Range<usize>) -> (Aspect, usize) {
    let mut aspect = Aspect::Ongoing;
    let mut at = range.start;
    while at < range.end {
        let token = &tokens[at];
        if token.is("not") {
            aspect = Aspect::NotOngoing;
        } else if token.is("no") && is_at(tokens, at + 1, "longer") {
            aspect = Aspect::Ceased;
            at += 1;
        } else if !token.is_one_of(BETWEEN) && !token.is_one_of("yet again a an the") {
            break;
        }
        at += 1;
    }
    (aspect, at)
}

/// The end of what it is, before `any more`, `yet` and the like.
fn complement_end(tokens: &[Token<'_>], range: Range<usize>) -> usize {
    let mut end = range.end;
    while end > range.start
        && tokens[end - 1].is_one_of("any more anymore longer yet now again still already")
    {
        end -= 1;
    }
    end
}

/// The terms of what the subject is, sorted, and whether they are the opposite of what is said.
fn complement(
    tokens: &[Token<'_>],
    range: Range<usize>,
    stems: &mut Stems,
) -> Option<(Vec<Topic>, bool)> {
    const LONGEST: usize = 4;
    let words = &tokens[range.clone()];
    let first = words.first()?;
    let topic = |term: String| Topic {
        term,
        weight: WEIGHT,
    };
    if words.len() == 1 {
        if let Some(opposite) = opposite(&first.lower) {
            return Some((vec![topic(stems.of(opposite))], true));
        }
        if first.is_one_of("on up") {
            return Some((vec![topic(first.lower.clone())], false));
        }
    }
    let changes = is_listed(CHANGES, &verb_lemma(&first.lower));
    let plain = words.iter().all(|token| {
        let joins = token.is_one_of("a an the to of for with in on at");
        token.kind == Kind::Word && (joins || !is_function_word(&token.lower))
    });
    if !plain || changes || first.lower.ends_with("ing") || is_function_word(&first.lower) {
        return None;
    }
    let mut about = topics(tokens, range, stems);
    for one in &mut about {
        one.weight = WEIGHT;
    }
    about.sort_by(|one, other| one.term.cmp(&other.term));
    (!about.is_empty() && about.len() <= LONGEST).then_some((about, false))
}
