//! Tokenises a line into words, marks and inline code.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::forms::{clitic_length, closing_single, is_word_start, shape_of, word_length};
use super::{Shape, Token, Tokens, is_stop};
use crate::reading::code;
use crate::reading::gazetteer::{self, Class};

/// Maximum length of inline code, in bytes.
const MAX_CODE_BYTES: usize = 200;

impl Tokens<'_> {
    /// Appends the tokens of a line.
    pub(super) fn line(&mut self, range: Range<usize>) {
        let line = &self.text[range.clone()];
        let first = self.all.len();
        let starts_paragraph = self.starts_paragraph(line);
        let body = without_bullet(line);
        let mut at = range.start + (line.len() - body.len());
        let heading = line.trim_start().starts_with('#');
        self.words(&mut at, range.end);
        if first == self.all.len() {
            return;
        }
        let wraps = !starts_paragraph && body.len() == line.trim_start().len();
        self.all[first].begins |= !wraps || first == 0;
        self.all[first].spaced = true;
        let titled = heading || is_title_case(&self.all[first..]);
        for token in &mut self.all[first..] {
            token.titled |= titled;
        }
        self.mark_bold(first);
        if self.all[first].begins {
            self.sentences.push(first..first);
        }
    }

    /// Whether the line doesn't continue a sentence of the previous line.
    fn starts_paragraph(&self, line: &str) -> bool {
        let wrapped = self
            .all
            .last()
            .is_some_and(|last| !matches!(last.text, "." | "!" | "?" | ":" | ";" | "|"))
            && line.trim_start().starts_with(char::is_lowercase);
        !wrapped
    }

    /// Marks bold text of several words as titled if it is long or in title case, like a label.
    fn mark_bold(&mut self, first: usize) {
        let mut open: Option<usize> = None;
        for at in first..self.all.len() {
            if !(self.all[at].is_mark("**") || self.all[at].is_mark("__")) {
                continue;
            }
            if let Some(start) = open.take() {
                let bold = &mut self.all[start..at];
                let words = bold.iter().filter(|token| token.is_word()).count();
                if words > 3 || is_title_case(bold) {
                    for token in bold {
                        token.titled = true;
                    }
                }
            } else {
                open = Some(at + 1);
                if let Some(next) = self.all.get_mut(at + 1) {
                    next.begins |= at == first;
                }
            }
        }
    }

    fn words(&mut self, at: &mut usize, end: usize) {
        let mut spaced = true;
        let mut quote: Option<char> = None;
        while *at < end {
            let rest = &self.text[*at..end];
            let Some(character) = rest.chars().next() else {
                break;
            };
            if character.is_whitespace() {
                spaced = true;
                *at += character.len_utf8();
                continue;
            }
            let before = self.all.len();
            if character == '`' {
                self.code(at, end);
            } else if may_open_special(character)
                && (spaced || self.opens_here())
                && let Some(length) = code::special_length(rest)
            {
                self.push(*at, length, Shape::Special);
                *at += length;
            } else if is_word_start(character) {
                self.word(at, end);
            } else {
                self.mark(at, character, &mut quote, spaced);
            }
            for (nth, token) in self.all[before..].iter_mut().enumerate() {
                token.spaced = spaced && nth == 0;
                token.quoted = quote.is_some();
            }
            spaced = false;
        }
    }

    /// Whether an address, path or identifier may directly follow the previous token.
    fn opens_here(&self) -> bool {
        self.all.last().is_some_and(|last| {
            matches!(
                last.text,
                "(" | "[" | "\"" | "'" | "<" | "“" | "„" | "«" | "," | "=" | ":" | "**" | "*" | "|"
            )
        })
    }

    fn push(&mut self, start: usize, length: usize, shape: Shape) {
        let text = &self.text[start..start + length];
        let lower = if text
            .bytes()
            .all(|byte| !byte.is_ascii_uppercase() && byte.is_ascii())
        {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(text.to_lowercase().replace('’', "'"))
        };
        let mut class = gazetteer::class_of(&lower);
        if class == Class::NONE && !lower.is_ascii() && shape != Shape::Mark {
            let plain: String = lower.nfd().filter(char::is_ascii).collect();
            if gazetteer::class_of(&plain).is(Class::FIRST_NAME) {
                class = Class::FIRST_NAME;
            }
        }
        self.all.push(Token {
            span: start..start + length,
            text,
            lower,
            shape,
            class,
            spaced: false,
            begins: false,
            titled: false,
            quoted: false,
        });
    }

    fn code(&mut self, at: &mut usize, end: usize) {
        let rest = &self.text[*at..end];
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let fence = &rest[..ticks];
        let reach = rest.floor_char_boundary(ticks + MAX_CODE_BYTES);
        let inner = rest
            .get(ticks..reach)
            .and_then(|near| near.find(fence))
            .filter(|length| *length > 0);
        match inner {
            Some(length) => {
                self.push(*at + ticks, length, Shape::Code);
                *at += ticks + length + ticks;
            }
            None => *at += ticks,
        }
    }

    fn word(&mut self, at: &mut usize, end: usize) {
        let length = word_length(&self.text[*at..end]);
        let word = &self.text[*at..*at + length];
        let clitic = clitic_length(word);
        let stem = length - clitic;
        let shape = shape_of(&word[..stem]);
        self.push(*at, stem, shape);
        if clitic > 0 {
            self.push(*at + stem, clitic, Shape::Lower);
        }
        *at += length;
    }

    fn mark(&mut self, at: &mut usize, character: char, quote: &mut Option<char>, spaced: bool) {
        let rest = &self.text[*at..];
        let length = if rest.starts_with("**") || rest.starts_with("__") {
            2
        } else {
            character.len_utf8()
        };
        match (*quote, character) {
            (Some(close), found) if found == close => *quote = None,
            (None, '"') => *quote = rest[1..].contains('"').then_some('"'),
            (None, '“' | '„') => *quote = Some(if character == '“' { '”' } else { '“' }),
            (None, '«') => *quote = Some('»'),
            (None, '\'' | '‘') if spaced => *quote = closing_single(rest, character),
            _ => {}
        }
        self.push(*at, length, Shape::Mark);
        *at += length;
    }
}

/// Strips a list bullet or number, heading marks and block quote marks.
fn without_bullet(line: &str) -> &str {
    let trimmed = line.trim_start();
    let bare = trimmed.trim_start_matches(['#', '>', '-', '*', '+', '•', '|']);
    if bare.len() < trimmed.len() && bare.starts_with(char::is_whitespace) {
        return without_number(bare.trim_start());
    }
    without_number(trimmed)
}

fn without_number(line: &str) -> &str {
    let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = line.len() - rest.len();
    let is_number = (1..=3).contains(&digits)
        && rest.starts_with(['.', ')'])
        && rest[1..].starts_with(char::is_whitespace);
    let letter = line.get(..2).is_some_and(|start| {
        start.ends_with(')') && start.starts_with(|first: char| first.is_ascii_lowercase())
    });
    if is_number {
        rest[1..].trim_start()
    } else if letter {
        line[2..].trim_start()
    } else {
        line
    }
}

/// Whether a run is in title case: mostly capitalised, although many words are ordinary ones.
fn is_title_case(tokens: &[Token<'_>]) -> bool {
    if tokens.last().is_some_and(|last| is_stop(last.text)) {
        return false;
    }
    let (mut capital, mut ordinary_capital, mut lower) = (0, 0, 0);
    for token in tokens.iter().filter(|token| token.is_word()) {
        if token.is_capital() {
            capital += 1;
            ordinary_capital += usize::from(gazetteer::is_ordinary(&token.lower));
        } else if token.lower.len() > 3
            || matches!(
                &*token.lower,
                "is" | "was" | "are" | "has" | "i" | "my" | "we"
            )
        {
            lower += 1;
        }
    }
    capital >= 3 && lower * 5 <= capital && ordinary_capital * 2 >= capital && ordinary_capital >= 2
}

/// Whether an address, path or identifier may start with this character.
fn may_open_special(character: char) -> bool {
    is_word_start(character) || matches!(character, '/' | '.' | '~' | '@' | '-' | '\\' | '*')
}
