//! Named entity recognition.

mod dates;
mod kinds;
mod proper;
mod speech;
mod versions;

use std::ops::Range;

use anamne_types::EntityType;
use rustc_hash::{FxHashMap, FxHashSet};

use self::kinds::Points;
use self::proper::Candidate;
use self::speech::Capitalisation;
use super::Mention;
use super::code;
use super::gazetteer::{self, Class};
use super::tokens::{Shape, Token, Tokens};

/// Minimum points of a name.
const MIN_POINTS: f32 = 1.4;

/// Maximum number of names per text; the rest is ignored.
const MAX_NAMES: usize = 4096;

/// A name and its tokens.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) tokens: Range<usize>,
    pub(super) mention: Mention,
    /// The value or version written with it: `26` in `minSdkVersion = 26`, `16` in `PostgreSQL 16`.
    pub(super) value: Option<String>,
}

/// Finds the names of a text, in text order and without overlaps.
pub(super) fn names(tokens: &Tokens<'_>) -> Vec<Named> {
    let mut found = NameFinder {
        tokens,
        taken: vec![false; tokens.all.len()],
        named: Vec::new(),
    };
    found.coded();
    found.dates();
    let candidates = proper::candidates(tokens, &Capitalisation::of(tokens), &found.taken);
    found.proper_names(&candidates);
    versions::find(&mut found);
    let mut named = found.named;
    named.sort_by_key(|found| found.tokens.start);
    named.truncate(MAX_NAMES);
    named
}

/// The names defined in fenced code.
pub(super) fn defined(tokens: &Tokens<'_>) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for fenced in &tokens.fenced {
        for name in code::definitions(&tokens.text[fenced.clone()]) {
            let span = fenced.start + name.start..fenced.start + name.end;
            found.push(Mention {
                name: tokens.text[span.clone()].to_owned(),
                span,
                entity_type: EntityType::Symbol,
                confidence: 0.7,
            });
        }
    }
    found.truncate(MAX_NAMES);
    found
}

/// The names found so far, and which tokens are in use.
struct NameFinder<'a> {
    tokens: &'a Tokens<'a>,
    taken: Vec<bool>,
    named: Vec<Named>,
}

impl NameFinder<'_> {
    /// Adds a name, without its leading article, and marks its tokens as taken.
    fn take(&mut self, range: Range<usize>, entity_type: EntityType, confidence: f32) {
        self.taken[range.clone()].fill(true);
        let article = entity_type != EntityType::Date
            && range.len() > 1
            && matches!(self.tokens.lower(range.start), "the" | "a" | "an");
        let range = range.start + usize::from(article)..range.end;
        let span = self.tokens.bytes(&range);
        self.named.push(Named {
            tokens: range,
            mention: Mention {
                name: tidy(&self.tokens.text[span.clone()]),
                span,
                entity_type,
                confidence,
            },
            value: None,
        });
    }

    /// Adds code, files, tickets and commits, which are recognised by their form.
    fn coded(&mut self) {
        for (at, token) in self.tokens.all.iter().enumerate() {
            if let Some((entity_type, confidence)) = by_form(token) {
                self.take(at..at + 1, entity_type, confidence);
                continue;
            }
            let found = match token.shape {
                Shape::Code => code::between_backticks(token.text),
                Shape::Special => code::plain(token.text),
                _ => continue,
            };
            self.taken[at] = true;
            if let Some(found) = found {
                let start =
                    found.name.as_ptr() as usize - token.text.as_ptr() as usize + token.span.start;
                self.named.push(Named {
                    tokens: at..at + 1,
                    mention: Mention {
                        span: start..start + found.name.len(),
                        name: found.name.to_owned(),
                        entity_type: found.entity_type,
                        confidence: found.confidence,
                    },
                    value: found.value.map(str::to_owned),
                });
            }
        }
    }

    fn dates(&mut self) {
        let mut at = 0;
        while at < self.tokens.all.len() {
            let begins = !self.taken[at] && !is_inside_a_name(self.tokens, at);
            let free = |length: &usize| {
                let taken = self.taken.get(at..at + length);
                taken.is_some_and(|taken| !taken.contains(&true))
            };
            let length = begins
                .then(|| dates::date_at(self.tokens, at))
                .flatten()
                .filter(free);
            if let Some(length) = length {
                self.take(at..at + length, EntityType::Date, 0.9);
            }
            at += length.unwrap_or(1);
        }
    }

    /// Adds the candidates that the words in and around them indicate to be names.
    fn proper_names(&mut self, candidates: &[Candidate]) {
        let tokens = self.tokens;
        let key =
            |candidate: &Candidate| tokens.text[tokens.bytes(&candidate.tokens)].to_lowercase();
        let mut around: FxHashMap<String, Points> = FxHashMap::default();
        for candidate in candidates {
            let points = kinds::points_around(tokens, candidate);
            around.entry(key(candidate)).or_default().merge(&points);
        }
        let points_of = |candidate: &Candidate| {
            around[&key(candidate)].plus(&kinds::own_points(tokens, candidate))
        };
        let people: FxHashSet<&str> = candidates
            .iter()
            .filter(|candidate| {
                candidate.tokens.len() > 1 && points_of(candidate).best().0 == EntityType::Person
            })
            .flat_map(|candidate| candidate.tokens.clone().map(|at| tokens.lower(at)))
            .collect();
        for candidate in candidates {
            let mut points = points_of(candidate);
            let first = tokens.lower(candidate.tokens.start);
            if candidate.tokens.len() == 1 && people.contains(first) {
                points.add(EntityType::Person, 2.5);
            }
            let (entity_type, most, ahead) = points.best();
            let unsure = candidate.weak && !candidate.listed.is_name();
            let needed = if unsure { MIN_POINTS + 0.4 } else { MIN_POINTS };
            if most >= needed && (!candidate.ordinary || most >= 2.0) {
                let confidence = (0.45 + 0.08 * most.min(5.0) + 0.05 * ahead.min(3.0)).min(0.95);
                self.take(candidate.tokens.clone(), entity_type, confidence);
            }
        }
    }
}

/// The type of a word by its form alone, and the confidence.
fn by_form(token: &Token<'_>) -> Option<(EntityType, f32)> {
    let numbered = token.shape == Shape::Lower && token.text.contains('-');
    if numbered && code::is_numbered(token.text) {
        Some((EntityType::Symbol, 0.6))
    } else if is_file(token.text) && token.is_word() {
        Some((EntityType::File, 0.8))
    } else if is_ticket(token.text) {
        Some((EntityType::Concept, 0.7))
    } else if is_commit(token.text) {
        Some((EntityType::Version, 0.6))
    } else {
        None
    }
}

fn is_file(text: &str) -> bool {
    one_of!(
        text,
        "Dockerfile" "Makefile" "Jenkinsfile" "Procfile" "Vagrantfile" "README" "CHANGELOG"
    )
}

/// Collapses white space.
fn tidy(text: &str) -> String {
    if text.contains(['\n', '\t']) || text.contains("  ") {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    text.to_owned()
}

/// `ABC-123`, `CVE-2025-0911`.
fn is_ticket(text: &str) -> bool {
    let mut parts = text.split('-');
    let letters = parts.next().unwrap_or("");
    let mut numbers = parts.peekable();
    (2..=8).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
        && !matches!(
            letters,
            "ISO" | "UTF" | "SHA" | "RFC" | "GPT" | "UTC" | "COVID" | "GMT"
        )
        && numbers.peek().is_some()
        && numbers.all(|part| part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A commit hash, possibly abbreviated: `9f3c2ab`.
fn is_commit(text: &str) -> bool {
    (7..=40).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
        && text.bytes().filter(u8::is_ascii_digit).count() >= 2
        && text.bytes().filter(u8::is_ascii_lowercase).count() >= 2
}

/// Whether a weekday is part of another name: `Good Friday`, `Half of a Yellow Sun`.
fn is_inside_a_name(tokens: &Tokens<'_>, at: usize) -> bool {
    let token = &tokens.all[at];
    if !token.class.is(Class::WEEKDAY) || !token.is_capital() {
        return false;
    }
    at.checked_sub(1).is_some_and(|before| {
        let previous = &tokens.all[before];
        let listed = gazetteer::phrase(&previous.lower, |after| {
            tokens.get(before + 1 + after).map(|word| &*word.lower)
        });
        previous.is_capital()
            && (listed.is_some()
                || token.lower == "sun" && !previous.begins && !previous.class.is(Class::WEEKDAY))
    })
}
