//! The worth of a turn before its passages are compared: whether it answers, brings news, names times and people.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use anamne_types::Role;

use super::digest::Turn;
use super::passages::{Passage, passages};
use super::words::{Weights, Word, WordSort};

/// Number of previous turns whose words aren't news.
const NEWS_TURNS: usize = 6;

/// Maximum weight of news, so that the longest turn isn't automatically the best.
const MOST_NEWS: f32 = 10.0;

/// Factor for turns of an assistant: it can be asked again, a person can't.
const EXPLAINED: f32 = 0.4;

/// Scale of the differences between turns.
const CONTRAST: f32 = 0.8;

/// The previous turns, as context for the next one.
#[derive(Default)]
pub(crate) struct PreviousTurns {
    words: VecDeque<Vec<u64>>,
    question_by: Option<String>,
    speakers: FxHashSet<String>,
}

/// Minimum length of a shortened name, in bytes.
const SHORT_NAME: usize = 3;

/// A turn with its worth and passages.
pub(crate) struct ReadTurn {
    /// Its worth, above 0; about 1 for an average turn.
    pub(crate) worth: f32,
    /// Its passages, in order.
    pub(crate) passages: Vec<Passage>,
}

impl PreviousTurns {
    /// Reads the next turn. Linear in its text.
    pub(crate) fn read(&mut self, turn: &Turn<'_>, weights: &mut Weights<'_>) -> ReadTurn {
        let (author, text) = (turn.author, turn.text);
        let mut words = weights.words(text);
        self.ignore_speaker_names(author, &mut words);
        let found = passages(text, &words);
        let recent: FxHashSet<u64> = self.words.iter().flatten().copied().collect();
        let mut worth = worth(&found, &words, &recent, self.is_answer_by(author));
        if turn.role == Some(Role::Assistant) {
            worth *= EXPLAINED;
        }
        self.remember(author, text, &found);
        ReadTurn {
            worth,
            passages: found,
        }
    }

    /// Removes the weight of the speakers' names: they occur as address, and are shown beside the text anyway.
    fn ignore_speaker_names(&mut self, author: &str, words: &mut [Word]) {
        for name in author.split_whitespace() {
            let name = name.to_lowercase();
            if !self.speakers.contains(&name) {
                self.speakers.insert(name);
            }
        }
        for word in words.iter_mut().filter(|word| word.weight > 0.0) {
            if self
                .speakers
                .iter()
                .any(|name| is_called(name, &word.plain))
            {
                word.weight = 0.0;
                word.sort = WordSort::Courtesy;
            }
        }
    }

    fn is_answer_by(&self, author: &str) -> bool {
        self.question_by
            .as_deref()
            .is_some_and(|asker| asker != author)
    }

    fn remember(&mut self, author: &str, text: &str, found: &[Passage]) {
        let asks = text.trim_end().ends_with('?') || found.last().is_some_and(|last| last.asks);
        self.question_by = asks.then(|| author.to_owned());
        let said = found
            .iter()
            .flat_map(|passage| &passage.words)
            .map(|word| word.0);
        self.words.push_back(said.collect());
        if self.words.len() > NEWS_TURNS {
            self.words.pop_front();
        }
    }
}

fn is_called(name: &str, plain: &str) -> bool {
    name == plain || (plain.len() >= SHORT_NAME && name.starts_with(plain))
}

/// The exponential of a weighted sum of features that distinguish turns that are asked about later.
fn worth(found: &[Passage], words: &[Word], recent: &FxHashSet<u64>, answers: bool) -> f32 {
    let stored = || found.iter().filter(|passage| !passage.asks);
    let news: f32 = stored()
        .flat_map(|passage| &passage.words)
        .filter(|word| !recent.contains(&word.0))
        .map(|word| word.1)
        .sum::<f32>()
        .min(MOST_NEWS);
    let count = |sort: WordSort| words.iter().filter(|word| word.sort == sort).count();
    let few = |sort: WordSort, most: usize| count(sort).min(most) as f32;
    let to_you = words
        .iter()
        .filter(|word| matches!(word.plain.split('\'').next(), Some("you" | "your")));
    let sum = 0.55 * news.ln_1p()
        + 0.5 * few(WordSort::Time, 2)
        + 0.2 * few(WordSort::Name, 3)
        + 0.2 * few(WordSort::Number, 2)
        + 0.25 * few(WordSort::Change, 3)
        + 0.45 * f32::from(u8::from(answers))
        - 0.5 * (count(WordSort::Courtesy) as f32).ln_1p()
        - 0.45 * (to_you.count() as f32).ln_1p()
        - if stored().next().is_none() { 1.0 } else { 0.0 };
    (CONTRAST * sum.clamp(-3.0, 3.0)).exp()
}
