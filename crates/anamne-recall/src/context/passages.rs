//! Shortens a long memory to the sentences relevant to a query.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use anamne_embed::{Embedder, StaticModel};
use anamne_text::analyser::QueryTerm;
use anamne_text::sentences::sentences;
use anamne_text::snippet::{occurrences, snippet};
use anamne_text::tokens::{estimate_tokens, truncate_to_tokens};

/// Of a longer text only the best-matching window of this many characters is split into sentences.
const MAX_CHARACTERS: usize = 16_384;

/// The maximum number of sentences that are scored per memory; later ones are never shown.
const MAX_SENTENCES: usize = 256;

/// Minimum characters per token, in the scripts with the most.
const CHARACTERS_PER_TOKEN: usize = 4;

/// The weight of a sentence's cosine, relative to the share of query words that it contains.
const SEMANTIC_WEIGHT: f32 = 1.0;

/// The share of its best neighbour's score that a sentence gains.
const NEIGHBOUR_BONUS: f32 = 0.2;

/// The bonus of the first sentence, which often introduces the topic.
const FIRST_BONUS: f32 = 0.1;

/// The query that passages are selected for.
pub(crate) struct PassageQuery<'query> {
    text: &'query str,
    terms: &'query [QueryTerm],
    weights: &'query [f32],
    vector: OnceCell<Vec<f32>>,
}

impl<'query> PassageQuery<'query> {
    /// A query with its terms and their weights. With an empty query, texts are shortened to their beginning.
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

    /// The vector of the query by the built-in model, whatever model the space has: this must not call another one.
    fn vector(&self) -> &[f32] {
        self.vector.get_or_init(|| {
            let table = StaticModel::builtin_tokens();
            let mut tokens = Vec::new();
            table.tokens(self.text, &mut tokens);
            let mut vector = vec![0.0; StaticModel::builtin().dimensions()];
            table.vector_of(&tokens, &mut vector);
            vector
        })
    }
}

/// A long text, parsed for a query: its sentences, best first, with their costs.
pub(crate) struct LongText<'text> {
    /// The part that is read.
    text: Cow<'text, str>,
    sentences: Vec<Range<usize>>,
    /// Tokens of each sentence.
    costs: Vec<usize>,
    /// The indices of the sentences, most relevant first.
    order: Vec<usize>,
    /// Whether there are more sentences.
    is_cut: bool,
}

impl<'text> LongText<'text> {
    /// Splits the text and scores at most [`MAX_SENTENCES`] sentences. O(text), including an embedding per sentence.
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

    /// The best sentence, on one line; empty if there is none.
    pub(crate) fn best_sentence(&self) -> String {
        let best = self
            .order
            .first()
            .map(|place| &self.text[self.sentences[*place].clone()]);
        let words: Vec<_> = best.into_iter().flat_map(str::split_whitespace).collect();
        words.join(" ")
    }

    /// The most relevant sentences that fit into `room` tokens, in text order, with `…` for omissions; `None` if
    /// nothing readable fits. O(sentences + length of the passage).
    pub(crate) fn passage(&self, passage_query: &PassageQuery<'_>, room: usize) -> Option<String> {
        let mut chosen = Vec::new();
        let mut left = room;
        for &place in &self.order {
            // With an ellipsis on either side.
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

/// The relevance of each sentence.
fn scores(text: &str, pieces: &[Range<usize>], passage_query: &PassageQuery<'_>) -> Vec<f32> {
    if passage_query.text.is_empty() {
        return (0..pieces.len()).map(|place| -(place as f32)).collect();
    }
    let mut own = word_scores(text, pieces, passage_query);
    for (score, semantic) in own.iter_mut().zip(cosines(text, pieces, passage_query)) {
        *score += SEMANTIC_WEIGHT * semantic.max(0.0);
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

/// The weighted share of the query's terms that each sentence contains.
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

/// The cosine of each sentence and the query. All tokens are looked up before the first row is read: both wait for
/// memory, and independent look-ups wait together.
fn cosines(text: &str, pieces: &[Range<usize>], passage_query: &PassageQuery<'_>) -> Vec<f32> {
    let table = StaticModel::builtin_tokens();
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let ends: Vec<usize> = pieces
        .iter()
        .map(|piece| {
            table.tokens(&text[piece.clone()], &mut tokens);
            tokens.len()
        })
        .collect();
    let query = passage_query.vector();
    let mut sum = vec![0.0; query.len()];
    let mut start = 0;
    let cosine = |end| {
        sum.fill(0.0);
        for &token in &tokens[start..end] {
            table.add_row(token, 1.0, &mut sum);
        }
        start = end;
        let length = dot(&sum, &sum).sqrt();
        if length > 0.0 {
            dot(&sum, query) / length
        } else {
            0.0
        }
    };
    ends.into_iter().map(cosine).collect()
}

/// The dot product; eight sums that don't wait for each other.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    const LANES: usize = 8;
    let (ones, others) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (one, other) in ones.0.iter().zip(others.0) {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    let rest = ones.1.iter().zip(others.1);
    sums.iter().sum::<f32>() + rest.map(|(one, other)| one * other).sum::<f32>()
}

/// The part of a long sentence that fits.
fn cut(sentence: &str, passage_query: &PassageQuery<'_>, room: usize) -> Option<String> {
    let mut characters = room * CHARACTERS_PER_TOKEN;
    // Characters per token vary by script, so the cut is narrowed iteratively.
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
