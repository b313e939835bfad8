//! Splits a text into sentences of tokens: prose only, without code, quotations and captions.

use std::ops::Range;

use anamne_text::sentences::sentences;

use super::words::is_listed;

/// Sentences longer than this are tables, logs or pasted data.
const LONGEST_SENTENCE_BYTES: usize = 1500;

/// A word, number or punctuation mark.
#[derive(Clone, Debug)]
pub(super) struct Token<'text> {
    /// The original text.
    pub(super) text: &'text str,
    /// In lower case, contractions spelled out (`'ve` is `have`, `n't` is `not`).
    pub(super) lower: String,
    /// Its kind.
    pub(super) kind: Kind,
    /// Its byte offset in the text.
    pub(super) start: usize,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, possibly with digits, joined by hyphens, dots or slashes.
    Word,
    /// Begins with a digit or a currency sign.
    Number,
    /// Anything else that isn't whitespace.
    Mark,
}

impl Token<'_> {
    /// Whether it is the word `lower`.
    pub(super) fn is(&self, lower: &str) -> bool {
        self.lower == lower
    }

    /// Whether it is one of these space-separated words.
    pub(super) fn is_one_of(&self, words: &str) -> bool {
        self.kind != Kind::Mark && is_listed(words, &self.lower)
    }

    /// Whether it is capitalised, like a name.
    pub(super) fn is_capitalised(&self) -> bool {
        self.kind == Kind::Word && self.text.starts_with(char::is_uppercase)
    }

    /// Whether it is a word or a number.
    pub(super) fn is_said(&self) -> bool {
        self.kind != Kind::Mark
    }
}

/// Whether the token at an index is one of these space-separated words.
pub(super) fn is_at(tokens: &[Token<'_>], at: usize, words: &str) -> bool {
    tokens.get(at).is_some_and(|token| token.is_one_of(words))
}

/// Whether any of the tokens is one of these space-separated words.
pub(super) fn says(tokens: &[Token<'_>], words: &str) -> bool {
    tokens.iter().any(|token| token.is_one_of(words))
}

/// The prose sentences of a text, as byte ranges.
pub(super) fn prose(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for block in blocks_of_prose(text) {
        let sentences = sentences(&text[block.clone()]);
        found.extend(
            sentences
                .into_iter()
                .map(|sentence| sentence.start + block.start..sentence.end + block.start)
                .filter(|sentence| {
                    sentence.len() <= LONGEST_SENTENCE_BYTES && !is_code(&text[sentence.clone()])
                }),
        );
    }
    found
}

/// The text outside of fenced code blocks.
fn blocks_of_prose(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    let mut inside = false;
    for (fence, mark) in text.match_indices("```") {
        if !inside {
            blocks.push(start..fence);
        }
        inside = !inside;
        start = fence + mark.len();
    }
    if !inside {
        blocks.push(start..text.len());
    }
    blocks
}

/// Whether a sentence looks like code, a table, a quotation or a log entry.
fn is_code(sentence: &str) -> bool {
    let signs = sentence
        .bytes()
        .filter(|byte| {
            matches!(
                byte,
                b'{' | b'}' | b'=' | b'<' | b'>' | b'|' | b'\\' | b';' | b'_'
            )
        })
        .count();
    sentence.starts_with(['>', '|', '#', '"', '“', '$']) || signs * 25 > sentence.len() + 25
}

/// The tokens of `text[sentence]`, without text in square brackets (captions) and without quotations longer than a name
/// (someone else's words).
pub(super) fn tokens(text: &str, sentence: Range<usize>) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let slice = &text[sentence.clone()];
    let mut at = 0;
    while let Some(first) = slice[at..].chars().next() {
        let start = sentence.start + at;
        if let Some(skipped) = bracketed(&slice[at..]) {
            push_mark(text, start, first, &mut tokens);
            at += skipped;
        } else if first.is_alphanumeric() || is_currency(first, &slice[at..]) {
            let length = word_length(&slice[at..]);
            push_word(text, start, length, &mut tokens);
            at += length;
        } else {
            if !first.is_whitespace()
                && !is_abbreviation(&tokens, first, &slice[at..])
                && !matches!(first, '*' | '`' | '"' | '“' | '”' | '\'' | '’')
            {
                push_mark(text, start, first, &mut tokens);
            }
            at += first.len_utf8();
        }
    }
    tokens
}

/// Whether a dot ends an abbreviation like `Dr.` rather than a sentence.
fn is_abbreviation(tokens: &[Token<'_>], mark: char, rest: &str) -> bool {
    let title = tokens
        .last()
        .is_some_and(|last| last.is_capitalised() && last.text.len() <= 4);
    mark == '.' && title && rest[1..].starts_with(' ')
}

fn is_currency(first: char, rest: &str) -> bool {
    matches!(first, '$' | '€' | '£' | '¥')
        && rest[first.len_utf8()..].starts_with(|next: char| next.is_ascii_digit())
}

/// The length of a bracketed or quoted passage at the start of `rest`, unless it is short.
fn bracketed(rest: &str) -> Option<usize> {
    let (close, shortest) = match rest.chars().next()? {
        '[' => (']', 0),
        '"' => ('"', 24),
        '“' => ('”', 24),
        _ => return None,
    };
    let open = rest.chars().next()?.len_utf8();
    let end = open + rest[open..].find(close)? + close.len_utf8();
    (end > shortest).then_some(end)
}

/// The length of a word or number, including the marks that join its parts.
fn word_length(rest: &str) -> usize {
    let mut characters = rest.char_indices().peekable();
    let first = characters.next().map_or(0, |(_, first)| first.len_utf8());
    let mut length = first;
    let numeric = rest.starts_with(|first: char| !first.is_alphabetic());
    while let Some((at, character)) = characters.next() {
        let joins = matches!(
            character,
            '\'' | '’' | '-' | '.' | '/' | '_' | '&' | '+' | '#'
        ) || (numeric && matches!(character, ',' | ':'));
        let next = characters.peek().map(|&(_, next)| next);
        let goes_on = character.is_alphanumeric()
            || (numeric && character == '%')
            || (joins && next.is_some_and(|next| joined(numeric, character, next)));
        if !goes_on {
            break;
        }
        length = at + character.len_utf8();
    }
    length
}

/// Whether a mark continues a word. Inside numbers, marks other than a hyphen need a digit after them; ranges stay whole.
fn joined(numeric: bool, character: char, next: char) -> bool {
    if numeric && character != '-' {
        next.is_ascii_digit()
    } else {
        next.is_alphanumeric()
    }
}

fn push_mark<'text>(text: &'text str, start: usize, mark: char, tokens: &mut Vec<Token<'text>>) {
    let end = start + mark.len_utf8();
    tokens.push(Token {
        text: &text[start..end],
        lower: mark.to_string(),
        kind: Kind::Mark,
        start,
    });
}

/// Adds a word; its contraction becomes a token of its own, spelled out.
fn push_word<'text>(text: &'text str, start: usize, length: usize, tokens: &mut Vec<Token<'text>>) {
    let word = &text[start..start + length];
    let lower = word.to_lowercase().replace('’', "'");
    if !word.starts_with(char::is_alphabetic) {
        tokens.push(Token {
            text: word,
            lower,
            kind: Kind::Number,
            start,
        });
        return;
    }
    let mut push = |text, lower: &str, start| {
        tokens.push(Token {
            text,
            lower: lower.to_owned(),
            kind: Kind::Word,
            start,
        });
    };
    match contraction(&lower) {
        Some((stem, rest)) => {
            let cut = word.len().min(stem_length(word, &lower, stem));
            push(&word[..cut], whole_auxiliary(stem), start);
            push(&word[cut..], rest, start + cut);
        }
        None => push(word, &lower, start),
    }
}

/// The byte length of the original word before its contraction; `word` and `lower` may differ in length.
fn stem_length(word: &str, lower: &str, stem: &str) -> usize {
    let tail = lower[stem.len()..].chars().count();
    word.char_indices()
        .rev()
        .nth(tail.saturating_sub(1))
        .map_or(word.len(), |(at, _)| at)
}

fn contraction(lower: &str) -> Option<(&str, &'static str)> {
    const ENDS: &[(&str, &str)] = &[
        ("n't", "not"),
        ("'ve", "have"),
        ("'m", "am"),
        ("'re", "are"),
        ("'ll", "will"),
        ("'d", "would"),
        ("'s", "'s"),
    ];
    if lower == "cannot" {
        return Some(("can", "not"));
    }
    ENDS.iter()
        .find_map(|(end, whole)| Some((lower.strip_suffix(end)?, *whole)))
        .filter(|(stem, _)| !stem.is_empty())
}

fn whole_auxiliary(stem: &str) -> &str {
    match stem {
        "ca" => "can",
        "wo" => "will",
        "sha" => "shall",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lower(text: &str) -> Vec<String> {
        tokens(text, 0..text.len())
            .into_iter()
            .map(|token| token.lower)
            .collect()
    }

    #[test]
    fn contractions_are_spelled_out_and_numbers_stay_whole() {
        assert_eq!(
            lower("I've paid $1,200, haven’t I?"),
            ["i", "have", "paid", "$1,200", ",", "have", "not", "i", "?"]
        );
        assert_eq!(
            lower("Kettle-Auth v0.3.1 at 15:30, 40%"),
            ["kettle-auth", "v0.3.1", "at", "15:30", ",", "40%"]
        );
        assert_eq!(
            lower("the İ'm can't"),
            ["the", "i\u{307}", "am", "can", "not"]
        );
    }

    #[test]
    fn captions_and_quotations_are_nobodys_claims() {
        assert_eq!(
            lower("Look [shares a photo of a dog] here"),
            ["look", "[", "here"]
        );
        assert_eq!(
            lower("He wrote \"I have never been to Rome before\" there"),
            ["he", "wrote", "\"", "there"]
        );
    }

    #[test]
    fn code_is_not_prose() {
        let text = "I built it.\n```\nlet never = 1;\n```\nIt runs well now.";
        let found: Vec<&str> = prose(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["I built it.", "It runs well now."]);
    }
}
