//! Whether the memory knows something of what a prompt is about.
//!
//! Most prompts to an agent are no questions to its memory, and every store has a nearest neighbour for each. Four
//! things tell them apart: whether the store's memories contain the prompt's words more often than general texts do,
//! how much rare wording the best result shares with it, whether that result stands out, and whether the prompt has more
//! than one or two words of its own.

use super::evidence::{Evidence, first_score};
use super::model::{self, PromptInputs};
use crate::model::IDF_POWER;
use crate::ranked::Ranked;
use crate::words::{ParsedQuery, Reader};

impl PromptInputs {
    /// Reads the first of `ranked`. O(words of the prompt · results), apart from texts that were not read yet.
    pub(crate) fn of(reader: &mut Reader<'_>, ranked: &[Ranked]) -> Self {
        let first = &ranked[..ranked.len().min(model::FIRST)];
        let evidence = Evidence::of(reader, ranked);
        let topic = Topic::of(reader);
        let words = SharedWords::of(reader, first);
        let scores = || first.iter().map(first_score);
        let best = scores().fold(f32::MIN, f32::max).max(0.0);
        let tenth = match first.len() {
            model::FIRST => scores().fold(f32::MAX, f32::min),
            _ => 0.0,
        };
        let within = |value: f32, [least, most]: [f32; 2]| value.clamp(least, most);
        // The idf of a word that only one memory contains, roughly.
        let single = (reader.rows() as f32).ln_1p().max(1.0);
        Self {
            topic_sum: within(topic.sum, model::TOPIC_SUM),
            topic_best: within(topic.best, model::TOPIC_BEST),
            topic_mean: within(topic.mean, model::TOPIC_BEST),
            lead: within(best - tenth, model::LEAD),
            shared: within((words.best / single).ln_1p(), model::SHARED),
            found: within(words.found, model::FOUND),
            information: within(words.all, model::INFORMATION),
            agreement: evidence.on_topic.agreement,
            words: first
                .iter()
                .take(model::SHOWN)
                .map(|ranked| ranked.features.words)
                .fold(0.0, f32::max),
            window_words: first.first().map_or(0.0, |best| best.features.window_words),
            few_words: 1.0 / content_words(reader.query).max(1) as f32,
        }
    }
}

/// The number of words of a prompt that aren't stop words, names of authors included.
fn content_words(query: &ParsedQuery) -> usize {
    query.content.terms.len() + query.named_authors.len()
}

/// How much more often the memories contain the prompt's wordpieces than general texts do, in nats.
#[derive(Default)]
struct Topic {
    sum: f32,
    best: f32,
    /// Weighted by rarity.
    mean: f32,
}

impl Topic {
    /// O(wordpieces of the prompt).
    fn of(reader: &Reader<'_>) -> Self {
        let query: &ParsedQuery = reader.query;
        let mut topic = Self::default();
        let (mut weighted, mut weights) = (0.0, 0.0);
        for (place, (&piece, &weight)) in query.pieces.iter().zip(&query.piece_weights).enumerate()
        {
            let surplus = surplus(reader, piece);
            topic.sum += surplus;
            topic.best = if place == 0 {
                surplus
            } else {
                topic.best.max(surplus)
            };
            weighted += surplus * weight;
            weights += weight;
        }
        if weights > 0.0 {
            topic.mean = weighted / weights;
        }
        topic
    }
}

/// The logarithm of the share of memories that contain a wordpiece, relative to the share expected in general texts of
/// the same length. One expected memory is added, so that a missing piece has a finite value.
fn surplus(reader: &Reader<'_>, piece: u16) -> f32 {
    let rank = (f32::from(piece) - model::FIRST_PIECE).max(1.0);
    let share_of_tokens = model::ZIPF_SHARE / (rank + model::ZIPF_SHIFT);
    let expected = 1.0 - (-reader.average_tokens().max(1.0) * share_of_tokens).exp();
    let share = (reader.token_frequency(piece) as f32 + expected) / (reader.rows() as f32 + 1.0);
    (share / expected.max(f32::MIN_POSITIVE)).ln()
}

/// The idf of the words that the prompt shares with results.
#[derive(Default)]
struct SharedWords {
    /// Of all its words.
    all: f32,
    /// Of those in any result.
    found: f32,
    /// Of those in the result with the most.
    best: f32,
}

impl SharedWords {
    /// O(words of the prompt · results).
    fn of(reader: &mut Reader<'_>, first: &[Ranked]) -> Self {
        let weights = reader.query.term_weights.iter();
        let idf: Vec<f32> = weights.map(|weight| weight.powf(1.0 / IDF_POWER)).collect();
        let mut is_found = vec![false; idf.len()];
        let mut best = 0.0_f32;
        for ranked in first {
            let summary = reader.read(ranked.candidate.row);
            let mut own = 0.0;
            for ((idf, is_found), frequency) in
                idf.iter().zip(&mut is_found).zip(summary.frequencies)
            {
                if *frequency > 0.0 {
                    own += idf;
                    *is_found = true;
                }
            }
            best = best.max(own);
        }
        let found = idf.iter().zip(&is_found).filter(|(_, is_found)| **is_found);
        Self {
            all: idf.iter().sum(),
            found: found.map(|(idf, _)| idf).sum(),
            best,
        }
    }
}
