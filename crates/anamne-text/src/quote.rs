//! Quoting foreign text, so that no part of it can be mistaken for our output.
//!
//! Foreign text is everything that was stored, imported, read from a file or returned by a model. There are exactly two
//! ways to show it:
//!
//! - text of any length is on separate lines, each of which starts with [`MARK`] ([`quote_block`]);
//! - a name (author, tag, thread, space, entity, file, model) is part of a line of ours, shortened and without the
//!   characters that structure such a line ([`quote_name`]).
//!
//! In both, characters that are invisible, or that change the order of others, are escaped as in `\u{202E}`
//! ([`escape_invisible`]). All functions are linear in the text, and the output is at most six times as long.
//!
//! ```
//! use anamne_text::quote::{quote_block, quote_name};
//!
//! assert_eq!(quote_block("yes\r\n[m1] (fact) user"), "> yes\n> [m1] (fact) user");
//! assert_eq!(quote_name("Ann [m1],\n# \"admin\""), "Ann m1 # admin");
//! ```

mod invisible;
mod name;

use std::borrow::Cow;
use std::fmt::Write;

pub use self::invisible::{is_invisible, shows};
pub use self::name::{MAX_NAME_CHARS, quote_name};

/// The prefix of each line of foreign text.
pub const MARK: &str = "> ";

/// The text with each line marked as foreign, whatever line breaks its script uses, and with invisible characters
/// escaped.
///
/// No line break at the end. Empty lines are also marked.
pub fn quote_block(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + text.len() / 16 + MARK.len());
    push_block(&mut quoted, text);
    quoted
}

/// Appends [`quote_block`] of `text` to `out`, which must be empty or end with a line feed.
pub fn push_block(out: &mut String, text: &str) {
    debug_assert!(
        out.is_empty() || out.ends_with('\n'),
        "the mark begins a line"
    );
    for (number, line) in lines(text).enumerate() {
        if number > 0 {
            out.push('\n');
        }
        out.push_str(MARK);
        push_escaped(out, line);
    }
}

/// The lines of a text, without their terminators: LF, CR, CR LF, VT, FF, NEL, U+2028 or U+2029.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(is_line_break) else {
            rest = None;
            return Some(text);
        };
        let (line, tail) = text.split_at(end);
        let is_pair = tail.starts_with("\r\n");
        let width = tail.chars().next().map_or(0, char::len_utf8);
        rest = Some(&tail[width + usize::from(is_pair)..]);
        Some(line)
    })
}

/// Whether a character is a line break for any reader.
pub fn is_line_break(character: char) -> bool {
    matches!(
        character,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// The text with invisible characters escaped. Line feeds and tabs are kept, and CR LF becomes a line feed.
///
/// For text that is printed unmarked, such as a memory on a terminal; text for a model must be marked as well.
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    let stays = |character: char| matches!(character, '\n' | '\t') || !is_invisible(character);
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for piece in text.split_inclusive('\n') {
        let line = piece
            .strip_suffix('\n')
            .map(|line| line.strip_suffix('\r').unwrap_or(line));
        push_escaped(&mut escaped, line.unwrap_or(piece));
        if line.is_some() {
            escaped.push('\n');
        }
    }
    Cow::Owned(escaped)
}

/// The text on one line: line breaks and runs of white space become one space; invisible characters are escaped.
///
/// For a message that contains foreign text, such as that of an error.
pub fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text
        .split(char::is_whitespace)
        .filter(|word| !word.is_empty())
    {
        if !line.is_empty() {
            line.push(' ');
        }
        push_escaped(&mut line, word);
    }
    line
}

/// Appends a text with every invisible character, including line breaks, escaped.
fn push_escaped(out: &mut String, text: &str) {
    let is_plain = |byte| matches!(byte, b' '..=b'~' | b'\t');
    if text.bytes().all(is_plain) {
        out.push_str(text);
        return;
    }
    let mut previous = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\t' || shows(character, previous, characters.peek().copied()) {
            out.push(character);
        } else {
            let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
        }
        previous = Some(character);
    }
}
