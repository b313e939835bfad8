//! Chooses the passages of a summary: by value and centrality, without repetition.

use anamne_embed::{Embedder, StaticModel};

use super::digest::{SummarySentence, Turn};
use super::graph;
use super::passages::{Passage, distinct};
use super::wording::length;
use super::words::Word;
use crate::vectors::dot;

/// A candidate passage of a summary.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The passage, with its source.
    pub(crate) sentence: SummarySentence,
    /// The whole sentence that contains it; empty if it is the passage itself or too long.
    pub(crate) whole: String,
    /// Index of its turn.
    pub(crate) turn: usize,
    /// Byte offset in the turn.
    pub(crate) offset: usize,
    /// Its value by itself, without comparison.
    pub(crate) alone: f32,
    /// Its words as hashes with weights, by rising hash.
    pub(crate) words: Vec<(u64, f32)>,
}

/// Minimum length of a truncated passage, in characters.
const SHORTEST: usize = 20;

/// Maximum length of a sentence to which a passage is widened, in characters.
const WIDEST: usize = 320;

/// Factor for further passages of a turn that is already in the summary.
const SECOND: f32 = 0.15;

/// Factor for words that are already in the summary.
const SAID: f32 = 0.5;

/// Cosine with a chosen passage above which a passage counts less.
const ALIKE: f32 = 0.6;

/// Exponent of the length by which a passage's value is divided.
const LENGTH: f32 = 0.75;

/// Weight of centrality.
const CENTRAL: f32 = 0.2;

impl Candidate {
    /// A passage of a turn with this worth.
    pub(crate) fn of(turn: &Turn<'_>, order: usize, worth: f32, passage: Passage) -> Self {
        let text = shown(turn.text, &passage.span, &passage.sentence);
        let sentence = turn.text[passage.sentence.clone()].trim_end();
        let whole = if passage.span == passage.sentence || sentence.chars().count() > WIDEST {
            String::new()
        } else {
            shown(turn.text, &passage.sentence, &passage.sentence)
        };
        let asks = if passage.asks { 0.3 } else { 1.0 };
        let aside = if passage.aside { 0.5 } else { 1.0 };
        Self {
            sentence: SummarySentence {
                text,
                author: turn.author.to_owned(),
                own: passage.own,
                memory: turn.id,
                row: turn.row,
                at: turn.at,
                score: 0.0,
            },
            whole,
            turn: order,
            offset: passage.span.start,
            alone: worth * asks * aside * says(passage.says),
            words: passage.words,
        }
    }

    /// A sentence of a shorter period's summary, with its words.
    pub(crate) fn again(sentence: SummarySentence, order: usize, words: &[Word]) -> Self {
        Self {
            whole: String::new(),
            turn: order,
            offset: 0,
            alone: sentence.score,
            words: distinct(words),
            sentence,
        }
    }

    fn rate(&self, value: f32) -> f32 {
        value
            / (self.sentence.text.chars().count() as f32)
                .max(1.0)
                .powf(LENGTH)
    }
}

/// The value of a weight of words, with diminishing returns.
fn says(weight: f32) -> f32 {
    weight.ln_1p()
}

/// A part of a text on one line, with `…` where the sentence continues.
fn shown(text: &str, span: &std::ops::Range<usize>, sentence: &std::ops::Range<usize>) -> String {
    let mut line = String::with_capacity(span.len() + 6);
    if span.start > sentence.start {
        line.push('…');
    }
    // Drops Markdown emphasis.
    let said = text[span.clone()].replace("**", "");
    for word in said.split_whitespace() {
        if !line.is_empty() && !line.ends_with('…') {
            line.push(' ');
        }
        line.push_str(word);
    }
    let rest = text[span.end.min(sentence.end)..sentence.end].chars();
    if rest.filter(|character| character.is_alphanumeric()).count() > 0 {
        line.push('…');
    }
    line
}

/// Keeps the candidates with the most value by length. Repeated pruning keeps the same ones as pruning once at the end.
pub(crate) fn keep_best(candidates: &mut Vec<Candidate>, most: usize) {
    if candidates.len() <= most {
        return;
    }
    candidates.sort_by(|a, b| {
        let (rate_a, rate_b) = (a.rate(a.alone), b.rate(b.alone));
        rate_b
            .total_cmp(&rate_a)
            .then_with(|| (a.turn, a.offset).cmp(&(b.turn, b.offset)))
    });
    candidates.truncate(most);
}

/// Greedily chooses the passages with the most gain by length, until the budget of characters or sentences is spent.
///
/// `candidates` must be ordered by turn and offset; so is the result.
pub(crate) fn choose(
    model: &StaticModel,
    candidates: Vec<Candidate>,
    most: usize,
    budget: usize,
) -> Vec<SummarySentence> {
    let dimensions = model.dimensions();
    let texts: Vec<&str> = candidates
        .iter()
        .map(|one| one.sentence.text.as_str())
        .collect();
    // The built-in model accepts every text; without vectors only the words would count.
    let vectors = model
        .embed_batch(&texts)
        .unwrap_or_else(|_| vec![0.0; texts.len() * dimensions]);
    let central = graph::centrality(&vectors, dimensions);
    let mut choice = Choice::new(candidates, &vectors, dimensions, &central);
    while choice.chosen.len() < most
        && let Some(best) = choice.best_within(budget)
    {
        choice.take(best);
    }
    if choice.chosen.is_empty() {
        choice.take_shortest(budget);
    }
    choice.widen(budget);
    choice.in_order()
}

struct Choice<'vectors> {
    candidates: Vec<Candidate>,
    vectors: &'vectors [f32],
    dimensions: usize,
    values: Vec<f32>,
    nearest: Vec<f32>,
    turn_taken: Vec<usize>,
    chosen: Vec<usize>,
    said: Vec<u64>,
}

impl<'vectors> Choice<'vectors> {
    fn new(
        candidates: Vec<Candidate>,
        vectors: &'vectors [f32],
        dimensions: usize,
        central: &[f32],
    ) -> Self {
        let values = candidates
            .iter()
            .zip(central)
            .map(|(candidate, central)| candidate.alone * (1.0 - CENTRAL + CENTRAL * central))
            .collect();
        Self {
            nearest: vec![0.0; candidates.len()],
            candidates,
            vectors,
            dimensions,
            values,
            turn_taken: Vec::new(),
            chosen: Vec::new(),
            said: Vec::new(),
        }
    }

    /// The passage with the most gain by length that fits.
    fn best_within(&self, budget: usize) -> Option<usize> {
        let mut by_rate: Vec<(f32, usize)> = (0..self.candidates.len())
            .filter(|at| self.chosen.binary_search(at).is_err())
            .map(|at| (self.candidates[at].rate(self.gain(at)), at))
            .filter(|(rate, _)| *rate > 0.0)
            .collect();
        by_rate.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        by_rate.into_iter().map(|(_, at)| at).find(|&at| {
            let place = self.chosen.partition_point(|chosen| *chosen < at);
            let (before, after) = self.chosen.split_at(place);
            let all = before.iter().chain([&at]).chain(after);
            length(all.map(|at| &self.candidates[*at].sentence)) <= budget
        })
    }

    /// The gain from adding a passage.
    fn gain(&self, at: usize) -> f32 {
        let candidate = &self.candidates[at];
        let all: f32 = candidate.words.iter().map(|word| word.1).sum();
        let fresh: f32 = candidate
            .words
            .iter()
            .map(|word| {
                if self.said.binary_search(&word.0).is_ok() {
                    word.1 * SAID
                } else {
                    word.1
                }
            })
            .sum();
        let news = if all > 0.0 {
            says(fresh) / says(all)
        } else {
            1.0
        };
        let alike = ((self.nearest[at] - ALIKE) / (1.0 - ALIKE)).clamp(0.0, 1.0);
        let further = if self.turn_taken.contains(&candidate.turn) {
            SECOND
        } else {
            1.0
        };
        self.values[at] * news * (1.0 - alike) * further
    }

    fn take(&mut self, at: usize) {
        self.candidates[at].sentence.score = self.gain(at);
        let place = self.chosen.partition_point(|chosen| *chosen < at);
        self.chosen.insert(place, at);
        self.turn_taken.push(self.candidates[at].turn);
        self.said
            .extend(self.candidates[at].words.iter().map(|word| word.0));
        self.said.sort_unstable();
        self.said.dedup();
        let taken = self.vector(at);
        for other in 0..self.candidates.len() {
            let cosine = dot(taken, self.vector(other));
            self.nearest[other] = self.nearest[other].max(cosine);
        }
    }

    fn vector(&self, at: usize) -> &'vectors [f32] {
        &self.vectors[at * self.dimensions..(at + 1) * self.dimensions]
    }

    /// If nothing fits: truncates the most valuable passage so that it does.
    fn take_shortest(&mut self, budget: usize) {
        let best = (0..self.candidates.len())
            .max_by(|a, b| self.values[*a].total_cmp(&self.values[*b]).then(b.cmp(a)));
        let Some(best) = best else {
            return;
        };
        let sentence = &mut self.candidates[best].sentence;
        let more = length([&*sentence]).saturating_sub(budget);
        let keep = sentence
            .text
            .chars()
            .count()
            .saturating_sub(more + 1)
            .max(SHORTEST);
        let mut kept: String = sentence.text.chars().take(keep).collect();
        if kept.len() < sentence.text.len() {
            if let Some(blank) = kept.rfind(' ') {
                kept.truncate(blank);
            }
            kept.push('…');
            sentence.text = kept;
        }
        self.take(best);
    }

    /// Widens passages to whole sentences within the remaining budget, highest score first.
    fn widen(&mut self, budget: usize) {
        let mut by_score = self.chosen.clone();
        by_score.sort_by(|a, b| {
            let score = |at: &usize| self.candidates[*at].sentence.score;
            score(b).total_cmp(&score(a)).then(a.cmp(b))
        });
        let mut left = budget.saturating_sub(length(
            self.chosen.iter().map(|at| &self.candidates[*at].sentence),
        ));
        for at in by_score {
            let candidate = &mut self.candidates[at];
            let more = candidate
                .whole
                .chars()
                .count()
                .checked_sub(candidate.sentence.text.chars().count());
            if let Some(more) = more.filter(|more| *more > 0 && *more <= left) {
                left -= more;
                candidate.sentence.text = std::mem::take(&mut candidate.whole);
            }
        }
    }

    fn in_order(self) -> Vec<SummarySentence> {
        self.chosen
            .iter()
            .map(|at| self.candidates[*at].sentence.clone())
            .collect()
    }
}
