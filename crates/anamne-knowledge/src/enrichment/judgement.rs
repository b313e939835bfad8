//! The category of a text: a linear classifier over its words, its vector and its cues.
//!
//! Cues know what was listed; words and vectors carry over to other fields. `anamne-eval/fitting/categories.py` fits the weights of
//! `data/categories.txt` on the development files of `annotations/enrichment`.

use std::sync::LazyLock;

use anamne_embed::{Embedder, StaticModel};
use anamne_text::lexicon::{Lexicon, LexiconError, Row};
use anamne_types::Category;
use rustc_hash::{FxHashMap, FxHashSet};

use super::category::scores;
use super::cues::Class;
use super::tokens::{Shape, Token};

/// Number of classes: the nine categories, and none of them.
const CLASSES: usize = Category::ALL.len() + 1;

/// Number of tokens whose words and vectors count. What a text is, it says at its beginning; more words would outweigh the cues.
const OPENING: usize = 50;

/// Number of wordpieces of the second vector.
const FIRST: usize = 3;

/// Lengths of the two vectors, beside 1 for a cue and [`PRESENT`] for a word.
const LENGTHS: [f32; 2] = [4.0, 2.0];

/// The value of a word that occurs.
const PRESENT: f32 = 0.65;

/// What the classifier judges a text by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CategoryInputs {
    /// Words, shapes, marks and cues by name.
    pub named: Vec<(String, f32)>,
    /// The vector of the opening, then that of its first wordpieces.
    pub vectors: Vec<f32>,
}

impl CategoryInputs {
    /// The inputs of a text with these tokens. O(the opening × dimensions).
    pub(super) fn new(text: &str, tokens: &[Token]) -> Self {
        let opening = &tokens[..tokens.len().min(OPENING)];
        let end = opening.last().map_or(0, |token| token.span.end);
        let mut named = words(opening);
        named.extend(cues(tokens));
        Self {
            named,
            vectors: vectors(&text[..end]),
        }
    }
}

fn words(opening: &[Token]) -> Vec<(String, f32)> {
    let mut seen = FxHashSet::default();
    let mut count = 0;
    for token in opening {
        if matches!(token.shape, Shape::Mark | Shape::Question) {
            seen.insert(token.lower.clone());
            continue;
        }
        let word = match token.shape {
            Shape::Word => token.lower.clone(),
            Shape::Name => {
                seen.insert("<name>".to_owned());
                token.lower.clone()
            }
            shape => format!("<{shape:?}>").to_lowercase(),
        };
        if count == 0 {
            seen.insert(format!("^{word}"));
        }
        seen.insert(word);
        count += 1;
    }
    seen.insert(format!("length {}", (count / 4).min(6)));
    let mut named: Vec<_> = seen.into_iter().map(|word| (word, PRESENT)).collect();
    // Sums of floats depend on their order.
    named.sort_by(|a, b| a.0.cmp(&b.0));
    named
}

fn cues(tokens: &[Token]) -> impl Iterator<Item = (String, f32)> {
    let scores = scores(tokens).into_iter();
    scores.map(|(class, score)| (format!("cue {}", name(class)), score.min(8) as f32 / 4.0))
}

fn name(class: Class) -> &'static str {
    class.map_or("none", Category::as_str)
}

fn vectors(opening: &str) -> Vec<f32> {
    let dimensions = StaticModel::builtin().dimensions();
    let table = StaticModel::builtin_tokens();
    let mut pieces = Vec::new();
    table.tokens(opening, &mut pieces);
    let mut vectors = vec![0.0; 2 * dimensions];
    let (whole, first) = vectors.split_at_mut(dimensions);
    for (place, piece) in pieces.iter().enumerate() {
        // Rows at unit length: a function word, with its short row, says as much about the category as a rare one.
        let (row, inverse) = table.unit_row(*piece);
        add(row, inverse, whole);
        if place < FIRST {
            add(row, inverse, first);
        }
    }
    scale(whole, LENGTHS[0]);
    scale(first, LENGTHS[1]);
    vectors
}

fn add(row: &[i8], inverse: f32, sum: &mut [f32]) {
    for (sum, code) in sum.iter_mut().zip(row) {
        *sum += f32::from(*code) * inverse;
    }
}

fn scale(vector: &mut [f32], length: f32) {
    let norm = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    if norm > 0.0 {
        for part in vector {
            *part *= length / norm;
        }
    }
}

/// Weights by class: none, then the categories by number.
type Weights = [f32; CLASSES];

/// The classifier of `data/categories.txt`.
struct Classifier {
    classes: [Class; CLASSES],
    base: Weights,
    named: FxHashMap<&'static str, Weights>,
    vectors: Vec<Weights>,
}

static CLASSIFIER: LazyLock<Classifier> =
    LazyLock::new(|| Classifier::load().expect("a test loads the data file"));

/// The most likely category; `None` where that is none of the nine.
pub(super) fn category(inputs: &CategoryInputs) -> Option<Category> {
    let scores = CLASSIFIER.scores(inputs);
    let likelier = |best: usize, place: usize| {
        if scores[place] > scores[best] {
            place
        } else {
            best
        }
    };
    CLASSIFIER.classes[(0..CLASSES).fold(0, likelier)]
}

impl Classifier {
    fn load() -> Result<Self, LexiconError> {
        const TEXT: &str = include_str!("../../data/categories.txt");
        let file = Lexicon::parse("categories.txt", TEXT)?;
        let mut classes = [None; CLASSES];
        let names = file.words("classes")?;
        for (class, name) in classes.iter_mut().zip(&names) {
            *class = name.parse().ok();
        }
        let base = file.rows("base", 1)?;
        let mut named = FxHashMap::default();
        for row in file.rows("named", 2)? {
            if named
                .insert(row.cells[0], weights(&row, row.cells[1])?)
                .is_some()
            {
                return Err(row.fault("an input appears twice"));
            }
        }
        let vectors = file.rows("vectors", 1)?;
        Ok(Self {
            classes,
            base: weights(&base[0], base[0].cells[0])?,
            named,
            vectors: vectors
                .iter()
                .map(|row| weights(row, row.cells[0]))
                .collect::<Result<_, _>>()?,
        })
    }

    fn scores(&self, inputs: &CategoryInputs) -> Weights {
        let mut scores = self.base;
        let mut add = |value: f32, weights: &Weights| {
            for (score, weight) in scores.iter_mut().zip(weights) {
                *score += value * weight;
            }
        };
        for (name, value) in &inputs.named {
            if let Some(weights) = self.named.get(name.as_str()) {
                add(*value, weights);
            }
        }
        for (value, weights) in inputs.vectors.iter().zip(&self.vectors) {
            add(*value, weights);
        }
        scores
    }
}

fn weights(row: &Row, cell: &str) -> Result<Weights, LexiconError> {
    let parsed: Result<Vec<f32>, _> = cell.split_whitespace().map(str::parse).collect();
    let parsed = parsed.map_err(|_| row.fault(format!("{cell:?} are not numbers")))?;
    let found = parsed.len();
    parsed
        .try_into()
        .map_err(|_| row.fault(format!("{found} weights, expected {CLASSES}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_fits_the_categories_and_the_model() {
        let classifier = Classifier::load().unwrap();
        let mut known: Vec<_> = classifier.classes.iter().flatten().copied().collect();
        known.sort_by_key(|category| category.number());
        known.dedup();
        assert_eq!(known.len(), Category::ALL.len());
        assert_eq!(classifier.classes[0], None);
        let dimensions = StaticModel::builtin().dimensions();
        assert_eq!(classifier.vectors.len(), 2 * dimensions);
    }

    #[test]
    fn a_text_without_words_has_no_category() {
        for text in ["", " \n", "...", "🎉🎉"] {
            let tokens = crate::enrichment::tokens::tokens(text, 400);
            let inputs = CategoryInputs::new(text, &tokens);
            assert_eq!(category(&inputs), None, "{text:?}");
        }
    }
}
