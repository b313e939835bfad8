//! Shortening a long memory to the sentences that bear on the question.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use anamne_embed::{Embedder, StaticModel};
use anamne_text::analyser::QueryTerm;
use anamne_text::sentences::sentences;
use anamne_text::snippet::{occurrences, snippet};
use anamne_text::tokens::{estimate_tokens, truncate_to_tokens};

/// Of a longer text only the stretch of so many characters that fits best is read sentence by sentence.
const MAX_CHARACTERS: usize = 16_384;

/// Sentences that are weighed of one memory at most; further ones are never shown of a shortened text.
const MAX_SENTENCES: usize = 256;

/// Characters that a token stands for at least, in the scripts where it stands for most.
const CHARACTERS_PER_TOKEN: usize = 4;

/// What the nearness of a sentence's meaning counts beside the share of the question's words in it.
const SEMANTIC_WEIGHT: f32 = 1.0;

/// What a sentence gains by the better one of its neighbours.
const NEIGHBOUR_BONUS: f32 = 0.2;

/// What the first sentence gains: it says what the rest is about.
const FIRST_BONUS: f32 = 0.1;

/// What a block is about.
pub(crate) struct PassageQuery<'query> {
    text: &'query str,
    terms: &'query [QueryTerm],
    weights: &'query [f32],
    vector: OnceCell<Vec<f32>>,
}

impl<'query> PassageQuery<'query> {
    /// A question, the terms that are looked for in matches and the weight of each. Without a question matches are shortened to
    /// their beginning.
    pub(crate) fn new(
        text: &'query str,
        terms: &'query [QueryTerm],
        weights: &'query [f32],
    ) -> Self {
        Self {
            text,
            terms,
            weights,
            vector: OnceCell::new(),
        }
    }

    fn vector(&self) -> &[f32] {
        self.vector.get_or_init(|| embed(self.text))
    }
}

/// A text as the built-in model sees it, whichever model the space has: this must cost no call to another one.
fn embed(text: &str) -> Vec<f32> {
    let model = StaticModel::builtin();
    let mut vector = vec![0.0; model.dimensions()];
    match model.embed_into(text, &mut vector) {
        Ok(()) => vector,
        // The built-in model has nothing that could fail; without it words decide alone.
        Err(_) => Vec::new(),
    }
}

/// A text that is too long, read for a question: its sentences, the best first, and what each costs.
pub(crate) struct LongText<'text> {
    /// The stretch of it that is read.
    text: Cow<'text, str>,
    sentences: Vec<Range<usize>>,
    /// Tokens of each sentence.
    costs: Vec<usize>,
    /// The places of the sentences, those that bear on the question most first.
    order: Vec<usize>,
    /// Whether there are more sentences than were read.
    is_cut: bool,
}

impl<'text> LongText<'text> {
    /// Splits and weighs at most [`WEIGHED`] sentences. O(text), an embedding for each sentence included.
    pub(crate) fn read(text: &'text str, passage_query: &PassageQuery<'_>) -> Self {
        let text = if text.len() > MAX_CHARACTERS {
            Cow::Owned(snippet(text, passage_query.terms, MAX_CHARACTERS))
        } else {
            Cow::Borrowed(text)
        };
        let mut sentences = sentences(&text);
        let is_cut = sentences.len() > MAX_SENTENCES;
        sentences.truncate(MAX_SENTENCES);
        let scores = scores(&text, &sentences, passage_query);
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]).then(one.cmp(other)));
        let cost = |sentence: &Range<usize>| estimate_tokens(&text[sentence.clone()]);
        Self {
            costs: sentences.iter().map(cost).collect(),
            text,
            sentences,
            order,
            is_cut,
        }
    }

    /// The sentences that bear on the question, as many as cost at most `room` tokens, in their order, with `…` for what is left
    /// out; `None` where nothing readable finds room. O(sentences + what is shown).
    pub(crate) fn passage(&self, passage_query: &PassageQuery<'_>, room: usize) -> Option<String> {
        let mut chosen = Vec::new();
        let mut left = room;
        for &place in &self.order {
            // An ellipsis at either side.
            let cost = self.costs[place] + 2;
            if cost <= left {
                left -= cost;
                chosen.push(place);
            } else if chosen.is_empty() {
                return cut(
                    &self.text[self.sentences[place].clone()],
                    passage_query,
                    room,
                );
            }
        }
        chosen.sort_unstable();
        (!chosen.is_empty()).then(|| joined(&self.text, &self.sentences, &chosen, self.is_cut))
    }
}

/// How well each sentence answers.
fn scores(text: &str, pieces: &[Range<usize>], passage_query: &PassageQuery<'_>) -> Vec<f32> {
    if passage_query.text.is_empty() {
        return (0..pieces.len()).map(|place| -(place as f32)).collect();
    }
    let mut own = word_scores(text, pieces, passage_query);
    for (score, piece) in own.iter_mut().zip(pieces) {
        *score += SEMANTIC_WEIGHT * semantic_score(&text[piece.clone()], passage_query);
    }
    let at = |place: Option<usize>| {
        place
            .and_then(|place| own.get(place))
            .copied()
            .unwrap_or(0.0)
    };
    (0..own.len())
        .map(|place| {
            let neighbour = at(place.checked_sub(1)).max(at(Some(place + 1)));
            let first = if place == 0 { FIRST_BONUS } else { 0.0 };
            own[place] + NEIGHBOUR_BONUS * neighbour + first
        })
        .collect()
}

/// The share of the question's words that each sentence holds, rare ones counting more.
fn word_scores(text: &str, pieces: &[Range<usize>], passage_query: &PassageQuery<'_>) -> Vec<f32> {
    let mut met = vec![0.0; pieces.len()];
    let all: f32 = passage_query.weights.iter().sum();
    if all <= 0.0 {
        return met;
    }
    let mut matches: Vec<(usize, usize)> = occurrences(text, passage_query.terms)
        .into_iter()
        .map(|(byte, term)| (pieces.partition_point(|piece| piece.end <= byte), term))
        .collect();
    matches.sort_unstable();
    matches.dedup();
    for (piece, term) in matches {
        if let (Some(met), Some(weight)) = (met.get_mut(piece), passage_query.weights.get(term)) {
            *met += weight / all;
        }
    }
    met
}

fn semantic_score(sentence: &str, passage_query: &PassageQuery<'_>) -> f32 {
    let pairs = embed(sentence);
    let dot: f32 = pairs
        .iter()
        .zip(passage_query.vector())
        .map(|(one, other)| one * other)
        .sum();
    dot.max(0.0)
}

/// The part of a long sentence that fits.
fn cut(sentence: &str, passage_query: &PassageQuery<'_>, room: usize) -> Option<String> {
    let mut characters = room * CHARACTERS_PER_TOKEN;
    // Scripts differ in how many characters a token stands for, so the cut is tried and narrowed.
    for _ in 0..4 {
        let text = snippet(sentence, passage_query.terms, characters);
        let tokens = estimate_tokens(&text);
        if tokens <= room {
            return (!text.is_empty()).then_some(text);
        }
        characters = characters * room / (tokens + 1) * 9 / 10;
    }
    None
}

fn joined(text: &str, pieces: &[Range<usize>], chosen: &[usize], is_cut: bool) -> String {
    let mut shown = String::new();
    let mut next = 0;
    for &place in chosen {
        if place > next {
            shown.push_str(if shown.is_empty() { "…" } else { " … " });
        } else if !shown.is_empty() {
            shown.push(' ');
        }
        let words = text[pieces[place].clone()].split_whitespace();
        for (number, word) in words.enumerate() {
            if number > 0 {
                shown.push(' ');
            }
            shown.push_str(word);
        }
        next = place + 1;
    }
    if next < pieces.len() || is_cut {
        shown.push('…');
    }
    shown
}

/// The beginning of a text in at most `room` tokens, on one line.
pub(super) fn beginning(text: &str, room: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept = truncate_to_tokens(&line, room);
    if kept.len() == line.len() {
        return line;
    }
    format!("{}…", truncate_to_tokens(&line, room.saturating_sub(1)))
}
