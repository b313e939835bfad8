//! A text as words, marks and pieces of code, with the sentences that they make.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::gazetteer::{self, Class};

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

    fn line(&mut self, range: Range<usize>) {
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

    /// Whether a line goes on with no sentence of the line before it.
    fn starts_paragraph(&self, line: &str) -> bool {
        let wrapped = self
            .all
            .last()
            .is_some_and(|last| !matches!(last.text, "." | "!" | "?" | ":" | ";" | "|"))
            && line.trim_start().starts_with(char::is_lowercase);
        !wrapped
    }

    /// Capitals between `**` and `**` are those of a label, if there is more than one word.
    fn mark_bold(&mut self, first: usize) {
        let mut open: Option<usize> = None;
        for at in first..self.all.len() {
            if !(self.all[at].is_mark("**") || self.all[at].is_mark("__")) {
                continue;
            }
            if let Some(start) = open.take() {
                if is_title_case(&self.all[start..at])
                    || self.all[start..at]
                        .iter()
                        .filter(|token| token.is_word())
                        .count()
                        > 3
                {
                    for token in &mut self.all[start..at] {
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
                && let Some(length) = super::names::code::special_length(rest)
            {
                self.push(*at, length, Shape::Special);
                *at += length;
            } else if is_word_start(character) {
                self.word(at, end);
            } else {
                self.mark(at, character, &mut quote, spaced);
            }
            if let Some(token) = self.all.get_mut(before) {
                token.spaced = spaced;
            }
            for token in &mut self.all[before..] {
                token.quoted = quote.is_some();
            }
            spaced = false;
        }
    }

    /// Whether a mark that opens something stands right before.
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
            class = if gazetteer::class_of(&plain).is(Class::FIRST_NAME) {
                Class::FIRST_NAME
            } else {
                class
            };
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
        let mut reach = rest.len().min(ticks + 200);
        while !rest.is_char_boundary(reach) {
            reach -= 1;
        }
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

    fn mark_sentences(&mut self) {
        let mut starts: Vec<usize> = self
            .sentences
            .iter()
            .map(|sentence| sentence.start)
            .collect();
        let mut behind = 0;
        for at in 0..self.all.len() {
            let token = &self.all[at];
            if token.shape != Shape::Mark {
                continue;
            }
            let next = self.all.get(at + 1);
            let ends = match token.text {
                "." => {
                    next.is_some_and(|next| next.spaced || is_closing(next.text))
                        && !self.abbreviates(at)
                }
                "!" | "?" | "…" | "。" | "！" | "？" | "|" => true,
                _ => false,
            };
            let opens = one_of!(
                token.text,
                ":" "\"" "“" "„" "«" "‘" "(" "[" ";" "→" "—" "–" "-" "•" "*"
            ) && next.is_some_and(|next| next.shape != Shape::Mark);
            if ends {
                // A run of marks after one is a run after each of them.
                let mut start = behind.max(at + 1);
                while self.all.get(start).is_some_and(|next| {
                    next.shape == Shape::Mark
                        && (is_closing(next.text) || is_stop(next.text))
                        && !next.spaced
                }) {
                    start += 1;
                }
                behind = start;
                if start < self.all.len() {
                    starts.push(start);
                }
            } else if opens && token.text != "(" {
                self.all[at + 1].begins = true;
            }
        }
        starts.push(0);
        starts.sort_unstable();
        starts.dedup();
        starts.retain(|start| *start < self.all.len());
        let mut looked_at = 0;
        for start in &starts {
            // What was passed over from one start is passed over from the next.
            let mut first = looked_at.max(*start);
            while self.all.get(first).is_some_and(|token| {
                token.shape == Shape::Mark
                    || token.shape == Shape::Digit
                        && self
                            .all
                            .get(first + 1)
                            .is_some_and(|next| matches!(next.text, ":" | ")"))
            }) {
                first += 1;
            }
            looked_at = first;
            if let Some(token) = self.all.get_mut(first) {
                token.begins = true;
            }
        }
        let ends = starts.iter().skip(1).copied().chain([self.all.len()]);
        self.sentences = starts
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| start..end)
            .collect();
    }

    /// Whether the point after a token belongs to it: `Dr.`, `J.`, `e.g.`
    fn abbreviates(&self, point: usize) -> bool {
        let Some(before) = point.checked_sub(1).map(|at| &self.all[at]) else {
            return false;
        };
        let next_is_lower = self.all.get(point + 1).is_some_and(|next| {
            next.shape == Shape::Lower && next.text.starts_with(char::is_lowercase)
        });
        let initial = before.text.chars().count() == 1
            && before.shape == Shape::Capital
            && before.text != "I";
        initial
            || (ABBREVIATIONS.contains(&&*before.lower))
            || (next_is_lower && before.shape == Shape::Digit)
    }
}

const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "rev", "st", "sr", "jr", "vs", "e.g", "i.e", "etc", "inc",
    "ltd", "approx", "dept", "no", "z.b", "bzw", "ca", "fig", "sgt", "capt", "lt", "gen", "col",
    "hon", "co", "corp", "feat", "mt", "ft",
];

fn is_closing(text: &str) -> bool {
    matches!(
        text,
        "\"" | "'" | ")" | "]" | "”" | "’" | "»" | "“" | "**" | "*" | "_" | "__"
    )
}

fn is_stop(text: &str) -> bool {
    matches!(text, "." | "!" | "?" | "…")
}

/// A line without the sign or number of a list item, the marks of a heading or of a quotation.
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

/// Whether most words of a run have capitals although they are ordinary words.
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

/// Whether an address, a path or an identifier may begin with a character.
fn may_open_special(character: char) -> bool {
    is_word_start(character) || matches!(character, '/' | '.' | '~' | '@' | '-' | '\\' | '*')
}

fn is_word_start(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Letters, digits and what joins them: `don't`, `Jean-Luc`, `Node.js`, `1.0.3`, `3,500`, `snake_case`.
fn word_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let mut end = 0;
    let mut last = ' ';
    while let Some((at, character)) = characters.next() {
        let joins = match character {
            '\'' | '’' | '.' | '-' | '_' | '&' | ',' => {
                characters.peek().is_some_and(|(_, next)| {
                    let digits = last.is_numeric() && next.is_numeric();
                    match character {
                        ',' => digits,
                        '&' => last.is_uppercase() && next.is_uppercase(),
                        _ => {
                            is_word_start(*next)
                                && (character != '.' || digits || joins_by_point(last, *next))
                        }
                    }
                })
            }
            '+' | '#' => {
                let is_language = at == 1 && matches!(last, 'C' | 'F')
                    || (character == '+' && text[..at].eq_ignore_ascii_case("c+"));
                if is_language {
                    end = at + 1;
                    last = character;
                    continue;
                }
                false
            }
            _ => is_word_start(character) || is_mark_on_letter(character),
        };
        if !joins {
            break;
        }
        end = at + character.len_utf8();
        last = character;
    }
    // What a joint was left dangling by the end of the text is no part of the word.
    text[..end]
        .trim_end_matches(['\'', '’', '.', '-', ',', '&'])
        .len()
        .max(text.chars().next().map_or(0, char::len_utf8))
}

/// `Node.js` and `e.g` hold together, `home.Then` does not.
fn joins_by_point(last: char, next: char) -> bool {
    last.is_alphanumeric() && !(next.is_uppercase() && last.is_lowercase())
}

fn is_mark_on_letter(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// The bytes of `'s`, `'m`, `'ll`, `'re`, `'ve`, `'d` at a word's end.
fn clitic_length(word: &str) -> usize {
    let Some(apostrophe) = word.rfind(['\'', '’']).filter(|at| *at > 0) else {
        return 0;
    };
    let after = word[apostrophe..].trim_start_matches(['\'', '’']);
    let known = ["s", "m", "ll", "re", "ve", "d"]
        .iter()
        .any(|ending| after.eq_ignore_ascii_case(ending));
    if known { word.len() - apostrophe } else { 0 }
}

fn shape_of(word: &str) -> Shape {
    let mut letters = word.chars().filter(|letter| letter.is_alphabetic());
    if word.starts_with(|first: char| first.is_numeric()) {
        return Shape::Digit;
    }
    let Some(first) = letters.next() else {
        return Shape::Lower;
    };
    let (mut upper, mut lower) = (0, 0);
    for letter in letters {
        upper += usize::from(letter.is_uppercase());
        lower += usize::from(!letter.is_uppercase());
    }
    match (first.is_uppercase(), upper, lower) {
        (true, 0, _) => Shape::Capital,
        (true, _, 0) => Shape::Upper,
        (false, 0, _) => Shape::Lower,
        _ if ["Mc", "Mac", "Le", "De", "La", "Di", "Van", "Du", "Fitz"]
            .iter()
            .any(|start| {
                word.strip_prefix(start).is_some_and(|rest| {
                    rest.len() > 2
                        && rest.starts_with(char::is_uppercase)
                        && rest.chars().skip(1).all(char::is_lowercase)
                })
            }) =>
        {
            Shape::Capital
        }
        _ if word.contains(['-', '\'', '’']) && first.is_uppercase() && parts_are_capital(word) => {
            Shape::Capital
        }
        _ => Shape::Mixed,
    }
}

/// `Jean-Luc`, `O'Brien`.
fn parts_are_capital(word: &str) -> bool {
    word.split(['-', '\'', '’'])
        .all(|part| part.chars().skip(1).all(|letter| !letter.is_uppercase()))
}

/// The single quote that closes one, if it is one and no apostrophe.
fn closing_single(rest: &str, open: char) -> Option<char> {
    let close = if open == '‘' { '’' } else { '\'' };
    let window: String = rest.chars().skip(1).take(120).collect();
    let at = window.find(close)?;
    let after = window[at + close.len_utf8()..].chars().next();
    (at > 0 && after.is_none_or(|after| !after.is_alphanumeric())).then_some(close)
}
