//! Tokenisation: words, punctuation marks and code, grouped into sentences.

mod forms;
mod lines;
mod sentences;

use std::borrow::Cow;
use std::ops::Range;

use super::gazetteer::Class;

/// The written form of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `word`, or a word of a script without capitals.
    Lower,
    /// `Word`.
    Capital,
    /// `WORD`, of two letters or more.
    Upper,
    /// `camelCase`, `GitHub`.
    Mixed,
    /// Starts with a digit.
    Digit,
    /// Punctuation or another symbol.
    Mark,
    /// Inline code; the span excludes the backticks.
    Code,
    /// An address, path or identifier, recognised by its form.
    Special,
}

/// A word, mark or inline code.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // Independent flags; any combination is possible.
pub(super) struct Token<'text> {
    /// Byte range in the text.
    pub(super) span: Range<usize>,
    /// The original text.
    pub(super) text: &'text str,
    /// The text in lower case.
    pub(super) lower: Cow<'text, str>,
    pub(super) shape: Shape,
    /// Its classes in the word lists.
    pub(super) class: Class,
    /// Whether white space precedes it.
    pub(super) spaced: bool,
    /// Whether it starts a sentence, list item, label, quotation or cell, so that a capital is no evidence of a name.
    pub(super) begins: bool,
    /// Whether it is part of a heading, where capitals are no evidence of names.
    pub(super) titled: bool,
    /// Whether it is inside quotation marks.
    pub(super) quoted: bool,
}

impl Token<'_> {
    /// Whether it is this mark.
    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.shape == Shape::Mark && self.text == mark
    }

    /// Whether it is a capitalised word.
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

/// A tokenised text.
pub(super) struct Tokens<'text> {
    pub(super) text: &'text str,
    pub(super) all: Vec<Token<'text>>,
    /// The sentences, as token ranges.
    pub(super) sentences: Vec<Range<usize>>,
    /// Byte ranges of fenced code.
    pub(super) fenced: Vec<Range<usize>>,
}

impl<'text> Tokens<'text> {
    /// Tokenises a text. Linear.
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

    /// The token at an index, if any.
    pub(super) fn get(&self, at: usize) -> Option<&Token<'text>> {
        self.all.get(at)
    }

    /// The token in lower case; empty if there is none.
    pub(super) fn lower(&self, at: usize) -> &str {
        self.get(at).map_or("", |token| &*token.lower)
    }

    /// The classes of the token.
    pub(super) fn class(&self, at: usize) -> Class {
        self.get(at).map_or(Class::NONE, |token| token.class)
    }

    /// The byte range of a token range.
    pub(super) fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        self.all[range.start].span.start..self.all[range.end - 1].span.end
    }

    /// The token range of the sentence that contains a token.
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
