//! How a memory relates to an earlier one: by its cues, and by what both speak of.

use anamne_types::LinkType;
use rustc_hash::FxHashMap;

use super::cues::{LinkCue, WORDS};
use super::tokens::{Shape, Token, tokens};
use super::{Enricher, JUDGED};
use crate::summaries::words::WordSort;

/// Share of the weight of the shorter text that both must have in common.
const CLOSE: f32 = 0.5;

/// The same for a contradiction without a word of correction, which only a negation marks.
const VERY_CLOSE: f32 = 0.7;

/// Terms that both must have in common, unless they name one ticket, file or address.
const SHARED: usize = 2;

/// Maximum number of terms of a text that are compared.
const MOST_TERMS: usize = 64;

/// Maximum number of terms named in a reason.
const NAMED: usize = 3;

/// What links are judged by: the cues of a text and the terms that it speaks of.
#[derive(Clone, Debug, Default)]
pub struct Linkable {
    cues: Vec<LinkCue>,
    /// Terms with their weight and how they are written.
    terms: FxHashMap<String, (f32, String)>,
    total: f32,
    /// Tickets, paths and addresses, in lower case.
    exact: Vec<String>,
}

/// The relation of a memory to an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub struct PairLink {
    /// Its type, from the later memory to the earlier one.
    pub link_type: LinkType,
    /// Its strength, 0 to 1.
    pub strength: f32,
    /// Why, as a sentence.
    pub reason: String,
}

impl Linkable {
    /// Whether it can link to an earlier memory at all.
    pub fn may_link(&self) -> bool {
        !self.exact.is_empty() || self.cues.iter().any(|cue| *cue != LinkCue::Goal)
    }

    /// Whether a cue names a relation to something earlier.
    fn has_relation(&self) -> bool {
        self.cues.iter().any(|cue| matches!(cue, LinkCue::Link(_)))
    }

    fn has(&self, cue: LinkCue) -> bool {
        self.cues.contains(&cue)
    }

    /// Keys under which others find it: what it names exactly, and then the terms with the most weight; at most `most`.
    pub(super) fn keys(&self, most: usize) -> Vec<u32> {
        let mut terms: Vec<(&String, f32)> = self
            .terms
            .iter()
            .map(|(term, (weight, _))| (term, *weight))
            .collect();
        terms.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
        let exact = self.exact.iter().take(most / 2).map(String::as_str);
        let terms = terms.iter().map(|(term, _)| term.as_str());
        let mut keys: Vec<u32> = exact.chain(terms).take(most).map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// A hash that is the same on every machine and in every build.
fn key(term: &str) -> u32 {
    let hash = blake3::hash(term.as_bytes());
    let bytes = hash.as_bytes();
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

impl Enricher {
    /// What links of this text are judged by. Linear in its length, at most 64 KiB of it.
    pub fn linkable(&mut self, text: &str) -> Linkable {
        let text = &text[..text.floor_char_boundary(super::LONGEST)];
        let all = tokens(text, JUDGED);
        let language = self.analyser.language(text).unwrap_or("en");
        let mut linkable = Linkable {
            cues: WORDS.links.found(&all),
            ..Linkable::default()
        };
        let end = all.last().map_or(0, |token| token.span.end);
        let words = self.weights.words(&text[..end]).into_iter();
        let weights: WordWeights = words
            .map(|word| (word.span.start, (word.weight, word.sort)))
            .collect();
        for token in &all {
            if matches!(
                token.shape,
                Shape::Ticket | Shape::Path | Shape::Url | Shape::File | Shape::Email
            ) {
                linkable.exact.push(token.lower.clone());
            }
            if linkable.terms.len() < MOST_TERMS && is_term(token, language, &weights) {
                let written = text[token.span.clone()].to_owned();
                let weight = weight_of(token, &weights);
                let stem = self.stems.of(token.lower.trim_end_matches("'s"));
                let known = linkable.terms.entry(stem).or_insert((weight, written));
                known.0 = known.0.max(weight);
            }
        }
        linkable.exact.sort_unstable();
        linkable.exact.dedup();
        linkable.total = linkable.terms.values().map(|(weight, _)| weight).sum();
        linkable
    }
}

/// The weight and sort of each word, by its first byte.
type WordWeights = FxHashMap<usize, (f32, WordSort)>;

fn is_term(token: &Token, language: &str, weights: &WordWeights) -> bool {
    let lower = token.lower.as_str();
    // When something is doesn't say what it is.
    if weights
        .get(&token.span.start)
        .is_some_and(|known| known.1 == WordSort::Time)
    {
        return false;
    }
    match token.shape {
        Shape::Mark | Shape::Question | Shape::Amount => false,
        // Small numbers say nothing about what a text is about.
        Shape::Number => lower.len() > 3 && lower.bytes().all(|byte| byte.is_ascii_digit()),
        _ => {
            lower.chars().count() > 1
                && !super::keywords::is_grammar(lower.trim_end_matches("'s"), language)
                && !lower.ends_with("ly")
        }
    }
}

fn weight_of(token: &Token, weights: &WordWeights) -> f32 {
    match token.shape {
        Shape::Name => 1.25,
        shape if shape.is_exact() || shape == Shape::Version => 1.5,
        _ => weights
            .get(&token.span.start)
            .map_or(0.5, |known| known.0.max(0.3)),
    }
}

/// The link from a memory to an earlier one, if any. A pure function of the two; takes microseconds.
pub fn link(later: &Linkable, earlier: &Linkable) -> Option<PairLink> {
    let pair = Pair::of(later, earlier);
    let link_type = pair.link_type()?;
    let closeness = match pair.exact {
        Some(_) => pair.closeness.max(CLOSE),
        None => pair.closeness,
    };
    Some(PairLink {
        link_type,
        strength: 0.5 + 0.5 * closeness,
        reason: pair.reason(link_type),
    })
}

struct Pair<'a> {
    later: &'a Linkable,
    earlier: &'a Linkable,
    shared: Vec<&'a str>,
    closeness: f32,
    /// A ticket, file or address that both name.
    exact: Option<&'a str>,
}

impl<'a> Pair<'a> {
    fn of(later: &'a Linkable, earlier: &'a Linkable) -> Self {
        let mut shared: Vec<(f32, &str)> = later
            .terms
            .iter()
            .filter(|(term, _)| earlier.terms.contains_key(*term))
            .map(|(_, (weight, written))| (*weight, written.as_str()))
            .collect();
        shared.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
        let common: f32 = shared.iter().map(|(weight, _)| weight).sum();
        let smaller = later.total.min(earlier.total);
        let exact = later
            .exact
            .iter()
            .find(|name| earlier.exact.binary_search(name).is_ok());
        Self {
            later,
            earlier,
            closeness: if smaller > 0.0 {
                (common / smaller).min(1.0)
            } else {
                0.0
            },
            shared: shared.into_iter().map(|(_, written)| written).collect(),
            exact: exact.map(String::as_str),
        }
    }

    fn link_type(&self) -> Option<LinkType> {
        let is_close = self.shared.len() >= SHARED && self.closeness >= CLOSE;
        if !is_close && self.exact.is_none() {
            return None;
        }
        if is_close && self.later.has(LinkCue::Correction) {
            return Some(LinkType::Contradicts);
        }
        if self.says(LinkType::Implements) && self.earlier.has(LinkCue::Goal) {
            return Some(LinkType::Implements);
        }
        let cued = [
            LinkType::Supersedes,
            LinkType::Supports,
            LinkType::Requires,
            LinkType::Extends,
        ];
        let enough = |link_type: &LinkType| {
            // Many things depend on what many others name, too.
            let least = if *link_type == LinkType::Requires {
                SHARED + 1
            } else {
                SHARED
            };
            is_close && self.shared.len() >= least && self.says(*link_type)
        };
        if let Some(link_type) = cued.into_iter().find(enough) {
            return Some(link_type);
        }
        let negates = self.later.has(LinkCue::Negation) != self.earlier.has(LinkCue::Negation);
        if is_close && negates && self.closeness >= VERY_CLOSE && !self.later.has_relation() {
            return Some(LinkType::Contradicts);
        }
        self.exact.map(|_| LinkType::References)
    }

    fn says(&self, link_type: LinkType) -> bool {
        self.later.has(LinkCue::Link(link_type))
    }

    fn reason(&self, link_type: LinkType) -> String {
        let named = match self.exact {
            Some(exact) if link_type == LinkType::References => exact.to_owned(),
            _ => self
                .shared
                .iter()
                .take(NAMED)
                .copied()
                .collect::<Vec<_>>()
                .join(", "),
        };
        let how = match link_type {
            LinkType::Contradicts => "says otherwise about",
            LinkType::Implements => "reports as done:",
            LinkType::Supersedes => "states a change of",
            LinkType::Supports => "confirms",
            LinkType::Requires => "depends on",
            LinkType::Extends => "adds to",
            _ => "names",
        };
        format!("{how} {named}")
    }
}
