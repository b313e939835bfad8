//! The words of a text: position, weight and sort.

use std::ops::Range;
use std::sync::LazyLock;

use anamne_embed::{Embedder, StaticModel, TokenTable};
use anamne_text::analyser::is_function_word;
use anamne_text::lexicon::{Lexicon, LexiconError};
use rustc_hash::FxHashMap;

/// A word or number in a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// Its byte range.
    pub(crate) span: Range<usize>,
    /// In lower case, with straight apostrophes.
    pub(crate) plain: String,
    /// Its weight: 0 for words of grammar and courtesy, about 1 for rare words.
    pub(crate) weight: f32,
    /// Its sort.
    pub(crate) sort: WordSort,
}

/// The sort of a word, for summaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordSort {
    /// Grammar: articles, pronouns, prepositions, auxiliaries.
    Grammar,
    /// Courtesy and excitement, without information.
    Courtesy,
    /// A date, a weekday, `yesterday`.
    Time,
    /// A number.
    Number,
    /// A name: written with a capital inside a sentence.
    Name,
    /// A decision or a change.
    Change,
    /// Anything else.
    Plain,
}

/// Maximum weight of a word, so that one rare word is not taken for a statement.
const HEAVIEST: f32 = 1.3;

/// Weight of a word that the model does not know.
const UNKNOWN: f32 = 0.8;

/// Weighs words by the norm of their vectors: the model gives words that are common in English short vectors.
pub(crate) struct Weights<'model> {
    table: &'model dyn TokenTable,
    dimensions: usize,
    known: FxHashMap<String, f32>,
    tokens: Vec<u16>,
    row: Vec<f32>,
}

impl Weights<'static> {
    /// Weights from the built-in model.
    pub(crate) fn builtin() -> Self {
        let dimensions = StaticModel::builtin().dimensions();
        Self::new(StaticModel::builtin_tokens(), dimensions)
    }
}

impl<'model> Weights<'model> {
    /// Weights from a model's rows, of `dimensions` numbers each.
    pub(crate) fn new(table: &'model dyn TokenTable, dimensions: usize) -> Self {
        Self {
            table,
            dimensions,
            known: FxHashMap::default(),
            tokens: Vec::new(),
            row: Vec::new(),
        }
    }

    /// The words of a text, in order. O(bytes).
    pub(crate) fn words(&mut self, text: &str) -> Vec<Word> {
        let spans = spans(text);
        let mut words = Vec::with_capacity(spans.len());
        let mut begins = true;
        let mut end_before = 0;
        for span in spans {
            begins |= text[end_before..span.start].contains(['.', '!', '?', '\n', ':', '"', '“']);
            let written = &text[span.clone()];
            let plain = written.to_lowercase().replace('’', "'");
            let sort = sort_of(written, &plain, begins);
            let weight = match sort {
                WordSort::Grammar | WordSort::Courtesy => 0.0,
                _ => self.weight(&plain),
            };
            begins = false;
            end_before = span.end;
            words.push(Word {
                span,
                plain,
                weight,
                sort,
            });
        }
        words
    }

    fn weight(&mut self, plain: &str) -> f32 {
        if let Some(weight) = self.known.get(plain) {
            return *weight;
        }
        self.tokens.clear();
        self.table.tokens(plain, &mut self.tokens);
        let mut heaviest = 0.0f32;
        for &token in &self.tokens {
            self.row.clear();
            self.row.resize(self.dimensions, 0.0);
            self.table.add_row(token, 1.0, &mut self.row);
            let norm = self.row.iter().map(|part| part * part).sum::<f32>().sqrt();
            heaviest = heaviest.max(norm);
        }
        let weight = if heaviest == 0.0 {
            UNKNOWN
        } else {
            heaviest.min(HEAVIEST)
        };
        self.known.insert(plain.to_owned(), weight);
        weight
    }
}

/// Runs of letters and digits, including apostrophes, dots and commas inside them (`don't`, `3.5`).
fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    let mut characters = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, character)) = characters.next() {
        let after = characters.peek().map_or(' ', |next| next.1);
        let inside = character.is_alphanumeric() || joins(before, character, after);
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                spans.push(from..at);
                start = None;
            }
            _ => {}
        }
        before = character;
    }
    if let Some(from) = start {
        spans.push(from..text.len());
    }
    spans
}

fn joins(before: char, character: char, after: char) -> bool {
    match character {
        '\'' | '’' | '_' => before.is_alphanumeric() && after.is_alphanumeric(),
        '.' | ',' | ':' => before.is_ascii_digit() && after.is_ascii_digit(),
        '-' => before.is_alphabetic() && after.is_alphabetic(),
        _ => false,
    }
}

fn sort_of(written: &str, plain: &str, begins: bool) -> WordSort {
    if plain.contains(|character: char| character.is_numeric()) {
        return WordSort::Number;
    }
    let stem = plain.strip_suffix("'s").unwrap_or(plain);
    let known = LISTED.sorts.get(stem).copied();
    match known {
        Some(WordSort::Courtesy | WordSort::Time | WordSort::Grammar) => {
            return known.unwrap_or(WordSort::Plain);
        }
        _ if is_grammar(plain) => return WordSort::Grammar,
        _ => {}
    }
    if !begins && written.starts_with(char::is_uppercase) {
        return WordSort::Name;
    }
    known.unwrap_or(WordSort::Plain)
}

/// Whether a word is only grammar. A few words of time are grammar for a search, but information for a reader.
fn is_grammar(plain: &str) -> bool {
    if plain.contains('\'') {
        let joined = plain.replace('\'', "");
        return is_function_word(&joined)
            || LISTED.sorts.get(joined.as_str()) == Some(&WordSort::Grammar);
    }
    is_function_word(plain)
}

/// The lists of `data/summary_words.txt`.
struct SummaryWords {
    /// Words by their sort; if a word is in two lists, the first counts.
    sorts: FxHashMap<&'static str, WordSort>,
    /// Phrases of courtesy, as words.
    phrases: Vec<Vec<&'static str>>,
}

static LISTED: LazyLock<SummaryWords> =
    LazyLock::new(|| SummaryWords::load().expect("a test loads the data file"));

impl SummaryWords {
    fn load() -> Result<Self, LexiconError> {
        const TEXT: &str = include_str!("../../data/summary_words.txt");
        let file = Lexicon::parse("summary_words.txt", TEXT)?;
        let mut sorts = FxHashMap::default();
        for (section, sort) in [
            ("courtesy", WordSort::Courtesy),
            ("times", WordSort::Time),
            ("light", WordSort::Grammar),
            ("changes", WordSort::Change),
        ] {
            for word in file.words(section)? {
                sorts.entry(word).or_insert(sort);
            }
        }
        let phrases = file.names("courtesy_phrases")?;
        let words = |phrase: &'static str| phrase.split(' ').collect();
        Ok(Self {
            sorts,
            phrases: phrases.into_iter().map(words).collect(),
        })
    }
}

/// Whether the words contain a phrase of greeting, farewell or courtesy.
pub(super) fn contains_courtesy_phrase(words: &[Word]) -> bool {
    LISTED.phrases.iter().any(|phrase| {
        let mut windows = words.windows(phrase.len());
        windows.any(|window| {
            window
                .iter()
                .zip(phrase)
                .all(|(word, part)| word.plain == *part)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_loads() {
        SummaryWords::load().unwrap();
    }

    fn sorts(text: &str) -> Vec<(String, WordSort)> {
        Weights::builtin()
            .words(text)
            .into_iter()
            .map(|word| (word.plain, word.sort))
            .collect()
    }

    #[test]
    fn words_are_told_apart_by_what_a_reader_keeps() {
        let found = sorts("Wow, we moved the 3.5 kg anvil to Lisbon yesterday!");
        let expected = [
            ("wow", WordSort::Courtesy),
            ("we", WordSort::Grammar),
            ("moved", WordSort::Change),
            ("the", WordSort::Grammar),
            ("3.5", WordSort::Number),
            ("kg", WordSort::Plain),
            ("anvil", WordSort::Plain),
            ("to", WordSort::Grammar),
            ("lisbon", WordSort::Name),
            ("yesterday", WordSort::Time),
        ];
        let expected = expected.map(|(word, sort)| (word.to_owned(), sort));
        assert_eq!(found, expected);
    }

    #[test]
    fn spans_are_borders_of_characters_in_any_script() {
        for text in [
            "",
            "'",
            "a'b",
            "don’t",
            "日本語、テスト",
            "é-è 1.2.3",
            "🦀x🦀",
            "-_-",
        ] {
            for span in spans(text) {
                assert!(!text[span].is_empty());
            }
        }
    }

    #[test]
    fn rare_words_weigh_more_than_common_ones() {
        let words = Weights::builtin().words("people anvil");
        assert!(words[1].weight > words[0].weight);
    }
}
