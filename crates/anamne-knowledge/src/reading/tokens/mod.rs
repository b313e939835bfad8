//! A text as words, marks and pieces of code, with the sentences that they make.

mod forms;
mod lines;
mod sentences;

use std::borrow::Cow;
use std::ops::Range;

use super::gazetteer::Class;

/// How a token is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `word`, or of a script without capitals.
    Lower,
    /// `Word`.
    Capital,
    /// `WORD`, of two letters or more.
    Upper,
    /// `camelCase`, `GitHub`.
    Mixed,
    /// Begins with a digit.
    Digit,
    /// A mark of punctuation or another sign.
    Mark,
    /// Between backticks; the span is what stands between them.
    Code,
    /// An address, a path or an identifier, known by its form.
    Special,
}

/// A word, mark or piece of code.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each tells of another surrounding, in any combination.
pub(super) struct Token<'text> {
    /// Where it stands, in bytes.
    pub(super) span: Range<usize>,
    /// As it is written.
    pub(super) text: &'text str,
    /// In lower case.
    pub(super) lower: Cow<'text, str>,
    pub(super) shape: Shape,
    /// What is known of it.
    pub(super) class: Class,
    /// Whether white space stands before it.
    pub(super) spaced: bool,
    /// Whether a sentence, list item, label, quotation or cell begins with it, so that a capital says nothing.
    pub(super) begins: bool,
    /// Whether it stands in a heading, where capitals say nothing.
    pub(super) titled: bool,
    /// Whether it stands in quotation marks.
    pub(super) quoted: bool,
}

impl Token<'_> {
    /// Whether it is the mark.
    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.shape == Shape::Mark && self.text == mark
    }

    /// Whether it is a word with a capital first letter.
    pub(super) fn is_capital(&self) -> bool {
        match self.shape {
            Shape::Capital | Shape::Upper => true,
            Shape::Mixed => self.text.starts_with(char::is_uppercase) || self.text.len() > 2,
            _ => false,
        }
    }

    /// Whether it is a word of letters.
    pub(super) fn is_word(&self) -> bool {
        matches!(
            self.shape,
            Shape::Lower | Shape::Capital | Shape::Upper | Shape::Mixed
        )
    }
}

/// A text, taken apart.
pub(super) struct Tokens<'text> {
    pub(super) text: &'text str,
    pub(super) all: Vec<Token<'text>>,
    /// The sentences, as ranges of tokens.
    pub(super) sentences: Vec<Range<usize>>,
    /// The code between fences, in bytes.
    pub(super) fenced: Vec<Range<usize>>,
}

impl<'text> Tokens<'text> {
    /// Takes a text apart. Linear.
    pub(super) fn of(text: &'text str) -> Self {
        let mut tokens = Self {
            text,
            all: Vec::with_capacity(text.len().min(1 << 20) / 5 + 4),
            sentences: Vec::new(),
            fenced: Vec::new(),
        };
        let (mut offset, mut fence) = (0, None);
        for line in text.split_inclusive('\n') {
            let begins_fence =
                line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
            match (begins_fence, fence) {
                (true, None) => fence = Some(offset),
                (true, Some(start)) => {
                    tokens.fenced.push(start..offset + line.len());
                    fence = None;
                }
                (false, None) => tokens.line(offset..offset + line.len()),
                (false, Some(_)) => {}
            }
            offset += line.len();
        }
        if let Some(start) = fence {
            tokens.fenced.push(start..text.len());
        }
        tokens.mark_sentences();
        tokens
    }

    /// The token, where there is one.
    pub(super) fn get(&self, at: usize) -> Option<&Token<'text>> {
        self.all.get(at)
    }

    /// The token in lower case, or nothing where there is none.
    pub(super) fn lower(&self, at: usize) -> &str {
        self.get(at).map_or("", |token| &*token.lower)
    }

    /// What is known of the token.
    pub(super) fn class(&self, at: usize) -> Class {
        self.get(at).map_or(Class::NONE, |token| token.class)
    }

    /// The bytes that a range of tokens spans.
    pub(super) fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        self.all[range.start].span.start..self.all[range.end - 1].span.end
    }

    /// The sentence that holds a token, as a range of tokens.
    pub(super) fn sentence_of(&self, token: usize) -> Range<usize> {
        let at = self
            .sentences
            .partition_point(|sentence| sentence.end <= token);
        self.sentences.get(at).cloned().unwrap_or(0..self.all.len())
    }
}

/// Whether a mark ends sentences.
fn is_stop(text: &str) -> bool {
    matches!(text, "." | "!" | "?" | "…")
}
