//! Words, names and values of a piece of text, line by line.

use std::ops::Range;

use crate::secrets::alphabet::Alphabet;
use crate::secrets::letters::are_unlike_words;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Letters, digits and punctuation between blanks.
    Word,
    /// The name of `name=value`.
    Name,
    /// The value of `name=value`.
    Value,
    /// Characters of a script that puts no blanks between words.
    Script,
    /// Only punctuation, such as `=` and `->`.
    Mark,
}

/// A part of a line.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Its place in the piece, without quotes and punctuation around it.
    pub(super) span: Range<usize>,
    /// The index of its line.
    pub(super) line: usize,
    pub(super) sort: Sort,
    /// Whether it could be a password, a code or a key, by its characters.
    pub(super) may_be_secret: bool,
}

/// A line.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// Its place in the piece.
    pub(super) span: Range<usize>,
    /// Its tokens; none if neither this line nor the next one has a digit or a mark.
    pub(super) tokens: Range<usize>,
}

/// The tokens and lines of a piece.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) all: Vec<Token>,
    pub(super) lines: Vec<Line>,
}

/// The longest password that is told by its surroundings; longer keys have formats and names.
const MOST: usize = 39;
/// The shortest.
const LEAST: usize = 4;
/// The longest part of a script in one token, in characters.
const MOST_SCRIPT: usize = 24;

impl Tokens {
    /// Reads a piece of text: the lines that could have a secret, and those before them. O(bytes).
    pub(super) fn of(piece: &str) -> Self {
        static TELLING: Alphabet = Alphabet::marks_and_digits();
        let mut tokens = Self::default();
        let (mut start, mut is_last_read) = (0, true);
        for line in piece.split('\n') {
            let may_have_secret = line.bytes().any(|byte| TELLING.has(byte));
            if may_have_secret && !is_last_read {
                tokens.read_last_line(piece);
            }
            let end = start + line.len();
            let next = tokens.all.len();
            tokens.lines.push(Line {
                span: start..end,
                tokens: next..next,
            });
            if may_have_secret {
                tokens.read_last_line(piece);
            }
            is_last_read = may_have_secret;
            start = end + 1;
        }
        tokens
    }

    fn read_last_line(&mut self, piece: &str) {
        let Some(last) = self.lines.last() else {
            return;
        };
        let span = last.span.clone();
        let line = &piece[span.clone()];
        let at = line.as_ptr() as usize;
        for chunk in line.split_ascii_whitespace() {
            let start = span.start + (chunk.as_ptr() as usize - at);
            if chunk.is_ascii() {
                self.read_word(chunk, start);
            } else {
                self.read_scripts(chunk, start);
            }
        }
        let end = self.all.len();
        if let Some(last) = self.lines.last_mut() {
            last.tokens.end = end;
        }
    }

    /// Reads a chunk that may change between scripts.
    fn read_scripts(&mut self, chunk: &str, start: usize) {
        let mut from = 0;
        while from < chunk.len() {
            let rest = &chunk[from..];
            let is_script = rest.chars().next().is_some_and(is_joined);
            let most = if is_script { MOST_SCRIPT } else { usize::MAX };
            let ends = |(count, (at, one)): (usize, (usize, char))| {
                let is_end = is_joined(one) != is_script || count >= most;
                (is_end || (count > 0 && is_stop(one))).then_some(at)
            };
            let length = rest.char_indices().enumerate().find_map(ends);
            let part = &rest[..length.unwrap_or(rest.len())];
            if is_script {
                self.add(Sort::Script, start + from..start + from + part.len(), false);
            } else {
                self.read_word(part, start + from);
            }
            from += part.len();
        }
    }

    fn read_word(&mut self, part: &str, start: usize) {
        let bare = part.trim_start_matches(opens);
        let at = start + part.len() - bare.len();
        let bare = bare.trim_end_matches(closes);
        if bare.is_empty() {
            if part.contains(['=', ':', '-', '→', '>']) {
                self.add(Sort::Mark, start..start + part.len(), false);
            }
            return;
        }
        let Some((name, value)) = assignment(bare) else {
            self.add(Sort::Word, at..at + bare.len(), may_be_secret(bare));
            return;
        };
        self.add(Sort::Name, at..at + name.len(), false);
        let from = at + bare.len() - value.len();
        let inner = value.trim_start_matches(opens);
        let from = from + value.len() - inner.len();
        let inner = inner.trim_end_matches(closes);
        if !inner.is_empty() {
            self.add(Sort::Value, from..from + inner.len(), may_be_secret(inner));
        }
    }

    fn add(&mut self, sort: Sort, span: Range<usize>, may_be_secret: bool) {
        self.all.push(Token {
            span,
            line: self.lines.len() - 1,
            sort,
            may_be_secret,
        });
    }
}

/// Punctuation before a word.
fn opens(one: char) -> bool {
    match one {
        '"' | '\'' | '`' | '(' | '[' | '{' | '<' | '>' | '*' | '_' | '|' | ',' | ';' | '#'
        | '~' => true,
        _ => !one.is_ascii() && is_quote(one),
    }
}

/// Punctuation after a word.
fn closes(one: char) -> bool {
    match one {
        '"' | '\'' | '`' | ')' | ']' | '}' | '<' | '>' | '*' | '_' | '|' | ',' | ';' | '.'
        | ':' | '!' | '?' => true,
        _ => !one.is_ascii() && (matches!(one, '…' | '।' | '،' | '؛' | '؟' | '۔') || is_quote(one)),
    }
}

fn is_quote(one: char) -> bool {
    matches!(one, '«' | '»' | '„' | '“' | '”' | '‚' | '‘' | '’')
}

/// Whether a character belongs to a script without blanks, or to its punctuation.
pub(super) fn is_joined(one: char) -> bool {
    matches!(one, '\u{0e00}'..='\u{0e7f}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}')
}

/// Whether a character separates clauses in such a script.
fn is_stop(one: char) -> bool {
    matches!(
        one,
        '。' | '、'
            | '，'
            | '：'
            | '；'
            | '！'
            | '？'
            | '「'
            | '」'
            | '『'
            | '』'
            | '（'
            | '）'
            | '【'
            | '】'
            | '《'
            | '》'
    )
}

/// The name and the value of `name=value`, `name: value` and the like.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let length = text
        .bytes()
        .take(42)
        .take_while(|byte| is_in_name(*byte))
        .count();
    if length == 0 || length > 41 || !text.as_bytes()[0].is_ascii_alphabetic() {
        return None;
    }
    let rest = &text[length..];
    let link = [":=", "=>", "==", "=", ":"]
        .into_iter()
        .find(|link| rest.starts_with(link))?;
    let value = &rest[link.len()..];
    let is_port = link == ":" && (text.starts_with("localhost") || text[..length].contains('.'));
    (!value.is_empty() && !value.starts_with('/') && !is_port).then(|| (&text[..length], value))
}

/// Whether a value could be a password, a code or a key, by its characters: a digit or a mark, and no address, date or
/// number with a point. O(bytes).
fn may_be_secret(value: &str) -> bool {
    if !(LEAST..=MOST).contains(&value.len()) {
        return false;
    }
    let (mut digits, mut marks, mut letters, mut points) = (0, 0, 0, 0);
    for byte in value.bytes() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'a'..=b'z' | b'A'..=b'Z' => letters += 1,
            b'.' | b':' | b'-' | b'/' | b',' => points += 1,
            byte if is_mark(byte) => marks += 1,
            _ => {}
        }
    }
    let is_number = digits + points == value.len() && points > 0;
    let is_varied = digits > 0 || (marks > 0 && letters >= 3);
    is_varied && !is_number && !is_address(value) && !is_handle(value) && !is_type(value)
}

/// The name of a type, as in `MyClassV2`: words with capitals, and at most one digit at the end. O(bytes).
fn is_type(value: &str) -> bool {
    let letters = value
        .strip_suffix(|one: char| one.is_ascii_digit())
        .unwrap_or(value);
    let begins_word = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && letters.starts_with(|one: char| one.is_ascii_uppercase())
        && letters.as_bytes().windows(2).any(begins_word)
        && !are_unlike_words(letters)
}

/// The name of a user, as in `@name1`.
fn is_handle(value: &str) -> bool {
    let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    value
        .strip_prefix('@')
        .is_some_and(|name| name.bytes().all(is_in_name))
}

/// Whether a byte stands in passwords, and hardly ever in words and names.
pub(super) fn is_mark(byte: u8) -> bool {
    static MARKS: Alphabet = Alphabet::marks();
    MARKS.has(byte)
}

fn is_address(value: &str) -> bool {
    let is_host = |host: &str| {
        host.contains('.')
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
    };
    value.contains("://")
        || value
            .rsplit_once('@')
            .is_some_and(|(user, host)| !user.is_empty() && is_host(host))
}
