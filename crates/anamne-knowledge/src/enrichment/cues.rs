//! The cues of `data/enrichment.txt`: patterns of words and shapes.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError, Row};
use anamne_types::{Category, LinkType};
use rustc_hash::{FxHashMap, FxHashSet};

use super::tokens::{Shape, Token};

/// One place of a pattern.
#[derive(Clone, Debug)]
enum Part {
    Any,
    Word(Vec<&'static str>),
    Shape(Shape),
}

/// A pattern with the value that it gives.
#[derive(Clone, Debug)]
struct Pattern<V> {
    at_beginning: bool,
    parts: Vec<Part>,
    value: V,
}

/// Patterns, found by their first word or shape.
#[derive(Debug)]
pub(super) struct Patterns<V> {
    all: Vec<Pattern<V>>,
    by_word: FxHashMap<&'static str, Vec<usize>>,
    by_shape: FxHashMap<Shape, Vec<usize>>,
}

impl<V: Copy> Patterns<V> {
    fn new(rows: Vec<(Row, V, &'static str)>) -> Result<Self, LexiconError> {
        let mut all = Self {
            all: Vec::new(),
            by_word: FxHashMap::default(),
            by_shape: FxHashMap::default(),
        };
        for (row, value, written) in rows {
            let number = all.all.len();
            let pattern = parsed(&row, value, written)?;
            match pattern.parts.first() {
                Some(Part::Word(words)) => {
                    for word in words {
                        all.by_word.entry(word).or_default().push(number);
                    }
                }
                Some(Part::Shape(shape)) => all.by_shape.entry(*shape).or_default().push(number),
                _ => return Err(row.fault("a pattern must begin with a word or a shape")),
            }
            all.all.push(pattern);
        }
        Ok(all)
    }

    /// The values of the patterns that occur, each once. O(tokens) for patterns of bounded length.
    pub(super) fn found(&self, tokens: &[Token]) -> Vec<V> {
        let mut seen = FxHashSet::default();
        let mut values = Vec::new();
        for at in 0..tokens.len() {
            let by_word = self.by_word.get(tokens[at].lower.as_str());
            let by_shape = self.by_shape.get(&tokens[at].shape);
            for &number in by_word.into_iter().chain(by_shape).flatten() {
                if !seen.contains(&number) && self.all[number].matches(&tokens[at..]) {
                    seen.insert(number);
                    values.push(self.all[number].value);
                }
            }
        }
        values
    }
}

impl<V> Pattern<V> {
    fn matches(&self, tokens: &[Token]) -> bool {
        tokens.len() >= self.parts.len()
            && (tokens[0].begins || !self.at_beginning)
            && self
                .parts
                .iter()
                .zip(tokens)
                .all(|(part, token)| match part {
                    Part::Any => token.shape != Shape::Mark,
                    Part::Word(words) => words.contains(&token.lower.as_str()),
                    Part::Shape(shape) => token.shape == *shape,
                })
    }
}

fn parsed<V>(row: &Row, value: V, written: &'static str) -> Result<Pattern<V>, LexiconError> {
    let mut parts = Vec::new();
    let mut at_beginning = false;
    for part in written.split_whitespace() {
        parts.push(match part {
            "^" => {
                at_beginning = true;
                continue;
            }
            "*" => Part::Any,
            part => match part
                .strip_prefix('<')
                .and_then(|part| part.strip_suffix('>'))
            {
                Some(name) => Part::Shape(
                    Shape::named(name)
                        .ok_or_else(|| row.fault(format!("unknown shape {name:?}")))?,
                ),
                None => Part::Word(part.split('/').collect()),
            },
        });
    }
    Ok(Pattern {
        at_beginning,
        parts,
        value,
    })
}

/// A category, or `None` for what is none of the nine.
pub(super) type Class = Option<Category>;

/// What a cue says about the relation to an earlier memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkCue {
    /// The type of a link.
    Link(LinkType),
    /// A correction.
    Correction,
    /// A negation.
    Negation,
    /// Something to be done, that a later memory may report as done.
    Goal,
}

impl LinkCue {
    fn named(name: &str) -> Option<Self> {
        match name {
            "correction" => Some(Self::Correction),
            "negation" => Some(Self::Negation),
            "goal" => Some(Self::Goal),
            name => name.parse().ok().map(Self::Link),
        }
    }
}

/// The lists of `data/enrichment.txt`.
pub(super) struct EnrichmentWords {
    /// Cues of classes, with their weights.
    pub(super) classes: Patterns<(Class, i32)>,
    /// Points of importance.
    pub(super) importance: Patterns<i32>,
    /// Cues of links.
    pub(super) links: Patterns<LinkCue>,
    /// Tags by word.
    pub(super) tags: FxHashMap<&'static str, &'static str>,
    /// Words that are no keywords.
    pub(super) no_keywords: FxHashSet<&'static str>,
}

pub(super) static WORDS: LazyLock<EnrichmentWords> =
    LazyLock::new(|| EnrichmentWords::load().expect("a test loads the data file"));

impl EnrichmentWords {
    fn load() -> Result<Self, LexiconError> {
        const TEXT: &str = include_str!("../../data/enrichment.txt");
        let file = Lexicon::parse("enrichment.txt", TEXT)?;
        let mut classes = Vec::new();
        for row in file.rows("cues", 3)? {
            let class = match row.cells[0] {
                "none" => None,
                name => Some(name.parse().map_err(|_| row.fault("unknown category"))?),
            };
            let weight = number(&row, row.cells[1])?;
            let pattern = row.cells[2];
            classes.push((row, (class, weight), pattern));
        }
        let mut importance = Vec::new();
        for row in file.rows("importance", 2)? {
            let points = number(&row, row.cells[0])?;
            let pattern = row.cells[1];
            importance.push((row, points, pattern));
        }
        let mut links = Vec::new();
        for row in file.rows("links", 2)? {
            let cue = LinkCue::named(row.cells[0]).ok_or_else(|| row.fault("unknown relation"))?;
            let pattern = row.cells[1];
            links.push((row, cue, pattern));
        }
        let mut tags = FxHashMap::default();
        for row in file.rows("tags", 2)? {
            for word in row.cells[1].split_whitespace() {
                tags.entry(word).or_insert(row.cells[0]);
            }
        }
        Ok(Self {
            classes: Patterns::new(classes)?,
            importance: Patterns::new(importance)?,
            links: Patterns::new(links)?,
            tags,
            no_keywords: file.words("no_keywords")?.into_iter().collect(),
        })
    }
}

fn number(row: &Row, cell: &str) -> Result<i32, LexiconError> {
    let parsed = cell.parse();
    parsed.map_err(|_| row.fault(format!("{cell:?} is not a number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_loads() {
        EnrichmentWords::load().unwrap();
    }
}
