//! Keywords and tags: the names, identifiers and noun phrases that say most.

use std::ops::Range;

use anamne_text::analyser::is_function_word_in;
use anamne_types::Category;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cues::WORDS;
use super::tokens::{Shape, Token};
use crate::conflicts::is_verb_form;
use crate::summaries::words::{Weights, WordSort};

/// Maximum number of keywords.
const MOST: usize = 5;

/// Maximum number of tags.
const MOST_TAGS: usize = 3;

/// Maximum words of a keyword.
const LONGEST_PHRASE: usize = 3;

/// Weight of an identifier, path or address.
const EXACT: f32 = 1.5;

/// Weight of a name.
const NAME: f32 = 1.25;

/// A possible keyword.
struct Candidate {
    span: Range<usize>,
    words: Vec<String>,
    weight: f32,
}

/// At most five keywords, most telling first.
pub(super) fn keywords(
    text: &str,
    tokens: &[Token],
    language: Option<&str>,
    weights: &mut Weights<'_>,
) -> Vec<String> {
    let mut candidates = Candidates {
        text,
        tokens,
        language: language.unwrap_or("en"),
        weights: weights_of(text, tokens, weights),
        found: Vec::new(),
    };
    candidates.collect();
    chosen(text, candidates.found)
}

/// The weight of each word of the part that is read, by its first byte.
fn weights_of(text: &str, tokens: &[Token], weights: &mut Weights<'_>) -> FxHashMap<usize, f32> {
    let end = tokens.last().map_or(0, |token| token.span.end);
    let words = weights.words(&text[..end]).into_iter();
    words
        .filter(|word| {
            !matches!(
                word.sort,
                WordSort::Grammar | WordSort::Courtesy | WordSort::Time
            )
        })
        .map(|word| (word.span.start, word.weight))
        .collect()
}

struct Candidates<'a> {
    text: &'a str,
    tokens: &'a [Token],
    language: &'a str,
    weights: FxHashMap<usize, f32>,
    found: Vec<Candidate>,
}

impl Candidates<'_> {
    fn collect(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            let end = self.end_of_run(at);
            if end == at {
                at += 1;
                continue;
            }
            self.push_run(at..end);
            at = end;
        }
    }

    /// The end of the run of tokens of one kind that begins here; the same place if none does.
    fn end_of_run(&self, at: usize) -> usize {
        let Some(kind) = self.kind(at) else {
            return at;
        };
        if kind == RunKind::Exact {
            return at + 1;
        }
        let mut end = at + 1;
        while end < self.tokens.len()
            && self.kind(end) == Some(kind)
            && self.is_adjacent(end)
            && !self.tokens[end - 1].lower.ends_with("'s")
        {
            end += 1;
        }
        end
    }

    /// Whether only blanks are between a token and the one before it.
    fn is_adjacent(&self, at: usize) -> bool {
        let between = self.tokens[at - 1].span.end..self.tokens[at].span.start;
        self.text[between].chars().all(|c| c == ' ')
    }

    fn kind(&self, at: usize) -> Option<RunKind> {
        let token = &self.tokens[at];
        match token.shape {
            shape if shape.is_exact() => (!self.is_grammar(&token.lower)).then_some(RunKind::Exact),
            Shape::Name => {
                let is_word = self.is_grammar(&token.lower) || token.lower.chars().count() < 2;
                (!is_word).then_some(RunKind::Name)
            }
            Shape::Word if self.is_content(at) => Some(RunKind::Plain),
            _ => None,
        }
    }

    fn is_grammar(&self, lower: &str) -> bool {
        is_grammar(lower, self.language)
    }

    fn is_content(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let lower = token.lower.as_str();
        let plain = lower.trim_end_matches("'s");
        if self.language != "en" && !self.may_be_foreign_noun(at) {
            return false;
        }
        self.weights.contains_key(&token.span.start)
            && plain.chars().count() > 2
            && plain.chars().any(char::is_alphabetic)
            && !self.is_grammar(plain)
            && !(self.language == "en" && (WORDS.no_keywords.contains(plain) || self.is_verb(at)))
    }

    /// Whether a word that isn't English may be a noun: in German by its capital, elsewhere after an article, preposition or
    /// possessive, or after another such noun.
    fn may_be_foreign_noun(&self, at: usize) -> bool {
        if self.language == "de" {
            let written = &self.text[self.tokens[at].span.clone()];
            return written.starts_with(char::is_uppercase) && !self.tokens[at].begins;
        }
        at.checked_sub(1).is_some_and(|before| {
            let token = &self.tokens[before];
            token.shape == Shape::Name
                || is_function_word_in(&token.lower, self.language)
                    && !is_foreign_pronoun(&token.lower)
        })
    }

    /// Whether an English word is a verb, by its form and by the word before it.
    fn is_verb(&self, at: usize) -> bool {
        let lower = self.tokens[at].lower.as_str();
        let before = at
            .checked_sub(1)
            .map(|before| self.tokens[before].lower.as_str());
        let after_subject = before.is_some_and(is_subject);
        let inflected = lower.ends_with("ing") || lower.ends_with("ed");
        (after_subject && is_verb_form(lower))
            || (inflected && is_verb_form(lower) && !before.is_some_and(is_determiner))
            || lower.ends_with("ly")
    }

    /// Drops a participle at the end of a run: `edges marked`.
    fn without_participle(&self, run: Range<usize>) -> Range<usize> {
        let last = self.tokens[run.end - 1].lower.as_str();
        let is_participle = self.language == "en" && last.ends_with("ed") && last.len() > 4;
        run.start..run.end - usize::from(is_participle)
    }

    fn push_run(&mut self, run: Range<usize>) {
        let run = match self.kind(run.start) {
            Some(RunKind::Plain) => self.without_participle(run),
            _ => run,
        };
        if run.is_empty() {
            return;
        }
        let kind = self.kind(run.start);
        if kind == Some(RunKind::Plain) && run.len() > LONGEST_PHRASE {
            for at in run {
                self.push(at..at + 1, kind);
            }
            return;
        }
        let end = run.end.min(run.start + LONGEST_PHRASE);
        self.push(run.start..end, kind);
    }

    fn push(&mut self, run: Range<usize>, kind: Option<RunKind>) {
        let tokens = &self.tokens[run];
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return;
        };
        let weight = match kind {
            Some(RunKind::Exact) => EXACT,
            Some(RunKind::Name) => NAME,
            _ => {
                let weights = tokens
                    .iter()
                    .filter_map(|token| self.weights.get(&token.span.start));
                weights.copied().fold(0.0, f32::max)
            }
        };
        // What a text names first, it is mostly about.
        let early = 1.0 / (1.0 + first.span.start as f32 / 400.0);
        let possessive = if last.lower.ends_with("'s") {
            "'s".len()
        } else {
            0
        };
        let written = &self.text[last.span.clone()];
        let possessive = if written.ends_with("’s") {
            "’s".len()
        } else {
            possessive
        };
        self.found.push(Candidate {
            span: first.span.start..last.span.end - possessive,
            words: tokens.iter().map(|token| token.lower.clone()).collect(),
            weight: weight * (0.8 + 0.2 * early),
        });
    }
}

/// Whether a word in lower case says nothing about what a text is about.
pub(super) fn is_grammar(lower: &str, language: &str) -> bool {
    is_function_word_in(lower, language) || (language == "en" && WORDS.no_keywords.contains(lower))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunKind {
    /// Consecutive plain words.
    Plain,
    /// Consecutive names.
    Name,
    /// An identifier, path or address.
    Exact,
}

fn is_subject(word: &str) -> bool {
    matches!(
        word,
        "i" | "we"
            | "you"
            | "he"
            | "she"
            | "it"
            | "they"
            | "to"
            | "who"
            | "will"
            | "would"
            | "can"
            | "could"
            | "must"
            | "should"
            | "may"
            | "not"
            | "never"
            | "always"
            | "don't"
            | "doesn't"
            | "can't"
            | "didn't"
            | "please"
            | "that"
            | "which"
            | "and"
            | "also"
    )
}

/// French and Spanish function words that verbs follow.
fn is_foreign_pronoun(word: &str) -> bool {
    matches!(
        word,
        "je" | "tu"
            | "il"
            | "elle"
            | "on"
            | "nous"
            | "vous"
            | "ils"
            | "elles"
            | "ne"
            | "se"
            | "me"
            | "te"
            | "avons"
            | "avez"
            | "ont"
            | "ai"
            | "a"
            | "est"
            | "sont"
            | "qui"
            | "que"
            | "yo"
            | "ella"
            | "él"
            | "no"
            | "lo"
            | "nos"
            | "hemos"
            | "han"
            | "ha"
            | "he"
            | "es"
            | "está"
            | "al"
            | "et"
            | "y"
            | "pas"
            | "antes"
            | "après"
            | "de"
            | "pour"
            | "para"
    )
}

fn is_determiner(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "a"
            | "an"
            | "our"
            | "my"
            | "your"
            | "his"
            | "her"
            | "its"
            | "their"
            | "this"
            | "that"
            | "these"
            | "no"
            | "every"
            | "each"
            | "of"
    )
}

/// The heaviest candidates that don't repeat each other's words.
fn chosen(text: &str, mut candidates: Vec<Candidate>) -> Vec<String> {
    candidates.sort_by(|one, other| {
        let by_weight = other.weight.total_cmp(&one.weight);
        by_weight.then(one.span.start.cmp(&other.span.start))
    });
    let mut said: FxHashSet<String> = FxHashSet::default();
    let mut chosen = Vec::new();
    for candidate in candidates {
        if chosen.len() == MOST {
            break;
        }
        if candidate.words.iter().any(|word| said.contains(word)) {
            continue;
        }
        said.extend(candidate.words);
        let written = text[candidate.span].split_whitespace();
        chosen.push(written.collect::<Vec<_>>().join(" "));
    }
    chosen
}

/// At most three tags: the subjects that most words speak of, and the category.
pub(super) fn tags(tokens: &[Token], category: Option<Category>) -> Vec<String> {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for token in tokens {
        let parts = token
            .lower
            .split(|c: char| !c.is_alphanumeric() && c != '-');
        for tag in parts.filter_map(|part| WORDS.tags.get(part)) {
            match counts.iter_mut().find(|known| known.0 == *tag) {
                Some(known) => known.1 += 1,
                None => counts.push((tag, 1)),
            }
        }
    }
    // A stable sort: of equal ones the first in the text.
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let subjects = counts.into_iter().map(|(tag, _)| tag.to_owned());
    let category = category.map(|category| category.as_str().replace('_', "-"));
    subjects.take(MOST_TAGS - 1).chain(category).collect()
}
