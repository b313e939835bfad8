//! Extracts the claims of a memory.

use std::ops::Range;

use anamne_types::Role;
use jiff::tz::TimeZone;

use super::actions::{FoundAction, actions, being};
use super::claim::{Claim, Content, Topic};
use super::clauses::clauses;
use super::holding::{Mentioned, Sentence};
use super::quantities::{FoundQuantity, quantities};
use super::states::{attributes, switches};
use super::tokens::{Kind, Token, prose, tokens};
use super::values::{days, values};
use super::words::{Stems, is_function_word, is_idle_verb, verb_lemma};
use crate::reading::Utterance;

/// Maximum number of claims per memory; further ones are ignored.
pub const MOST_CLAIMS: usize = 64;

/// Maximum number of context terms of a claim.
const MOST_CONTEXT: usize = 24;

/// The claims of a memory, in text order: at most [`MOST_CLAIMS`].
///
/// Messages of assistants, tools and systems make no claims: assistants restate, suggest and teach. Questions, requests,
/// hypotheses, plans, code and quotations make none either. A pure function; linear in the text.
pub fn claims(utterance: &Utterance<'_>) -> Vec<Claim> {
    if utterance.role.is_some_and(|role| role != Role::User) {
        return Vec::new();
    }
    let mut stems = Stems::default();
    let mut claims = Vec::new();
    let shows_work = utterance.text.contains("```");
    let mut before = None;
    let mut sentences = prose(utterance.text).into_iter().peekable();
    while let Some(sentence) = sentences.next() {
        if may_claim(&utterance.text[sentence.clone()]) {
            read_sentence(
                utterance,
                sentence.clone(),
                [before, sentences.peek().cloned()],
                shows_work,
                &mut stems,
                &mut claims,
            );
        }
        before = Some(sentence);
        if claims.len() >= MOST_CLAIMS {
            claims.truncate(MOST_CLAIMS);
            break;
        }
    }
    claims
}

/// The rules are for English: sentences that are mostly in other scripts are skipped.
fn may_claim(sentence: &str) -> bool {
    let latin = sentence.bytes().filter(u8::is_ascii_alphabetic).count();
    sentence.bytes().filter(|byte| !byte.is_ascii()).count() < latin
}

fn read_sentence(
    utterance: &Utterance<'_>,
    sentence: Range<usize>,
    [before, after]: [Option<Range<usize>>; 2],
    shows_work: bool,
    stems: &mut Stems,
    claims: &mut Vec<Claim>,
) {
    let tokens = tokens(utterance.text, sentence.clone());
    let clauses = clauses(&tokens);
    if clauses.is_empty() {
        return;
    }
    let values = values(&tokens, utterance.at, stems);
    // Statements about a thing often follow a sentence after its name.
    let before = before
        .map(|before| super::tokens::tokens(utterance.text, before))
        .unwrap_or_default();
    let next = after
        .map(|after| super::tokens::tokens(utterance.text, after))
        .unwrap_or_default();
    let whole = Sentence {
        tokens: &tokens,
        clauses: &clauses,
        next: &next,
        year: utterance.at.to_zoned(TimeZone::UTC).year(),
    };
    let context = Context {
        sentence: &tokens,
        before: &before,
    };
    let first_day = days(&values).min();
    let claim =
        |span: Range<usize>, subject, about: Vec<Topic>, changed, content, stems: &mut Stems| {
            Claim {
                quote: quote(utterance.text, &tokens, span),
                span: sentence.clone(),
                author: utterance.author.trim().to_lowercase(),
                at: utterance.at,
                subject,
                context: context.without(&about, stems),
                about,
                changed,
                content,
            }
        };
    for (index, clause) in clauses.iter().enumerate() {
        let mut done = actions(
            &tokens,
            clause,
            index.checked_sub(1).map(|before| &clauses[before]),
            shows_work,
            stems,
        );
        done.extend(being(&tokens, clause, stems).filter(|found| {
            whole.lasts(&Mentioned {
                clause: index,
                tokens: found.tokens.clone(),
                changes: true,
                is_date: false,
            })
        }));
        done.extend(switches(&whole, index, stems));
        let mut measured = quantities(&whole, index, &values, stems);
        measured.extend(attributes(&whole, index, stems));
        for FoundAction {
            tokens: span,
            subject,
            about,
            mut action,
            changed,
        } in done
        {
            action.day = first_day;
            claims.push(claim(
                span,
                subject,
                about,
                changed,
                Content::Action(action),
                stems,
            ));
        }
        for FoundQuantity {
            tokens: span,
            subject,
            about,
            quantity,
            changed,
        } in measured
        {
            claims.push(claim(
                span,
                subject,
                about,
                changed,
                Content::Quantity(quantity),
                stems,
            ));
        }
    }
}

/// The original text of some tokens on one line, cut to [`Claim::QUOTE_BYTES`].
fn quote(text: &str, tokens: &[Token<'_>], span: Range<usize>) -> String {
    let Some(first) = tokens.get(span.start) else {
        return String::new();
    };
    let last = &tokens[span.end.clamp(span.start + 1, tokens.len()) - 1];
    let whole = &text[first.start..last.start + last.text.len()];
    shortened(whole)
}

/// A text on one line, cut to [`Claim::QUOTE_BYTES`].
pub(crate) fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= Claim::QUOTE_BYTES {
        return line;
    }
    let cut = line.floor_char_boundary(Claim::QUOTE_BYTES - '…'.len_utf8());
    let cut = line[..cut].rfind(' ').unwrap_or(cut);
    format!("{}…", &line[..cut])
}

/// The content words of a sentence, and of the one before it.
struct Context<'tokens, 'text> {
    sentence: &'tokens [Token<'text>],
    before: &'tokens [Token<'text>],
}

impl Context<'_, '_> {
    fn without(&self, about: &[Topic], stems: &mut Stems) -> Vec<String> {
        let mut terms: Vec<String> = self
            .sentence
            .iter()
            .chain(self.before)
            .filter(|token| {
                token.kind == Kind::Word
                    && !is_function_word(&token.lower)
                    && !is_idle_verb(&verb_lemma(&token.lower))
                    && !token
                        .is_one_of("try trying tried help use using used want make making made")
            })
            .map(|token| stems.of(&token.lower))
            .filter(|term| !about.iter().any(|topic| topic.term == *term))
            .take(MOST_CONTEXT)
            .collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }
}
