//! What the best results together indicate about whether the query can be answered.

use super::model::{self, Answered, OnTopic, RelevanceInputs};
use crate::model::{DEPTH, Weights};
use crate::ranked::Ranked;
use crate::words::{Reader, SentenceStats};

/// Evidence from the query and its best results.
pub(super) struct Evidence {
    pub(super) on_topic: OnTopic,
    pub(super) answered: Answered,
    /// How well statements about the named person match.
    named_statements: f32,
    /// The logarithm of the number of query wordpieces.
    pieces: f32,
    /// The score of the tenth result.
    tenth: f32,
    /// The best score without the `author` feature.
    best_without_author: f32,
}

/// The score without the `author` feature.
fn score_without_author(ranked: &Ranked) -> f32 {
    ranked.score - ranked.features.author * Weights::DEFAULT.author
}

/// The score without the second look, which compares results with each other, so that it says nothing about all.
pub(super) fn first_score(ranked: &Ranked) -> f32 {
    ranked.score - ranked.features.second_look * Weights::DEFAULT.second_look
}

/// The first score without `lsi_similarity`, which indicates which memories are relevant, but not whether there are
/// any.
fn score_without_lsi(ranked: &Ranked) -> f32 {
    first_score(ranked) - ranked.features.lsi_similarity * Weights::DEFAULT.lsi_similarity
}

/// The results that are related to the query.
fn related(first: &[Ranked]) -> Vec<&Ranked> {
    let best = first.iter().map(first_score).fold(0.0, f32::max);
    let is_related = |ranked: &&Ranked| first_score(ranked) >= model::RELATED_SHARE * best;
    first.iter().filter(is_related).collect()
}

/// The mean of a value over some results; 0 for none.
fn mean(results: &[&Ranked], value: impl Fn(&Ranked) -> f32) -> f32 {
    let sum: f32 = results.iter().map(|ranked| value(ranked)).sum();
    sum / results.len().max(1) as f32
}

impl Evidence {
    /// Reads the first of `ranked`. O(their tokens) if the query names one person, else O(their summaries).
    pub(super) fn of(reader: &mut Reader<'_>, ranked: &[Ranked]) -> Self {
        let first = &ranked[..ranked.len().min(model::FIRST)];
        let related = related(first);
        let (met, least) = best_matches(reader, first);
        let [named, others] = statement_matches(reader, first);
        let has_vector_hits = ranked
            .iter()
            .any(|ranked| ranked.candidate.vector_rank.is_some());
        // Independent of the requested number of results.
        let is_top_hit = |rank: Option<u32>| rank.is_some_and(|rank| (rank as usize) < DEPTH);
        let by_both = |ranked: &Ranked| {
            let candidate = &ranked.candidate;
            f32::from(u8::from(
                is_top_hit(candidate.lexical_rank) && is_top_hit(candidate.vector_rank),
            ))
        };
        Self {
            on_topic: OnTopic {
                mean: mean(&related, score_without_lsi),
                met,
                agreement: if has_vector_hits {
                    mean(&related, by_both)
                } else {
                    model::DEFAULT_AGREEMENT
                },
            },
            answered: Answered {
                turned: named - others,
                spread: spread(&related),
                least,
                nearness: if has_vector_hits {
                    mean(&related, |ranked| ranked.features.semantic)
                } else {
                    model::DEFAULT_SEMANTIC
                },
            },
            named_statements: named,
            pieces: (reader.query.piece_weights.len() as f32).ln_1p(),
            // With fewer results: an unrelated memory scores about 0.
            tenth: ranked
                .get(model::FIRST - 1)
                .map_or(0.0, |tenth| tenth.score),
            best_without_author: first
                .iter()
                .map(score_without_author)
                .fold(f32::MIN, f32::max),
        }
    }

    /// The probability that the store contains the answer.
    pub(super) fn probability(&self) -> f32 {
        self.on_topic.probability() * self.answered.probability()
    }

    /// The inputs for the confidence of one result.
    pub(super) fn relevance_inputs(
        &self,
        reader: &Reader<'_>,
        place: usize,
        ranked: &Ranked,
    ) -> RelevanceInputs {
        let features = &ranked.features;
        RelevanceInputs {
            ahead: ranked.score - self.tenth,
            behind: (score_without_author(ranked) - self.best_without_author).min(0.0),
            place: (place as f32).ln_1p(),
            second_look: features.second_look,
            author: features.author,
            rare_term: features.rare_term,
            semantic: features.semantic,
            thread_words: features.thread_words,
            window_lexical: features.window_lexical,
            length: (reader.tokens(ranked.candidate.row).len() as f32).ln_1p(),
            pieces: self.pieces,
            agreement: self.on_topic.agreement,
            nearness: self.answered.nearness,
            named_statements: self.named_statements,
        }
    }
}

/// How well the query's wordpieces are matched, each by its best match among all results: weighted mean and minimum.
fn best_matches(reader: &mut Reader<'_>, first: &[Ranked]) -> (f32, f32) {
    if first.is_empty() || reader.query.piece_weights.is_empty() {
        return (0.0, 0.0);
    }
    let combined = reader.empty();
    for ranked in first {
        let own = reader.index_of(ranked.candidate.row);
        reader.add(combined, own, 1.0, 1.0);
    }
    let combined = reader.at(combined);
    let least = combined.nearest.iter().copied().fold(1.0, f32::min);
    (combined.word_match(), least)
}

/// The entropy of the result scores without authors, in nats, with scores as logits, which is how they are fitted.
/// Missing results count with the usual entropy.
fn spread(related: &[&Ranked]) -> f32 {
    let author = |ranked: &Ranked| ranked.features.author * Weights::DEFAULT.author;
    let scores = related
        .iter()
        .map(|ranked| first_score(ranked) - author(ranked));
    let best = scores.clone().fold(f32::MIN, f32::max);
    let weights = scores.map(|score| (score - best).exp());
    let sum: f32 = weights.clone().sum();
    let entropy: f32 = weights
        .map(|weight| weight / sum)
        .filter(|share| *share > 0.0)
        .map(|share| -share * share.ln())
        .sum();
    let share_present = related.len() as f32 / model::FIRST as f32;
    share_present * entropy + (1.0 - share_present) * model::DEFAULT_SPREAD
}

/// The best match among sentences about the one person that the query names, and among sentences about others.
///
/// The first person refers to the author, the second person to the addressee; both are 0 if the query names no person.
fn statement_matches(reader: &mut Reader<'_>, first: &[Ranked]) -> [f32; 2] {
    let query = reader.query;
    let [named] = query.named_authors[..] else {
        return [0.0; 2];
    };
    let (mut of_named, mut of_others) = (0.0_f32, 0.0_f32);
    for ranked in first {
        let author = ranked.candidate.attributes.author;
        if !query.persons.contains(&author) {
            continue;
        }
        let whole = reader.read(ranked.candidate.row).word_match();
        reader.each_sentence(ranked.candidate.row, |sentence, word_match| {
            let reference = word_match.midpoint(whole) * self_reference(sentence);
            let of_person = if author == named {
                reference
            } else {
                -reference
            };
            of_named = of_named.max(of_person);
            of_others = of_others.max(-of_person);
        });
    }
    [of_named, of_others]
}

/// Whom a sentence is about: 1 for its speaker, −1 for its addressee.
fn self_reference(sentence: SentenceStats) -> f32 {
    let (own, other) = (sentence.first_person as f32, sentence.second_person as f32);
    if sentence.is_question {
        if other > 0.0 { -1.0 } else { 0.0 }
    } else if own + other > 0.0 {
        (own - other) / (own + other)
    } else {
        model::IMPERSONAL
    }
}
