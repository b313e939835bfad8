//! What is known of a question before and after its first search.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};
use anamne_types::{Answer, Hit, Recall};
use rustc_hash::{FxHashMap, FxHashSet};

use super::question;

/// The kinds of questions, by their first word: the sections of the data file.
const SHAPES: [&str; 6] = ["time", "person", "place", "manner", "reason", "thing"];

/// The shape of a query that begins with none of them.
const NO_SHAPE: f32 = 0.0;

/// The results by which a search is described.
const DESCRIBED: usize = 5;

static QUESTION_WORDS: LazyLock<FxHashMap<&'static str, f32>> =
    LazyLock::new(|| question_words().expect("a test loads the data file"));

fn question_words() -> Result<FxHashMap<&'static str, f32>, LexiconError> {
    const TEXT: &str = include_str!("../../data/question_words.txt");
    let file = Lexicon::parse("question_words.txt", TEXT)?;
    let mut words = FxHashMap::default();
    for (number, shape) in (1_u8..).zip(SHAPES) {
        words.extend(
            file.words(shape)?
                .iter()
                .map(|word| (*word, f32::from(number))),
        );
    }
    Ok(words)
}

/// The features of a question, from which a strategy is chosen.
///
/// Stored with the trace of a search ([`anamne_types::SearchTrace::features`]) by [`Situation::features`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Situation {
    /// What its first word asks for: 0 for none, else the number of a section of the data file.
    pub shape: f32,
    /// Number of words.
    pub words: f32,
    /// Number of sentences.
    pub sentences: f32,
    /// Number of names, numbers and identifiers.
    pub names: f32,
    /// Number of function words.
    pub function_words: f32,
    /// Whether the first search was made: 0 or 1; the rest is 0 before.
    pub searched: f32,
    /// The probability that the space has an answer at all, 0 to 1.
    pub answered: f32,
    /// The confidence of the best result, 0 to 1.
    pub confidence: f32,
    /// Confidence of the best less that of the fifth result.
    pub spread: f32,
    /// Share of the first five results that both searches found, 0 to 1.
    pub agreement: f32,
    /// Number of threads of the first five results, 0 to 5.
    pub threads: f32,
    /// Share of the first five results that programs wrote, 0 to 1.
    pub by_programs: f32,
    /// Mean number of words of the first five results.
    pub result_words: f32,
    /// Whether a time expression was understood: 0 or 1.
    pub times: f32,
}

impl Situation {
    /// The names of [`Situation::features`], in order.
    pub const NAMES: [&str; 14] = [
        "shape",
        "words",
        "sentences",
        "names",
        "function_words",
        "searched",
        "answered",
        "confidence",
        "spread",
        "agreement",
        "threads",
        "by_programs",
        "result_words",
        "times",
    ];

    /// The situation before any search. Linear in the query, of which at most the first 8 KiB are read.
    pub fn of_query(recall: &Recall) -> Self {
        let query = question::examined(&recall.query);
        let mut situation = Self {
            shape: NO_SHAPE,
            sentences: anamne_text::sentences::sentences(query).len() as f32,
            ..Self::default()
        };
        for (word, begins_sentence) in question::words(query) {
            let lower = word.to_lowercase();
            if situation.words == 0.0 {
                situation.shape = QUESTION_WORDS
                    .get(lower.as_str())
                    .copied()
                    .unwrap_or(NO_SHAPE);
            }
            situation.words += 1.0;
            situation.names += f32::from(question::is_name(word, begins_sentence));
            let is_function_word = anamne_text::analyser::is_function_word(&lower);
            situation.function_words += f32::from(is_function_word);
        }
        situation
    }

    /// The same after the first search, from its first five results.
    #[must_use]
    pub fn after(self, answer: &Answer) -> Self {
        let first = &answer.results[..answer.results.len().min(DESCRIBED)];
        let confidence = |rank: usize| answer.results.get(rank).map_or(0.0, |hit| hit.confidence);
        let mean = |value: &dyn Fn(&Hit) -> f32| {
            first.iter().map(value).sum::<f32>() / first.len().max(1) as f32
        };
        let threads: FxHashSet<_> = first.iter().map(|hit| &hit.memory.thread).collect();
        Self {
            searched: 1.0,
            answered: answer.answered,
            confidence: confidence(0),
            spread: confidence(0) - confidence(DESCRIBED - 1),
            agreement: mean(&|hit| {
                let found_by = |stage: &str| hit.explanation.found_by.iter().any(|by| by == stage);
                f32::from(found_by("lexical") && found_by("vectors"))
            }),
            threads: threads.len() as f32,
            by_programs: mean(&|hit| f32::from(is_by_program(hit))),
            result_words: mean(&|hit| hit.memory.content.split_whitespace().count() as f32),
            times: f32::from(!answer.times.is_empty()),
            ..self
        }
    }

    /// The situation with these features; `None` unless they are as many finite numbers as there are names.
    pub fn from_features(features: &[f32]) -> Option<Self> {
        if features.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let all: [f32; Self::NAMES.len()] = features.try_into().ok()?;
        let [
            shape,
            words,
            sentences,
            names,
            function_words,
            searched,
            answered,
            confidence,
            spread,
            agreement,
            threads,
            by_programs,
            result_words,
            times,
        ] = all;
        Some(Self {
            shape,
            words,
            sentences,
            names,
            function_words,
            searched,
            answered,
            confidence,
            spread,
            agreement,
            threads,
            by_programs,
            result_words,
            times,
        })
    }

    /// All features, in the order of [`Situation::NAMES`].
    pub fn features(&self) -> Vec<f32> {
        self.all().to_vec()
    }

    fn all(&self) -> [f32; Self::NAMES.len()] {
        [
            self.shape,
            self.words,
            self.sentences,
            self.names,
            self.function_words,
            self.searched,
            self.answered,
            self.confidence,
            self.spread,
            self.agreement,
            self.threads,
            self.by_programs,
            self.result_words,
            self.times,
        ]
    }
}

/// Whether a program wrote it, by the feature of its score.
fn is_by_program(hit: &Hit) -> bool {
    let mut features = hit.explanation.features.iter();
    features.any(|(name, value, _)| name == "role" && *value < 0.0)
}
